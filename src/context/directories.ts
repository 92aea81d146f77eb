/** Which context directories apply for an AI working directory (spec 1, scopes; CC-19 … CC-23). */
import { baseName, directoriesBetween, isInside, joinPath, parentPath, relativePath } from '../paths.ts';
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
    ? directoriesBetween(mountedDirectory, workingDirectory)
    : scopes.has('static')
      ? [mountedDirectory]
      : [];
  for (const [depth, owner] of owners.entries()) {
    const scope = owner === mountedDirectory ? 'static' : 'dynamic';
    planned.push({ scope, owner, path: joinPath(owner, clientContextPath), depth });
  }
  return planned.filter(
    (directory, index) => planned.findLastIndex((other) => other.path === directory.path) === index,
  );
}

/** CC-20: what the static scope falls back to when the mounted directory has no context directory. */
export function staticFallback(options: {
  mountedDirectory: string;
  workingDirectory: string;
  clientContextPath: string;
}): ContextDirectory {
  const { mountedDirectory, workingDirectory, clientContextPath } = options;
  const relative = relativePath(mountedDirectory, workingDirectory);
  return {
    scope: 'static',
    owner: workingDirectory,
    path: joinPath(workingDirectory, clientContextPath),
    depth: relative === '.' ? 0 : relative.split('/').length,
  };
}

/** Directories whose being links would lead elsewhere: the owners on the way, and the way from an owner to its context directory. */
export function directoriesOnTheWay(directory: ContextDirectory, mountedDirectory: string): string[] {
  const { owner, path, scope } = directory;
  const owners =
    scope === 'global' || owner === mountedDirectory ? [] : directoriesBetween(mountedDirectory, owner).slice(1);
  const inner = isInside(owner, path) && path !== owner ? directoriesBetween(owner, parentPath(path)).slice(1) : [];
  return [...owners, ...inner, path];
}

/** Names in a context directory that are configuration, weakest first, and are never context (CC-07, CC-08). */
export const configFileNames = ['config.yml', 'config.yaml', 'config.json', 'context-config.json'] as const;

export function isConfigFile(path: string, contextDirectory: string): boolean {
  return parentPath(path) === contextDirectory && (configFileNames as readonly string[]).includes(baseName(path));
}
