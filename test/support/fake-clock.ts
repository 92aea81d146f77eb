import type { Clock } from '../../src/ports/ports.ts';

/**
 * A clock that stands still until a test moves it. `advance` moves wall clock and monotonic time; `setNow` only the
 * wall clock, as when a user or NTP sets it. Times in milliseconds, as the machine's clocks tell them:
 * whole ones by the wall clock, with a fraction by the monotonic one, on which each reading takes a moment.
 */
export type FakeClock = Clock & { advance(ms: number): void; setNow(now: number): void };

const readingMs = 0.000_3;

/** A fake clock that starts at `now`, default 2026-01-01T00:00:00Z. */
export function createFakeClock(now: number = Date.UTC(2026, 0, 1)): FakeClock {
  let wall = now;
  let monotonic = 1_234.567;
  return {
    now: () => wall,
    elapsed: () => (monotonic += readingMs),
    advance(ms) {
      wall += ms;
      monotonic += ms;
    },
    setNow(value) {
      wall = value;
    },
  };
}
