import { nextTurn } from '../turns.ts';

/** How long one turn of the event loop may be held. */
const mostHeldMs = 8;

/** Lets others have the event loop when it was held for long. */
export type Pause = () => Promise<void> | undefined;

export function createPause(): Pause {
  let sinceMs = performance.now();
  return () => {
    if (performance.now() - sinceMs < mostHeldMs) return undefined;
    return nextTurn().then(() => {
      sinceMs = performance.now();
    });
  };
}
