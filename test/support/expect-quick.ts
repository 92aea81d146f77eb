import { expect } from 'vitest';

/** `npm run mutation` runs code that counts its own steps. Its times say nothing, so all are 0. */
const isTimed = process.env.CONTEXTD_UNTIMED === undefined;

function millisecondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return isTimed ? (user + system) / 1_000 : 0;
}

/** The time of the processor that the work takes in this thread, in milliseconds: a busy machine makes it little longer. */
export function processorMs(run: () => unknown): number {
  const spentMs = startProcessorClock();
  run();
  return spentMs();
}

/** As `processorMs`, from now on. */
export function startProcessorClock(): () => number {
  const before = process.threadCpuUsage();
  return () => millisecondsSince(before);
}

const runs = 3;

/**
 * Does the work, which must take well less of the processor than the event loop can bear. One of three runs may say so:
 * others pay for the garbage of other tests, and for code that is not compiled yet.
 */
export function expectQuick<T>(run: () => T, maxMs = 1_000): T {
  let result: T | undefined;
  const once = () =>
    processorMs(() => {
      result = run();
    });
  let shortestMs = once();
  for (let again = 1; again < runs && shortestMs >= maxMs; again++) shortestMs = Math.min(shortestMs, once());
  expect(shortestMs).toBeLessThan(maxMs);
  return result as T;
}

/**
 * The longest turn of the event loop until the work is done: the time of the processor it takes, in milliseconds. Of
 * several `runs` the one whose longest turn is the shortest: the garbage of other tests is collected in some of them only.
 */
export async function longestTurnMs(work: () => Promise<unknown>, runs = 1): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) shortest = Math.min(shortest, await longestTurnOf(work));
  return shortest;
}

async function longestTurnOf(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      const before = process.threadCpuUsage();
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, millisecondsSince(before));
    }
  })();
  await work().finally(() => {
    isDone = true;
  });
  await watching;
  return longest;
}
