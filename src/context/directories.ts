/** Context directories, and the way to them (CC-19 … CC-23). */
import { baseName, directoriesBetween, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { fixedLimits } from '../settings.ts';
import type { Scope } from './item-values.ts';

/**
 * A directory that is searched for context files. `depth` orders directories from least to most specific: -1 for the
 * global scope, otherwise the number of levels from the mounted directory down to `owner`.
 */
export type ContextDirectory = Readonly<{ scope: Scope; owner: string; path: string; depth: number }>;

/** The mounted directory and the nearest ones on the way to the working directory, in this order. */
export function ownersBetween(mountedDirectory: string, workingDirectory: string): string[] {
  const nearest: string[] = [];
  for (let path = workingDirectory; path !== mountedDirectory; path = parentPath(path)) {
    if (nearest.push(path) === fixedLimits.context.owners - 1) break;
  }
  return [mountedDirectory, ...nearest.reverse()];
}

/** The context directory that an owner, the mounted directory or one below it, has or would have. */
export function contextDirectoryOf(
  owner: string,
  { mountedDirectory, clientContextPath }: { mountedDirectory: string; clientContextPath: string },
): ContextDirectory {
  const depth = levelsBelow(mountedDirectory, owner);
  return { scope: depth === 0 ? 'static' : 'dynamic', owner, path: joinPath(owner, clientContextPath), depth };
}

/** Directories from an owner to its context directory. If one of them is a link, the way leads elsewhere. */
export function directoriesOnTheWay({ owner, path }: ContextDirectory): string[] {
  const inner = isInside(owner, path) && path !== owner ? directoriesBetween(owner, parentPath(path)).slice(1) : [];
  return [...inner, path];
}

/** Names of configurations in a context directory, weakest first. They are never context (CC-07, CC-08). */
export const configFileNames = ['config.yml', 'config.yaml', 'config.json', 'context-config.json'] as const;

export function isConfigFile(path: string, contextDirectory: string): boolean {
  return parentPath(path) === contextDirectory && (configFileNames as readonly string[]).includes(baseName(path));
}

/** The number of levels from `top` down to a directory. */
export function levelsBelow(top: string, directory: string): number {
  const relative = relativePath(top, directory);
  return relative === '.' ? 0 : relative.split('/').length;
}
