import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { whileItMayCome } from '../../src/search/while-it-may-come.ts';

/** Ten looks in the eight seconds that a search waits. */
const options = { limitMs: 8_000, lookMs: 800 };

/** What comes of `total` chunks, so many a second, after a model was loaded for `loadMs`; undefined until then. */
function coming(total: number, perSecond: number, loadMs = 0) {
  const startMs = performance.now() + loadMs;
  return async () => {
    const runMs = performance.now() - startMs;
    return runMs < 0 ? undefined : Math.max(0, total - Math.floor((runMs * perSecond) / 1_000));
  };
}

/** How long it waits for what takes `workMs`, and what comes of it. */
async function wait(workMs: number, comingOf: () => Promise<number | undefined>) {
  const startMs = performance.now();
  const work = new Promise<string>((resolve) => setTimeout(() => resolve('result'), workMs));
  const waiting = whileItMayCome(work, { ...options, comingOf }).then((result) => ({
    result,
    tookMs: performance.now() - startMs,
  }));
  await vi.advanceTimersByTimeAsync(60_000);
  return waiting;
}

describe('waiting for what is indexed', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('SS-11 waits for what comes in time, also where the model has to be loaded first', async () => {
    expect(await wait(7_000, coming(700, 100))).toEqual({ result: 'result', tookMs: 7_000 });
    expect(await wait(7_500, coming(450, 100, 3_000))).toEqual({ result: 'result', tookMs: 7_500 });
  });

  it('SS-11 does not wait for what cannot come in time', async () => {
    const { result, tookMs } = await wait(50_000, coming(5_000, 100));
    expect(result).toBeUndefined();
    expect(tookMs).toBeLessThan(2_000);
  });

  it('SS-11 waits no longer than it may where nothing is known, or nothing comes', async () => {
    for (const comingOf of [async () => undefined, async () => 100, async () => Promise.reject(new Error('no'))])
      expect(await wait(50_000, comingOf)).toEqual({ result: undefined, tookMs: 8_000 });
  });

  it('passes on why the work failed', async () => {
    const failed = whileItMayCome(Promise.reject(new Error('broken')), { ...options, comingOf: async () => 1 });
    await expect(failed).rejects.toThrow('broken');
  });
});
