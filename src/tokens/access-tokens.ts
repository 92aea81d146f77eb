/**
 * Tokens for agent runtimes, in addition to the token of the discovery file (S-15). Only digests are stored, and nobody
 * gets access with a digest.
 */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { ContextdError } from '../errors.ts';
import { createStoreTurns } from '../pace/store-turns.ts';
import type { Clock } from '../ports/ports.ts';
import type { Store, StoredToken, TokenStore } from '../ports/store/store.ts';
import { fixedLimits } from '../settings.ts';

/**
 * What a token gives access to. `user`: everything; only the discovery file has such a token. `agent`: reading context,
 * searching, sessions, and tools of approved servers, but nothing that decides what may be read, run or sent.
 */
export type TokenScope = 'user' | 'agent';

export const AccessToken = z
  .object({
    id: z.string().describe('Id of the token. It is not the secret value.'),
    scope: z.literal('agent').describe('What the token gives access to.'),
    label: z.string().describe('What it is for.'),
    createdAt: z.string().describe('When it was minted, ISO 8601 UTC.'),
  })
  .meta({ id: 'AccessToken', description: 'A token that was minted, without the token itself.' });
export type AccessToken = z.infer<typeof AccessToken>;

export type AccessTokens = Readonly<{
  /** Creates a token. Only this answer contains it. Throws `limit_exceeded` if there are too many. */
  mint(label: string): Promise<AccessToken & { token: string }>;
  /** In the order in which they were minted. */
  list(): Promise<AccessToken[]>;
  /**
   * From now on the token gives no access. In this daemon this holds even if the store refuses or its answer is lost.
   * Then the next `refresh` asks the store again. Throws `not_found`.
   */
  revoke(id: string): Promise<void>;
  /** Takes over changes by other daemons. */
  refresh(): Promise<void>;
  /** Calls `listener` for each token that gives no access any more. */
  onRevoked(listener: (id: string) => void): void;
  /** The id of the minted token with this digest. Does not ask the store. */
  idOf(digest: Buffer): string | undefined;
}>;

/** A secret of 256 bits that nobody can guess, in characters that need no escaping. */
export const createSecret = (): string => randomBytes(32).toString('base64url');

/**
 * The digest of a token, which is compared instead of the token. All digests have the same length, so the time of a
 * comparison shows nothing about the token (S-07). Asked for as text, because `hash` takes three times as long for a
 * buffer, and each request needs a digest.
 */
export function digestToken(token: string): Buffer {
  return Buffer.from(hash('sha256', token, 'hex'), 'hex');
}

export async function createAccessTokens(ports: {
  store: TokenStore;
  waiting?: Store['waiting'] | undefined;
  clock: Clock;
}): Promise<AccessTokens> {
  const { store, clock } = ports;
  const show = ({ id, label, createdAt }: StoredToken): AccessToken => ({ id, scope: 'agent', label, createdAt });
  const known = new Map<string, Buffer>();
  /**
   * `revoked`: tokens that were revoked here and may still be stored. `removed`: those of them that a refresh removed
   * from the store before their own turn came.
   */
  const [revoked, removed] = [new Set<string>(), new Set<string>()];
  const remember = ({ id, digest }: StoredToken): void => {
    if (!revoked.has(id)) known.set(id, Buffer.from(digest, 'hex'));
  };
  for (const stored of await store.list()) remember(stored);
  const listeners: ((id: string) => void)[] = [];
  const forget = (id: string): void => {
    if (known.delete(id)) for (const listener of listeners) listener(id);
  };
  /** Changes of `known` have the same order as changes of the store. */
  const inTurn = createStoreTurns(ports.waiting);

  return Object.freeze({
    async mint(label) {
      const { token, stored } = createToken(label, clock);
      await inTurn(async () => {
        await store.write(async (writer) => {
          if ((await writer.list()).length >= fixedLimits.tokens.count)
            throw new ContextdError(
              'limit_exceeded',
              `There are ${fixedLimits.tokens.count} tokens already; revoke one.`,
            );
          await writer.add(stored);
        });
        remember(stored);
      });
      return { ...show(stored), token };
    },
    list: async () => (await store.list()).map(show),
    async revoke(id) {
      const isKnown = known.has(id);
      revoked.add(id);
      forget(id);
      const isRemoved = await inTurn(async () => {
        const isRemovedNow = await store.remove(id);
        revoked.delete(id);
        return removed.delete(id) || isRemovedNow;
      });
      if (!isRemoved && !isKnown) throw new ContextdError('not_found', 'There is no such token.');
    },
    refresh: () =>
      inTurn(async () => {
        const stored = await store.list();
        const ids = new Set(stored.map(({ id }) => id));
        let failure: { error: unknown } | undefined;
        for (const id of revoked)
          try {
            if (ids.has(id) && (await store.remove(id))) removed.add(id);
            revoked.delete(id);
            ids.delete(id);
          } catch (error) {
            failure = { error };
          }
        for (const id of [...known.keys()]) if (!ids.has(id)) forget(id);
        for (const token of stored) if (ids.has(token.id)) remember(token);
        if (failure !== undefined) throw failure.error;
      }),
    onRevoked: (listener) => void listeners.push(listener),
    idOf: (digest) => findDigest(known, digest),
  } satisfies AccessTokens);
}

function createToken(label: string, clock: Clock): { token: string; stored: StoredToken } {
  const token = createSecret();
  const id = randomBytes(16).toString('hex');
  const createdAt = new Date(clock.now()).toISOString();
  return { token, stored: { id, label, createdAt, digest: digestToken(token).toString('hex') } };
}

/** The id that has this digest. Compares all digests, so that the time shows at most how many there are. */
export function findDigest(known: ReadonlyMap<string, Buffer>, digest: Buffer): string | undefined {
  let found: string | undefined;
  for (const [id, each] of known) if (timingSafeEqual(each, digest)) found ??= id;
  return found;
}
