import { expect } from 'vitest';

/**
 * Does the work, which must take well less than the event loop can bear. Time of the processor, not of the clock: a busy
 * machine is no failure.
 */
export function expectQuick<T>(run: () => T, mostMs = 1_000): T {
  const before = process.threadCpuUsage();
  const result = run();
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(mostMs);
  return result;
}
