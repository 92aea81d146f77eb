/**
 * Limits the time for untrusted content of a repository in one run (CC-06, S-52, S-58). One pattern on one path, or one
 * front matter, is always fast, but a repository may contain any number of them.
 */
import type { Limits } from '../settings.ts';

/** How long such work may block one turn of the event loop. */
const maxHeldMs = 25;
/** If processor time counts, this many times as much real time may pass. */
const patience = 4;
/** Asking for processor time takes longer than much of the work, so it is asked for once in as much real time. */
const countedAtOnceMs = 1;

export type TimeAllowance = Readonly<{
  /** Does the work, and counts its time. */
  spend<Result>(work: () => Result): Result;
  isOver(): boolean;
  /** Gives more time, for work that was not known before. */
  extend(ms: number): void;
  /** Lets the event loop serve others if it was blocked for long; otherwise `undefined`. */
  pause(): Promise<void> | undefined;
}>;

/** A part of `Clock`. `worked` is processor time, if it is known. */
type Times = { elapsed(): number; worked?(): number };

/** One for each kind of work, so that none can use up the time of another. */
export function createTimeAllowances(clock: Times, limits: Limits) {
  const passing = { elapsed: () => clock.elapsed() };
  // A first answer must not miss files only because other programs keep the machine busy.
  const working = { ...passing, worked: () => clock.worked?.() ?? clock.elapsed() };
  return {
    includes: createTimeAllowance(passing, limits.includeMatchMs),
    named: createTimeAllowance(passing, limits.includeMatchMs),
    excludes: createTimeAllowance(passing, limits.excludeMatchMs),
    globs: createTimeAllowance(passing, limits.globMatchMs),
    parsing: createTimeAllowance(working, limits.parseMs),
    policies: createTimeAllowance(passing, limits.policyMs),
  };
}

/**
 * The returned function says whether more than `ms` of processor time were used since the start. If other programs keep
 * the machine busy, it also says yes after several times as much real time.
 */
export function startDeadline({ elapsed, worked = elapsed }: Times, ms: number): () => boolean {
  const begun = { elapsed: elapsed(), worked: worked() };
  return () => {
    const passedMs = elapsed() - begun.elapsed;
    return passedMs > ms && (passedMs > patience * ms || worked() - begun.worked > ms);
  };
}

function createTimeAllowance({ elapsed, worked = elapsed }: Times, givenMs: number): TimeAllowance {
  let totalMs = givenMs;
  let spentMs = 0;
  let passedMs = 0;
  let heldMs = 0;
  let uncountedMs = 0;
  let uncountedSince = 0;
  return {
    spend(work) {
      if (uncountedMs === 0) uncountedSince = worked();
      const start = elapsed();
      const result = work();
      const ms = elapsed() - start;
      passedMs += ms;
      heldMs += ms;
      uncountedMs += ms;
      if (uncountedMs < countedAtOnceMs) return result;
      // What this thread did between these works counts too, but no work takes more than its real time.
      spentMs += Math.min(uncountedMs, worked() - uncountedSince);
      uncountedMs = 0;
      return result;
    },
    isOver: () => spentMs + uncountedMs > totalMs || passedMs > patience * totalMs,
    extend(ms) {
      totalMs += ms;
    },
    pause() {
      if (heldMs < maxHeldMs) return undefined;
      heldMs = 0;
      return new Promise((resolve) => setImmediate(resolve));
    },
  };
}
