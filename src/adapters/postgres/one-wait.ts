/** How long all that belongs together may wait for the server, however often it asks (FT-07). */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ContextdError } from '../../errors.ts';
import { within } from '../../pace/within.ts';

/** `active`: how many ask just now, since `sinceMs`; what waits at the same time is counted once. */
type Waiting = { leftMs: number; active: number; sinceMs: number; isOver: boolean };

export type OneWait = {
  /** All that `work` asks waits together as long as one that asks alone may. What goes on after its end is alone. */
  together<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Asks; `leftMs` is how long it may take. Throws `unavailable` when that is over, and in the middle of it says `late`. */
  ask<Result>(asking: (leftMs: number) => Promise<Result>, late?: string): Promise<Result>;
};

/** Only the waiting counts: what a request does between two questions is its own affair. */
export function createOneWait(maxMs: number): OneWait {
  const current = new AsyncLocalStorage<Waiting>();
  return {
    async together(work) {
      const waiting: Waiting = { leftMs: maxMs, active: 0, sinceMs: 0, isOver: false };
      try {
        return await current.run(waiting, work);
      } finally {
        waiting.isOver = true;
      }
    },
    async ask(asking, late = tooLong) {
      const waiting = current.getStore();
      if (waiting === undefined || waiting.isOver) return asking(maxMs);
      const answer = await askIn(waiting, asking);
      if (answer === undefined) throw new ContextdError('unavailable', late);
      return answer.result;
    },
  };
}

const tooLong = 'PostgreSQL took too long.';

/** Undefined when it is not answered in time. */
async function askIn<Result>(
  waiting: Waiting,
  asking: (leftMs: number) => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  const nowMs = performance.now();
  if (waiting.active === 0) waiting.sinceMs = nowMs;
  const leftMs = waiting.leftMs - (nowMs - waiting.sinceMs);
  if (leftMs <= 0) throw new ContextdError('unavailable', tooLong);
  waiting.active += 1;
  try {
    const answered = asking(leftMs).then((result) => ({ result }));
    return await within(leftMs, answered);
  } finally {
    waiting.active -= 1;
    if (waiting.active === 0) waiting.leftMs -= performance.now() - waiting.sinceMs;
  }
}
