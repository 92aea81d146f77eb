/**
 * Which places a granted root reaches: path arithmetic only, no disk. Every implementation of `Files` decides by it.
 */

import type { ReachOptions, Root } from '../ports/ports.ts';
import { isInside, joinPath, normalizePath, relativePath } from './paths.ts';

/**
 * Where a path must really lie when no link leads to it: its place below the real path of every root that contains
 * it, deepest root first. Empty when it lies in none, or is not absolute and normalised (S-34).
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

/** Where a path below roots that were granted, or mounted, by a link lies by their real names. Policies know them by themselves. */
export function realNamesOf(path: string, roots: readonly Root[]): string[] {
  return roots
    .filter((root) => root.path !== root.realPath && isInside(root.path, path))
    .map((root) => joinPath(root.realPath, relativePath(root.path, path)));
}

/** True when a path lies below one of the roots by the name that was granted or by the real one. Links are another question. */
export function isInRoots(path: string, roots: readonly Root[]): boolean {
  return rootsAround(path, roots).length > 0;
}

/** The roots that a path lies below, by either name. */
export function rootsAround(path: string, roots: readonly Root[]): Root[] {
  return roots.filter((root) => isInside(root.path, path) || isInside(root.realPath, path));
}

/** True when a path, all links resolved, lies in the real directory of one of the roots. */
export function liesInRoots(realPath: string, roots: readonly Root[]): boolean {
  return roots.some((root) => isInside(root.realPath, realPath));
}

/**
 * True for a place the kernel makes up (S-41). A root that itself lies below `/dev`, as a workspace in `/dev/shm`,
 * was granted with open eyes and is no such place.
 */
export function isKernelPlace(realPath: string, roots: readonly Root[]): boolean {
  const directory = ['/proc', '/sys', '/dev'].find((kernel) => isInside(kernel, realPath));
  if (directory === undefined) return false;
  return !roots.some((root) => isInside(directory, root.realPath) && isInside(root.realPath, realPath));
}

/** The refusal code of a place that turned out to be another than the one asked for: a link led there. */
export function misplacedCode(realPath: string, options: ReachOptions): 'symlink' | 'outside_roots' {
  return liesInRoots(realPath, options.roots) ? 'symlink' : 'outside_roots';
}
