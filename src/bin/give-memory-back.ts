import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * Gives back now and then what V8 keeps. Pages that a collection of old objects has emptied stay with the process for good,
 * so that it grows with each peak, unless the collection favours size. Always to do so costs a quarter of the throughput;
 * here only the next one does, once every `everyMs`. Where nothing is collected, nothing is done.
 */
export function giveMemoryBack(everyMs: number): void {
  const collections = new PerformanceObserver((list) => {
    const entries = list.getEntries() as unknown as { detail: { kind: number } }[];
    if (!entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return;
    setFlagsFromString('--no-optimize-for-size');
    collections.disconnect();
  });
  setInterval(() => {
    setFlagsFromString('--optimize-for-size');
    collections.observe({ entryTypes: ['gc'] });
  }, everyMs).unref();
}
