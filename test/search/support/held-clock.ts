/** Clocks for the time of one test, and turns of the event loop. */
import { setImmediate } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

function replaceClock(look: () => number): void {
  const clock = vi.spyOn(performance, 'now').mockImplementation(look);
  onTestFinished(() => clock.mockRestore());
}

/** However slow this machine is, nobody has held his turn for long. Time passes only where a test says so. */
export function holdClock(): { nowMs: number } {
  const held = { nowMs: performance.now() };
  replaceClock(() => held.nowMs);
  return held;
}

/** Whoever looks at the clock has held his turn for long. */
export function rushClock(): void {
  let nowMs = performance.now();
  replaceClock(() => (nowMs += 10));
}

/** Whatever can go on has gone on. */
export async function settled(turns = 50): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
}
