/** A mount whose server is gone. */
import { onTestFinished, vi } from 'vitest';
import type { MemoryFiles } from './memory-files.ts';

/** From now on a look below `directory` does not end before `comeBack`. Timers that are waited for end at once. */
export function dieBelow(directory: string, files: MemoryFiles) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.setTimerTickMode('nextTimerAsync');
  onTestFinished(() => void vi.useRealTimers());
  const { stat, realPath } = files;
  const { promise, resolve } = Promise.withResolvers<void>();
  let looks = 0;
  const waiting =
    <Found>(look: (path: string) => Promise<Found>) =>
    async (path: string): Promise<Found> => {
      if (path !== directory && !path.startsWith(`${directory}/`)) return look(path);
      looks += 1;
      await promise;
      return look(path);
    };
  Object.assign(files, { stat: waiting(stat), realPath: waiting(realPath) });
  return {
    looks: () => looks,
    async comeBack() {
      Object.assign(files, { stat, realPath });
      resolve();
      await new Promise(setImmediate);
    },
  };
}
