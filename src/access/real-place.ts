/** The real place of a path, even if the path does not exist. */
import type { Files } from '../ports/ports.ts';
import { directoriesBetween, joinPath, parentPath, relativePath } from './paths.ts';

/** The real path of a path that exists. Undefined if it does not, or cannot be read. */
export async function realPathOf(path: string, look: Files['realPath']): Promise<string | undefined> {
  const real = await look(path);
  return real.ok ? real.realPath : undefined;
}

/** By the nearest directory above that exists. Undefined if not even the root of the file system can be read. */
export async function realPlaceOf(absolutePath: string, look: Files['realPath']): Promise<string | undefined> {
  return (await realPathOf(absolutePath, look)) ?? (await nearestPlaceOf(absolutePath, look))?.place;
}

/**
 * The real place of a path that does not exist, and the first name on the way that leads to nothing. Halves the way, so
 * that a path with thousands of directories needs few looks: everything below a missing or refused directory counts as
 * missing.
 */
export async function nearestPlaceOf(
  absolutePath: string,
  look: Files['realPath'],
): Promise<{ place: string; firstMissing: string } | undefined> {
  const way = directoriesBetween('/', parentPath(absolutePath));
  let place: string | undefined;
  let [first, end] = [0, way.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    const above = way[middle] as string;
    const real = await look(above);
    if (!real.ok) end = middle;
    else {
      place = joinPath(real.realPath, relativePath(above, absolutePath));
      first = middle + 1;
    }
  }
  return place === undefined ? undefined : { place, firstMissing: way[end] ?? absolutePath };
}
