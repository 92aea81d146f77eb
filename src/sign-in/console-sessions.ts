/**
 * Sign-in of the console without cookies (S-10). A person gives a code to the page, and the page gets a token for it.
 * Only digests of both are kept, and only in memory. So a restart ends all sessions, and nobody gets access with what
 * is kept.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { createSecret, digestToken, findDigest } from '../tokens/access-tokens.ts';

/** `expiresAt` is ISO 8601 UTC. */
type SignInCode = { code: string; expiresAt: string };
export const ConsoleSession = z
  .object({
    token: z.string().describe('The token of the session. It is shown only here.'),
    createdAt: z.string().describe('When the session began, ISO 8601 UTC.'),
  })
  .meta({ id: 'ConsoleSession', description: 'A session of a signed-in console.' });
export type ConsoleSession = z.infer<typeof ConsoleSession>;

export type ConsoleSessions = Readonly<{
  /** Creates a code. Only this answer contains it. If there are too many codes, the oldest one becomes invalid. */
  createCode(lifetimeMs?: number): SignInCode;
  /**
   * Creates a session for a code, which cannot be used again. Undefined for a code that is unknown, used or too old.
   * `endedId`: the id of the oldest session, if it was ended to make room.
   */
  redeem(code: string): { session: ConsoleSession; endedId?: string } | undefined;
  /** The id of the session whose token has this digest. The id gives no access. */
  idOf(digest: Buffer): string | undefined;
  /** From now on the token gives no access. Returns the id of its session, or undefined if there is none. */
  end(token: string): string | undefined;
}>;

/** Pages in files, which contain a code, for browsers that are started with such a file (S-10). */
export type SignInPages = Readonly<{
  /**
   * Creates a page that leads to `address`, which contains the code, and returns its path. The page is removed after 30
   * seconds at the latest. Throws `storage_full` and `unavailable`.
   */
  create(code: string, address: string): string;
  /** Removes the page of a code that was used. */
  remove(code: string): void;
  /** Removes all pages. */
  removeAll(): void;
}>;

/** A name below `localhost`. Browsers resolve it to loopback without asking anybody, and nobody can guess it. */
export function createConsoleName(): string {
  return `${randomBytes(16).toString('hex')}.localhost`;
}

export function createConsoleSessions(clock: Clock): ConsoleSessions {
  let codes: { digest: Buffer; endMs: number }[] = [];
  /** The digests of their tokens, by id. */
  const sessions = new Map<string, Buffer>();

  return Object.freeze({
    createCode(lifetimeMs = fixedLimits.signIn.codeMs) {
      const code = createSecret();
      const pending = { digest: digestToken(code), endMs: clock.elapsed() + lifetimeMs };
      codes = [...codes, pending].slice(-fixedLimits.signIn.codes);
      return { code, expiresAt: new Date(clock.now() + lifetimeMs).toISOString() };
    },
    redeem(code) {
      const digest = digestToken(code);
      const pending = codes.filter(({ endMs }) => clock.elapsed() < endMs);
      codes = pending.filter((each) => !timingSafeEqual(each.digest, digest));
      if (codes.length === pending.length) return undefined;
      const token = createSecret();
      sessions.set(randomBytes(16).toString('hex'), digestToken(token));
      const session = { token, createdAt: new Date(clock.now()).toISOString() };
      const [oldest] = sessions.keys();
      if (sessions.size <= fixedLimits.signIn.sessions || oldest === undefined) return { session };
      sessions.delete(oldest);
      return { session, endedId: oldest };
    },
    idOf: (digest) => findDigest(sessions, digest),
    end(token) {
      const endedId = findDigest(sessions, digestToken(token));
      if (endedId !== undefined) sessions.delete(endedId);
      return endedId;
    },
  } satisfies ConsoleSessions);
}
