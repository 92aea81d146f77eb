import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/**
 * The space for young objects of the main thread is fixed when the process begins. Later threads, which count tokens
 * and check against schemas, need little. V8 prefers this setting to what a thread asks for itself.
 */
export const spaceOfThreads = '--max-semi-space-size=2';

/** With less work than this, there is no memory to give back. */
const minUtilization = 0.01;

/**
 * Gives memory of V8 back from time to time. V8 keeps pages that a collection of old objects has emptied, so the
 * process grows with each peak, unless the collection favours size. Favouring size always costs a quarter of the
 * throughput; here only the next collection does, once every `everyMs` with work. V8 waits at most `maxMs` for it,
 * because code that is loaded meanwhile does not come from the cache.
 */
export function giveMemoryBack({ everyMs, maxMs }: { everyMs: number; maxMs: number }): void {
  let limit: NodeJS.Timeout | undefined;
  const end = (): void => {
    collections.disconnect();
    clearTimeout(limit);
    setFlagsFromString('--no-optimize-for-size');
    // In Node.js 22, the flag above resets this one, too.
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
