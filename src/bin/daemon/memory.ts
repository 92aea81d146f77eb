/** Keeps the memory of the daemon small (S-83). */
import { constants, PerformanceObserver, performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';

/** Under 100 requests a second there is a collection each six seconds. */
const giveBack = { everyMs: 60_000, maxMs: 30_000 };

/**
 * By default V8 collects old objects only when they are several times what is in use, and keeps the memory. Here it
 * collects after a fifth more, so that a daemon that runs for weeks stays small, for some percent more time.
 *
 * V8 also puts objects among the old ones at once if earlier ones from the same place in the code were used for long.
 * Under load it takes the parts of requests for such objects. Each of them keeps its request until old objects are
 * collected, which costs a fifth of the time.
 */
export function keepMemorySmall(): void {
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString(spaceOfThreads);
  giveMemoryBack(giveBack);
}

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
