/** Visits the files of a tree, and compares patterns with them. Pauses, because there can be very many. */

import { isInside, relativePath } from '../access/paths.ts';
import type { Glob } from '../globs/globs.ts';
import { createPause, type Pause } from '../pace/turns.ts';

/** Reading the time is slower than most comparisons. */
const filesBetweenPauses = 32;

/** The first file that passes the test. */
export async function findFile(
  files: Iterable<string>,
  test: (path: string) => boolean,
  pause: Pause = createPause(),
): Promise<string | undefined> {
  let tested = 0;
  for (const path of files) {
    const turn = tested % filesBetweenPauses === 0 ? pause() : undefined;
    if (turn) await turn;
    if (test(path)) return path;
    tested += 1;
  }
  return undefined;
}

export async function visitFiles(files: Iterable<string>, visit: (path: string) => void, pause: Pause): Promise<void> {
  const visitOnly = (path: string): boolean => {
    visit(path);
    return false;
  };
  await findFile(files, visitOnly, pause);
}

/** Whether a pattern matches a file relative to `base`, which must contain the file. */
export function matchesFrom(glob: Glob, base: string, path: string): boolean {
  if (glob.isAbsolute) return glob.matches(path);
  return isInside(base, path) && glob.matches(relativePath(base, path));
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
