/** Which context directories apply for an AI working directory (CC-19 … CC-23). */
import { baseName, directoriesBetween, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { maxOwners } from '../access/world.ts';
import type { Scope } from './context-file.ts';

/**
 * A directory in which context files are sought. `depth` orders from least to most specific: -1 for the global scope,
 * else the number of levels that `owner` lies below the mounted directory.
 */
export type ContextDirectory = Readonly<{ scope: Scope; owner: string; path: string; depth: number }>;

/**
 * CC-19: `<base>/<clientContextPath>`, or `base` itself when it already ends with the client context path.
 */
export function globalContextDirectory(base: string, clientContextPath: string): ContextDirectory {
  const appended = joinPath(base, clientContextPath);
  const suffix = `/${clientContextPath}`;
  if (!clientContextPath.split('/').includes('..') && base.endsWith(suffix)) {
    return { scope: 'global', owner: base.slice(0, -suffix.length) || '/', path: base, depth: -1 };
  }
  return { scope: 'global', owner: base, path: appended, depth: -1 };
}

/**
 * Context directories for one working directory, weakest first. The mounted directory's is `static`, those below it are
 * `dynamic`. A directory that is reached twice is kept where it is most specific.
 */
export function planContextDirectories(options: {
  mountedDirectory: string;
  workingDirectory: string;
  clientContextPath: string;
  scopes: ReadonlySet<Scope>;
  global: ContextDirectory;
}): ContextDirectory[] {
  const { mountedDirectory, workingDirectory, clientContextPath, scopes, global } = options;
  const planned: ContextDirectory[] = scopes.has('global') ? [global] : [];
  const owners = scopes.has('dynamic')
    ? ownersBetween(mountedDirectory, workingDirectory)
    : scopes.has('static')
      ? [mountedDirectory]
      : [];
  const levels = levelsBelow(mountedDirectory, workingDirectory);
  for (const [index, owner] of owners.entries()) {
    const depth = index === 0 ? 0 : levels - (owners.length - 1 - index);
    const scope = owner === mountedDirectory ? 'static' : 'dynamic';
    planned.push({ scope, owner, path: joinPath(owner, clientContextPath), depth });
  }
  const last = new Map(planned.map((directory) => [directory.path, directory]));
  return planned.filter((directory) => last.get(directory.path) === directory);
}

/** The mounted directory and the nearest ones on the way to the working directory, in this order. */
export function ownersBetween(mountedDirectory: string, workingDirectory: string): string[] {
  const nearest: string[] = [];
  for (let path = workingDirectory; path !== mountedDirectory; path = parentPath(path)) {
    if (nearest.push(path) === maxOwners - 1) break;
  }
  return [mountedDirectory, ...nearest.reverse()];
}

/** CC-20: what the static scope falls back to when the mounted directory has no context directory. */
export function staticFallback(options: {
  mountedDirectory: string;
  workingDirectory: string;
  clientContextPath: string;
}): ContextDirectory {
  const { mountedDirectory, workingDirectory, clientContextPath } = options;
  return {
    scope: 'static',
    owner: workingDirectory,
    path: joinPath(workingDirectory, clientContextPath),
    depth: levelsBelow(mountedDirectory, workingDirectory),
  };
}

/** Directories whose being links would lead elsewhere, on the way from an owner to its context directory. */
export function directoriesOnTheWay({ owner, path }: ContextDirectory): string[] {
  const inner = isInside(owner, path) && path !== owner ? directoriesBetween(owner, parentPath(path)).slice(1) : [];
  return [...inner, path];
}

/** Names in a context directory that are configuration, weakest first, and are never context (CC-07, CC-08). */
export const configFileNames = ['config.yml', 'config.yaml', 'config.json', 'context-config.json'] as const;

export function isConfigFile(path: string, contextDirectory: string): boolean {
  return parentPath(path) === contextDirectory && (configFileNames as readonly string[]).includes(baseName(path));
}

/** How many levels a directory lies below another. */
export function levelsBelow(top: string, directory: string): number {
  const relative = relativePath(top, directory);
  return relative === '.' ? 0 : relative.split('/').length;
}
