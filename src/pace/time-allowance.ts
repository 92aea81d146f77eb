/**
 * The time that work on what a repository wrote may take in one run (CC-06, S-52, S-58). One pattern on one path and one
 * front matter are quick whatever they hold, but a repository chooses how many there are.
 */
import type { Limits } from '../settings.ts';

/** How long such work may hold one turn of the event loop. */
const mostHeldMs = 25;

export type TimeAllowance = Readonly<{
  /** Does the work and counts the time it takes. */
  spend<Result>(work: () => Result): Result;
  isOver(): boolean;
  /** Gives more time, for more work than was known of. */
  extend(ms: number): void;
  /** Lets others have the event loop when it was held for long; `undefined` when it was not. */
  pause(): Promise<void> | undefined;
}>;

/** As in the port: `worked`, where it is known, is the time that a processor needed. */
type Times = { elapsed(): number; worked?(): number };

/** One for each kind of work, so that none can use up the time of another. */
export function createTimeAllowances(clock: Times, limits: Limits) {
  const elapsed = () => clock.elapsed();
  // That other programs keep the machine busy shall not leave out files of a first answer.
  const worked = () => clock.worked?.() ?? clock.elapsed();
  return {
    includes: createTimeAllowance(elapsed, limits.includeMatchMs),
    named: createTimeAllowance(elapsed, limits.includeMatchMs),
    excludes: createTimeAllowance(elapsed, limits.excludeMatchMs),
    globs: createTimeAllowance(elapsed, limits.globMatchMs),
    parsing: createTimeAllowance(worked, limits.parseMs),
    policies: createTimeAllowance(elapsed, limits.policyMs),
  };
}

function createTimeAllowance(elapsed: () => number, givenMs: number): TimeAllowance {
  let totalMs = givenMs;
  let spentMs = 0;
  let heldMs = 0;
  return {
    spend(work) {
      const start = elapsed();
      const result = work();
      const ms = elapsed() - start;
      spentMs += ms;
      heldMs += ms;
      return result;
    },
    isOver: () => spentMs > totalMs,
    extend(ms) {
      totalMs += ms;
    },
    pause() {
      if (heldMs < mostHeldMs) return undefined;
      heldMs = 0;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
}
