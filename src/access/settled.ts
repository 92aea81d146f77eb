import type { Clock, FileStat } from '../ports/ports.ts';

/**
 * A signature can be trusted if the last change is older than this at the time of reading. A newer file or directory
 * can be changed again within one step of the file system's clock, with the same signature. The coarsest clocks in use
 * have steps of two seconds.
 */
const settleMs = 2_000;

export function isSettled({ changedAtMs }: FileStat, clock: Pick<Clock, 'now'>): boolean {
  return clock.now() - changedAtMs > settleMs;
}
