/**
 * The delay of the event loop. It is measured only while requests arrive, so that an idle daemon does not wake the
 * machine. It uses its own timer, because resetting the histogram of Node.js loses the delay of that moment: if turns
 * are longer than a window, the histogram would see none of them.
 */
import type { EventLoopUtilization, performance as nodePerformance } from 'node:perf_hooks';

// The console is checked with the types of a browser, in which the global object has fewer members.
const { performance } = globalThis as unknown as { performance: typeof nodePerformance };

/**
 * Values of the last window in milliseconds: how much later than planned a timer ran. `utilization`: share of the time
 * in which the event loop was busy. `longestMs`: the longest delay since the start. After a minute without requests,
 * the others are 0.
 */
type EventLoopFigures = { meanMs: number; p99Ms: number; maxMs: number; longestMs: number; utilization: number };

export type EventLoopWatch = {
  /** Call this for each request. */
  wake(): void;
  readonly figures: EventLoopFigures;
  /** Whether the mean delay was high in two windows in a row. One long turn is not an overload. */
  readonly isLate: boolean;
  stop(): void;
};

const tickMs = 20;

/** `idleMs`: how long it is measured after a request. */
export function createEventLoopWatch(options: { windowMs?: number; idleMs?: number; lateMs: number }): EventLoopWatch {
  const { windowMs = 500, idleMs = 60_000, lateMs } = options;
  let timer: NodeJS.Timeout | undefined;
  let delays: number[] = [];
  let lastTick = 0;
  let windowStart = 0;
  let requestedAt = 0;
  let hasRequests = false;
  let lateWindows = 0;
  let before: EventLoopUtilization | undefined;
  let figures: EventLoopFigures = { meanMs: 0, p99Ms: 0, maxMs: 0, longestMs: 0, utilization: 0 };

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    lateWindows = 0;
    figures = { ...figures, meanMs: 0, p99Ms: 0, maxMs: 0, utilization: 0 };
  };
  const close = (now: number): void => {
    const sorted = delays.sort((a, b) => a - b);
    const at = (share: number) => rounded(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
    const used = performance.eventLoopUtilization();
    const maxMs = at(1);
    figures = {
      meanMs: rounded(sorted.reduce((sum, delay) => sum + delay, 0) / sorted.length),
      p99Ms: at(0.99),
      maxMs,
      longestMs: Math.max(figures.longestMs, maxMs),
      utilization: Math.round(performance.eventLoopUtilization(used, before).utilization * 1_000) / 1_000,
    };
    before = used;
    lateWindows = figures.meanMs > lateMs ? lateWindows + 1 : 0;
    delays = [];
    windowStart = now;
  };
  const tick = (): void => {
    const now = performance.now();
    delays.push(Math.max(0, now - lastTick - tickMs));
    lastTick = now;
    if (now - windowStart >= windowMs) close(now);
    if (hasRequests) requestedAt = now;
    hasRequests = false;
    if (now - requestedAt > idleMs) stop();
  };

  return {
    wake() {
      hasRequests = true;
      if (timer !== undefined) return;
      before = performance.eventLoopUtilization();
      delays = [];
      requestedAt = windowStart = lastTick = performance.now();
      timer = setInterval(tick, tickMs).unref();
    },
    get figures() {
      return figures;
    },
    get isLate() {
      return lateWindows >= 2;
    },
    stop,
  };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 100) / 100;
}
