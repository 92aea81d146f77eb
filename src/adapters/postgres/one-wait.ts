/** Limits how long related statements wait for the server in total (FT-07). */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ContextdError } from '../../errors.ts';
import { demandWithin } from '../../pace/within.ts';

/** `active`: the number of statements that wait now, since `sinceMs`. Time in which several wait counts once. */
type Waiting = { leftMs: number; active: number; sinceMs: number; isOver: boolean };

export type OneWait = {
  /**
   * All statements of `work` together may wait as long as a single one alone. Statements after the end of `work` count
   * alone.
   */
  together<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Sends a statement. `leftMs`: how long it may take. Throws `unavailable` if no time is left; if time runs out during
   * the statement, with the message `late`.
   */
  ask<Result>(asking: (leftMs: number) => Promise<Result>, late?: string): Promise<Result>;
};

/** Only waiting counts, not what a request does between two statements. */
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
      return askIn(waiting, asking, late);
    },
  };
}

const tooLong = 'PostgreSQL took too long.';

async function askIn<Result>(
  waiting: Waiting,
  asking: (leftMs: number) => Promise<Result>,
  late: string,
): Promise<Result> {
  const nowMs = performance.now();
  if (waiting.active === 0) waiting.sinceMs = nowMs;
  const leftMs = waiting.leftMs - (nowMs - waiting.sinceMs);
  if (leftMs <= 0) throw new ContextdError('unavailable', tooLong);
  waiting.active += 1;
  try {
    return await demandWithin(leftMs, asking(leftMs), () => new ContextdError('unavailable', late));
  } finally {
    waiting.active -= 1;
    if (waiting.active === 0) waiting.leftMs -= performance.now() - waiting.sinceMs;
  }
}
