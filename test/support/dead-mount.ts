/** A mount whose server is gone. */
import { onTestFinished, vi } from 'vitest';
import type { MemoryFiles } from './memory-files.ts';

/** From now on a call below `directory` does not end before `comeBack`. Timers that are waited for end at once. */
export function dieBelow(directory: string, files: MemoryFiles) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.setTimerTickMode('nextTimerAsync');
  onTestFinished(() => void vi.useRealTimers());
  const { stat, statSoon, realPath, list, read, hash } = files;
  const { promise, resolve } = Promise.withResolvers<void>();
  let looks = 0;
  const isDead = (path: string): boolean => path === directory || path.startsWith(`${directory}/`);
  const waiting =
    <Asked extends unknown[], Found>(look: (path: string, ...asked: Asked) => Promise<Found>) =>
    async (path: string, ...asked: Asked): Promise<Found> => {
      if (!isDead(path)) return look(path, ...asked);
      looks += 1;
      await promise;
      return look(path, ...asked);
    };
  const dying = {
    stat: waiting(stat),
    realPath: waiting(realPath),
    list: waiting(list),
    read: waiting(read),
    hash: waiting(hash),
  };
  Object.assign(files, dying, { statSoon: (path: string) => (isDead(path) ? dying.stat(path) : statSoon(path)) });
  return {
    looks: () => looks,
    async comeBack() {
      Object.assign(files, { stat, statSoon, realPath, list, read, hash });
      resolve();
      await new Promise(setImmediate);
    },
  };
}
