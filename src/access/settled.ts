import type { Clock, FileStat } from '../ports/ports.ts';

/**
 * Whether a signature can be trusted: the last change was long before the reading. A newer file or directory can be
 * changed again within one step of the file system's clock, with the same signature.
 */
export function isSettled({ changedAtMs }: FileStat, clock: Pick<Clock, 'now'>): boolean {
  return clock.now() - changedAtMs > settleMs;
}

/** The coarsest clocks in use have steps of two seconds. */
const settleMs = 2_000;
