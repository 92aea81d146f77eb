import type { Clock } from '../ports.ts';
import { nextTurn } from '../turns.ts';

/** How long one turn of the event loop may be held. */
const mostHeldMs = 10;

/** Waits for the next turn of the event loop when this one was held for long. */
export type Pace = () => Promise<void> | undefined;

export function createPace(clock: Pick<Clock, 'elapsed'>): Pace {
  let begun = clock.elapsed();
  return () => {
    if (clock.elapsed() - begun < mostHeldMs) return undefined;
    return nextTurn().then(() => {
      begun = clock.elapsed();
    });
  };
}
