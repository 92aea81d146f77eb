/**
 * Tokens besides that of the discovery file, minted for agent runtimes (S-15). Only digests are kept: what is stored
 * opens nothing.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ContextdError } from '../errors.ts';
import type { Clock } from '../ports/ports.ts';
import type { StoredToken, TokenStore } from '../ports/store/store.ts';
import { fixedLimits } from '../settings.ts';

/**
 * What a token opens. `user`: everything; only the discovery file holds such a token. `agent`: reading context, searching,
 * sessions, and tools of approved servers; nothing that decides what may be read, run or sent.
 */
export type TokenScope = 'user' | 'agent';

export type AccessToken = { id: string; scope: 'agent'; label: string; createdAt: string };

export type AccessTokens = Readonly<{
  /** The token is told once and never again. Throws `limit_exceeded` when there are too many. */
  mint(label: string): AccessToken & { token: string };
  /** In the order in which they were minted. */
  list(): AccessToken[];
  /** From now on the token opens nothing. Throws `not_found`. */
  revoke(id: string): void;
  /** The id of the minted token with this digest. */
  idOf(digest: Buffer): string | undefined;
}>;

/** What is kept of a token for comparing: digests have one length, so comparing them tells nothing about it (S-07). */
export function digestToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

export function createAccessTokens({ store, clock }: { store: TokenStore; clock: Clock }): AccessTokens {
  const show = ({ id, label, createdAt }: StoredToken): AccessToken => ({ id, scope: 'agent', label, createdAt });
  let digests: { id: string; digest: Buffer }[] | undefined;
  const known = () => {
    digests ??= store.list().map(({ id, digest }) => ({ id, digest: Buffer.from(digest, 'hex') }));
    return digests;
  };

  return Object.freeze({
    mint(label) {
      if (store.list().length >= fixedLimits.tokens.count)
        throw new ContextdError('limit_exceeded', `There are ${fixedLimits.tokens.count} tokens already; revoke one.`);
      const token = randomBytes(32).toString('base64url');
      const createdAt = new Date(clock.now()).toISOString();
      const stored = {
        id: randomBytes(16).toString('hex'),
        label,
        createdAt,
        digest: digestToken(token).toString('hex'),
      };
      store.add(stored);
      digests = undefined;
      return { ...show(stored), token };
    },
    list: () => store.list().map(show),
    revoke(id) {
      const isRemoved = store.remove(id);
      digests = undefined;
      if (!isRemoved) throw new ContextdError('not_found', 'There is no such token.');
    },
    // All are compared, so that the time tells at most how many there are.
    idOf: (digest) => known().filter((each) => timingSafeEqual(each.digest, digest))[0]?.id,
  } satisfies AccessTokens);
}
