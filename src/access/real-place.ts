/** The real place of a path, even if the path does not exist. */
import type { Files, Root } from '../ports/ports.ts';
import { directoriesBetween, isInside, joinPath, parentPath, relativePath } from './paths.ts';
import { liesInRoots } from './reach.ts';

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

type Looks = Pick<Files, 'realPath' | 'stat'>;

/**
 * The real place of a path, also of one that does not exist; or the `link` on the way that leads to nothing. Undefined
 * if nothing may be read there.
 */
export async function whereItLeads(path: string, looks: Looks): Promise<string | { link: string } | undefined> {
  const real = await looks.realPath(path);
  if (real.ok) return real.realPath;
  const nearest = real.code === 'outside_roots' ? undefined : await nearestPlaceOf(path, looks.realPath);
  if (nearest === undefined) return undefined;
  const { place, firstMissing } = nearest;
  const [there, missing] = await Promise.all([looks.realPath(firstMissing), looks.stat(firstMissing)]);
  if (!there.ok && there.code === 'outside_roots') return undefined;
  return missing.ok && missing.kind === 'symlink' ? { link: firstMissing } : place;
}

/**
 * Whether a link on the way leads out of the granted roots. One that leads to nothing could lead there, so it counts as
 * well: no answer may tell whether something exists outside. The user granted the links on the way to a root.
 */
export async function leadsOutside(path: string, roots: readonly Root[], looks: Looks): Promise<boolean> {
  const led = await whereItLeads(path, looks);
  if (led === undefined) return true;
  if (typeof led === 'string') return !liesInRoots(led, roots);
  return !roots.some((root) => isInside(led.link, root.path));
}
