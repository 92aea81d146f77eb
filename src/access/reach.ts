/**
 * Which places a granted root contains. Path arithmetic only, without disk access. Every implementation of `Files` uses
 * it.
 */

import type { ReachOptions, Root } from '../ports/ports.ts';
import { isInside, joinPath, normalizePath, relativePath } from './paths.ts';

/**
 * The real places that a path has if no link is on the way: its place below the real path of each root that contains
 * it, deepest root first. Empty if no root contains it, or if it is not absolute and normalised (S-34).
 */
export function placesInRoots(absolutePath: string, roots: readonly Root[]): string[] {
  if (normalizePath(absolutePath) !== absolutePath) return [];
  const places = new Set<string>();
  for (const root of roots.toSorted((a, b) => b.path.length - a.path.length)) {
    if (isInside(root.path, absolutePath)) places.add(joinPath(root.realPath, relativePath(root.path, absolutePath)));
    if (isInside(root.realPath, absolutePath)) places.add(absolutePath);
  }
  return [...places];
}

/** The real names of a path below roots that were granted, or mounted, through a link. Policies use the real names. */
export function realNamesOf(path: string, roots: readonly Root[]): string[] {
  return roots
    .filter((root) => root.path !== root.realPath && isInside(root.path, path))
    .map((root) => joinPath(root.realPath, relativePath(root.path, path)));
}

/** The path by all names of the roots that contain it: as it is given, the real names, and the granted ones (AN-03). */
export function allNamesOf(path: string, roots: readonly Root[]): string[] {
  const linked = roots.filter((root) => root.path !== root.realPath);
  if (linked.length === 0) return [path];
  const names = new Set([path, ...realNamesOf(path, linked)]);
  for (const name of [...names])
    for (const root of linked)
      if (isInside(root.realPath, name)) names.add(joinPath(root.path, relativePath(root.realPath, name)));
  return [...names];
}

/** True if a path is below one of the roots, by the granted name or the real one. Does not consider links. */
export function isInRoots(path: string, roots: readonly Root[]): boolean {
  return rootsAround(path, roots).length > 0;
}

/** The roots that contain a path, by the granted name or the real one. */
export function rootsAround(path: string, roots: readonly Root[]): Root[] {
  return roots.filter((root) => isInside(root.path, path) || isInside(root.realPath, path));
}

/** A reach that follows links too, inside the roots around a path: its name is fixed, and may be a link (FM-06). */
export function followingAt<Reach extends ReachOptions>(path: string, reach: Reach): Reach {
  return reach.followSymlinks ? reach : { ...reach, followSymlinks: true, roots: rootsAround(path, reach.roots) };
}

/** True if a path, with all links resolved, is in the real directory of one of the roots. */
export function liesInRoots(realPath: string, roots: readonly Root[]): boolean {
  return roots.some((root) => isInside(root.realPath, realPath));
}

/**
 * True for a path in a file system of the kernel (S-41). False below a root that is itself in `/dev`, such as a
 * workspace in `/dev/shm`: the user granted it on purpose.
 */
export function isKernelPlace(realPath: string, roots: readonly Root[]): boolean {
  const directory = ['/proc', '/sys', '/dev'].find((kernel) => isInside(kernel, realPath));
  if (directory === undefined) return false;
  return !roots.some((root) => isInside(directory, root.realPath) && isInside(root.realPath, realPath));
}

/** The refusal code if a link led to another place than the requested one. */
export function misplacedCode(realPath: string, options: ReachOptions): 'symlink' | 'outside_roots' {
  return liesInRoots(realPath, options.roots) ? 'symlink' : 'outside_roots';
}
