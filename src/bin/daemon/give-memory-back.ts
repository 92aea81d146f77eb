import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * The space for young objects of the main thread has its bounds when the process begins; threads that begin later, to count
 * tokens and to check against schemas, need little. V8 puts this above what a thread asks for itself.
 */
export const spaceOfThreads = '--max-semi-space-size=2';

/** Who does less takes nothing that could be given back. */
const minUtilization = 0.01;

/**
 * Gives back now and then what V8 keeps. Pages that a collection of old objects has emptied stay with the process for good,
 * so that it grows with each peak, unless the collection favours size. Always to do so costs a quarter of the throughput;
 * here only the next one does, once every `everyMs` in which there was work. V8 is not kept waiting for it longer than
 * `maxMs`, because code that is loaded meanwhile is not taken from the cache.
 */
export function giveMemoryBack({ everyMs, maxMs }: { everyMs: number; maxMs: number }): void {
  let limit: NodeJS.Timeout | undefined;
  const end = (): void => {
    collections.disconnect();
    clearTimeout(limit);
    setFlagsFromString('--no-optimize-for-size');
    // In Node.js 22 the flag takes this one with it.
    setFlagsFromString(spaceOfThreads);
  };
  const collections = new PerformanceObserver((list) => {
    const entries = list.getEntries() as unknown as { detail: { kind: number } }[];
    if (entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) end();
  });
  let seen = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, seen);
    seen = now;
    if (utilization < minUtilization) return;
    clearTimeout(limit);
    setFlagsFromString('--optimize-for-size');
    collections.observe({ entryTypes: ['gc'] });
    limit = setTimeout(end, maxMs).unref();
  }, everyMs).unref();
}
