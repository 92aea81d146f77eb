import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { processRuns, watchForRemoval } from '../../../src/bin/daemon/watchdogs.ts';

type Look = (error: { code: string } | null) => void;
const looks: Look[] = [];
const ofProcess = vi.hoisted(() => ({ stat: '' }));
vi.mock('node:fs', () => ({
  readFileSync: () => ofProcess.stat,
  stat: (_path: string, look: Look) => looks.push(look),
}));
beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('S-71 a file on a disk that does not answer is looked at once, so that its threads are left for others', () => {
  const onGone = vi.fn();
  const stop = watchForRemoval('/mnt/contextd/dist/serve.js', onGone);
  vi.advanceTimersByTime(5_000);
  expect(looks).toHaveLength(1);
  looks[0]?.(null);
  vi.advanceTimersByTime(500);
  expect(looks).toHaveLength(2);
  expect(onGone).not.toHaveBeenCalled();
  looks[1]?.({ code: 'ENOENT' });
  expect(onGone).toHaveBeenCalledOnce();
  stop();
});

it.each([
  ['S', 1, true],
  ['Z', 1, false],
  ['Z', 2, true],
] as const)('SY-01 a process in state %s with %i threads runs: %s', (state, threads, runs) => {
  ofProcess.stat = `${process.pid} (a) Z (b) ${state} 1 1 1 0 -1 4227084 97 0 0 0 0 0 0 0 20 0 ${threads} 0 589230`;
  expect(processRuns(process.pid)).toBe(runs);
});
