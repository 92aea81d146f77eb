import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchForRemoval } from '../../../src/bin/daemon/watchdogs.ts';

type Look = (error: { code: string } | null) => void;
const looks: Look[] = [];
vi.mock('node:fs', () => ({ readFileSync() {}, stat: (_path: string, look: Look) => looks.push(look) }));
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
