/** The real place of a path, even if the path does not exist. */
import type { Files } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import { directoriesBetween, joinPath, parentPath, relativePath } from './paths.ts';

/**
 * Resolves the nearest existing directory above the path. `mayLook` is asked before each look; a path needs at most as
 * many looks as it has directories. Returns undefined if `mayLook` refuses first.
 */
export async function realPlaceOf(
  absolutePath: string,
  look: Files['realPath'],
  mayLook: () => boolean = countdown(fixedLimits.context.placeLooks),
): Promise<string | undefined> {
  for (let above = absolutePath; mayLook(); above = parentPath(above)) {
    const real = await look(above);
    if (real.ok) return joinPath(real.realPath, relativePath(above, absolutePath));
    if (above === '/') break;
  }
  return undefined;
}

/**
 * The real place of a path that does not exist, and the first name on the way that leads to nothing. Halves the way, so
 * that a long path needs few looks: below a missing directory everything is missing.
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

function countdown(times: number): () => boolean {
  let left = times;
  return () => left-- > 0;
}
