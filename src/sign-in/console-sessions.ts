/**
 * Sign-in of the console without cookies (S-10): a code that a person hands to the page, and the token that the page
 * gets for it. Both are kept in memory only and as digests only, so a restart ends them and nothing that is kept opens
 * anything.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { digestToken } from '../tokens/access-tokens.ts';

/** `expiresAt` is ISO 8601 UTC. */
type ConsoleCode = { code: string; expiresAt: string };
type ConsoleSession = { token: string; createdAt: string };

export type ConsoleSessions = Readonly<{
  /** The code is told once. The oldest of too many is forgotten. */
  createCode(lifetimeMs?: number): ConsoleCode;
  /**
   * A session for a code, which is then used up; undefined for one that is unknown, used or too old. `endedId`: of the
   * session that made room.
   */
  redeem(code: string): { session: ConsoleSession; endedId?: string } | undefined;
  /** The id of the session whose token has this digest. It opens nothing. */
  idOf(digest: Buffer): string | undefined;
  /** From now on the token opens nothing. The id of its session; undefined when it is that of none. */
  end(token: string): string | undefined;
}>;

/** Codes in files, for browsers that are started with one (S-10). */
export type SignInPages = Readonly<{
  /**
   * The path of a page that leads to `address`, which holds the code; gone after 30 seconds at the latest. Throws
   * `storage_full` and `unavailable`.
   */
  create(code: string, address: string): string;
  /** The code was used. */
  remove(code: string): void;
  /** Removes all there are, at once. */
  removeAll(): void;
}>;

/** A name below `localhost`, which browsers resolve to loopback by themselves, and that nobody can have guessed. */
export function createConsoleName(): string {
  return `${randomBytes(16).toString('hex')}.localhost`;
}

export function createConsoleSessions(clock: Clock): ConsoleSessions {
  let codes: { digest: Buffer; endMs: number }[] = [];
  let sessions: { digest: Buffer; id: string }[] = [];

  // All are compared, so that the time tells at most how many there are.
  const idOf = (digest: Buffer): string | undefined => {
    const [found] = sessions.filter((each) => timingSafeEqual(each.digest, digest));
    return found?.id;
  };

  return Object.freeze({
    createCode(lifetimeMs = fixedLimits.signIn.codeMs) {
      const code = randomBytes(32).toString('base64url');
      const pending = { digest: digestToken(code), endMs: clock.elapsed() + lifetimeMs };
      codes = [...codes, pending].slice(-fixedLimits.signIn.codes);
      return { code, expiresAt: new Date(clock.now() + lifetimeMs).toISOString() };
    },
    redeem(code) {
      const digest = digestToken(code);
      const pending = codes.filter(({ endMs }) => clock.elapsed() < endMs);
      codes = pending.filter((each) => !timingSafeEqual(each.digest, digest));
      if (codes.length === pending.length) return undefined;
      const token = randomBytes(32).toString('base64url');
      const ended = sessions.length < fixedLimits.signIn.sessions ? undefined : sessions.shift();
      sessions.push({ digest: digestToken(token), id: randomBytes(16).toString('hex') });
      const session = { token, createdAt: new Date(clock.now()).toISOString() };
      return ended === undefined ? { session } : { session, endedId: ended.id };
    },
    idOf,
    end(token) {
      const endedId = idOf(digestToken(token));
      sessions = sessions.filter(({ id }) => id !== endedId);
      return endedId;
    },
  } satisfies ConsoleSessions);
}
