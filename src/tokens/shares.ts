/**
 * Limits how much of something one agent token can have, and all of them together, so that there is always some for the
 * user.
 */

import { ContextdError, NotYetError } from '../errors.ts';
import type { Caller } from '../ports/caller.ts';

type Shares = Readonly<{
  /** Whether this caller may have one more. */
  isFree(caller: Caller): boolean;
  /**
   * Why this caller may not have one more, or undefined. `unavailable` if none is left, `limit_exceeded` if only others
   * may have one. `what`: the name of the things, for the message.
   */
  refusal(caller: Caller, what: string): ContextdError | undefined;
  /** Takes one, even if none is free. The returned function gives it back; more calls have no effect. */
  take(caller: Caller): () => void;
  /** How many this token has. */
  of(tokenId: string): number;
  /** How many are taken by all callers together. */
  readonly taken: number;
}>;

/** Nobody knows when one is given back. */
const retryAfterS = 10;

/** How many of `all` one token may have: a quarter, or `part` of them. */
export function shareOfOneToken(all: number, part = 1 / 4): number {
  return Math.max(1, Math.floor(all * part));
}

/**
 * One token can have at most `part` of `all`, and all tokens together seven eighths. Only the user can have the rest.
 */
export function createShares(all: number, part?: number): Shares {
  const ofOne = shareOfOneToken(all, part);
  const ofTokens = Math.max(1, Math.floor((all * 7) / 8));
  const held = new Map<string, number>();
  let taken = 0;
  let takenByTokens = 0;
  const add = (caller: Caller, change: 1 | -1): void => {
    taken += change;
    if (caller.scope === 'user') return;
    takenByTokens += change;
    const left = (held.get(caller.tokenId) ?? 0) + change;
    if (left === 0) held.delete(caller.tokenId);
    else held.set(caller.tokenId, left);
  };
  const isFree = (caller: Caller): boolean =>
    taken < all && (caller.scope === 'user' || (takenByTokens < ofTokens && (held.get(caller.tokenId) ?? 0) < ofOne));
  return {
    isFree,
    refusal(caller, what) {
      if (isFree(caller)) return undefined;
      if (taken >= all)
        return new NotYetError(`There are ${all} ${what} already, which is the limit. Try again later.`, retryAfterS);
      const most = `${ofOne} ${what} for one agent token, and ${ofTokens} for all agent tokens together`;
      return new ContextdError('limit_exceeded', `This is more than the limits: ${most}.`);
    },
    take(caller) {
      let isHeld = true;
      add(caller, 1);
      return () => {
        if (isHeld) add(caller, -1);
        isHeld = false;
      };
    },
    of: (tokenId) => held.get(tokenId) ?? 0,
    get taken() {
      return taken;
    },
  };
}
