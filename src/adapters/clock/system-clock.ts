import type { Clock } from '../../ports/ports.ts';

/** The machine's clocks. */
export function createSystemClock(): Clock {
  return { now: () => Date.now(), elapsed: () => performance.now() };
}
