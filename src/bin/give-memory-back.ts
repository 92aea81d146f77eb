import { constants, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * Gives back now and then what V8 keeps. Pages that a collection of old objects has emptied stay with the process for good,
 * so that it grows with each peak, unless the collection is told to save memory. Always to do so costs a quarter of the
 * throughput; here only the next one does, once every `everyMs`. Where nothing is collected, nothing is done.
 */
export function giveMemoryBack(everyMs: number): void {
  const collections = new PerformanceObserver((list) => {
    const entries = list.getEntries() as unknown as { detail: { kind: number } }[];
    if (!entries.some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR)) return;
    setFlagsFromString('--no-memory-saver-mode');
    collections.disconnect();
  });
  setInterval(() => {
    setFlagsFromString('--memory-saver-mode');
    collections.observe({ entryTypes: ['gc'] });
  }, everyMs).unref();
}
