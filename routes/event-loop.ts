/** How late the event loop is. Looked at only while requests come, so that an idle daemon does not wake the machine. */
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';

/**
 * Of the last window, in milliseconds: how much later than due timers ran. `utilization` is the share of the time that the
 * event loop was at work. `longestMs` is the latest since the start. All are 0 after a minute without requests.
 */
export type EventLoopFigures = { meanMs: number; p99Ms: number; maxMs: number; longestMs: number; utilization: number };

export type EventLoopWatch = {
  /** To be called for each request. */
  wake(): void;
  readonly figures: EventLoopFigures;
  /** Whether it was late on average, in two windows one after the other. One long turn is no overload. */
  readonly isLate: boolean;
  stop(): void;
};

const resolutionMs = 20;
/** Windows without a request after which nothing is looked at. */
const idleWindows = 120;
const none: EventLoopFigures = { meanMs: 0, p99Ms: 0, maxMs: 0, longestMs: 0, utilization: 0 };

export function createEventLoopWatch(options: { windowMs?: number; lateMs: number }): EventLoopWatch {
  const { windowMs = 500, lateMs } = options;
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  let timer: NodeJS.Timeout | undefined;
  let quietWindows = 0;
  let lateWindows = 0;
  let before: EventLoopUtilization | undefined;
  let figures = none;

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
    histogram.disable();
    histogram.reset();
    lateWindows = 0;
    figures = { ...none, longestMs: figures.longestMs };
  };
  const look = (): void => {
    // What is recorded is the time from one tick to the next.
    const late = (nanoseconds: number) => Math.max(0, Math.round(nanoseconds / 1e4 - resolutionMs * 100) / 100);
    const now = performance.eventLoopUtilization();
    const maxMs = late(histogram.max);
    figures = {
      meanMs: histogram.count === 0 ? 0 : late(histogram.mean),
      p99Ms: late(histogram.percentile(99)),
      maxMs,
      longestMs: Math.max(figures.longestMs, maxMs),
      utilization: Math.round(performance.eventLoopUtilization(now, before).utilization * 1_000) / 1_000,
    };
    before = now;
    histogram.reset();
    lateWindows = figures.meanMs > lateMs ? lateWindows + 1 : 0;
    quietWindows += 1;
    if (quietWindows > idleWindows) stop();
  };

  return {
    wake() {
      quietWindows = 0;
      if (timer !== undefined) return;
      before = performance.eventLoopUtilization();
      histogram.enable();
      timer = setInterval(look, windowMs).unref();
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
