/** Compares patterns with the files of a tree. */

import { isInside } from '../access/paths.ts';
import type { Glob } from '../globs/globs.ts';

/** Call `step` at each comparison. It pauses from time to time, because all comparisons together can take long. */
export type Pace = { step(): Promise<void> | undefined };

const turnMs = 10;
/** Reading the time is slower than most comparisons. */
const stepsBetweenLooks = 32;

export function createPace(): Pace {
  let steps = 0;
  let turnStart = performance.now();
  return {
    step() {
      steps += 1;
      if (steps % stepsBetweenLooks !== 0 || performance.now() - turnStart < turnMs) return undefined;
      return new Promise((resolve) => {
        setImmediate(() => {
          turnStart = performance.now();
          resolve();
        });
      });
    },
  };
}

/** The first file that passes the test. */
export async function findFile(
  files: Iterable<string>,
  test: (path: string) => boolean,
  pace: Pace,
): Promise<string | undefined> {
  for (const path of files) {
    const pause = pace.step();
    if (pause) await pause;
    if (test(path)) return path;
  }
  return undefined;
}

/** Whether a pattern matches a file relative to `base`, or to any directory between `base` and the file. */
export function matchesBelow(glob: Glob, base: string, path: string): boolean {
  if (glob.isAbsolute) return glob.matches(path);
  if (!isInside(base, path)) return false;
  const start = base === '/' ? 0 : base.length;
  // A pattern with `**/` at the beginning matches from the base or not at all.
  if (glob.pattern.startsWith('**/')) return glob.matches(path.slice(start + 1));
  for (let at = start; at >= 0; at = path.indexOf('/', at + 1)) if (glob.matches(path.slice(at + 1))) return true;
  return false;
}
