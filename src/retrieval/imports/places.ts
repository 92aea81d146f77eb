/** Questions about a workspace that the rules of several languages share. */

import { directoriesBetween, isInside, joinPath, parentPath, pathBelow } from '../../access/paths.ts';
import { onceForEach } from '../../pace/once-for-each.ts';
import type { Steps } from '../../pace/turns.ts';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { fixedLimits } from '../../settings.ts';
import type { ImportTarget, Lookup, NoTarget, ResolvedImport } from './import.ts';
import { namesIn, withoutComments } from './plain-reading.ts';

/** The directories from the file's own up to the mounted directory. Empty if the file is elsewhere. */
export function directoriesAbove(file: string, lookup: Lookup): string[] {
  return directoriesFrom(parentPath(file), lookup);
}

/** The directory and those above it, up to the mounted directory. Empty if it is elsewhere. */
export function directoriesFrom(directory: string, { mountedDirectory }: Lookup): string[] {
  return isInside(mountedDirectory, directory) ? directoriesBetween(mountedDirectory, directory).reverse() : [];
}

/** The first of the paths that is a file. */
export async function firstFile(paths: Iterable<string>, lookup: Lookup): Promise<string | undefined> {
  for (const path of paths) if ((await lookup.kindOf(path)) === 'file') return path;
  return undefined;
}

/** The paths that are directories. */
export async function directoriesOf(paths: Iterable<string>, lookup: Lookup): Promise<string[]> {
  const found: string[] = [];
  for (const path of new Set(paths)) if ((await lookup.kindOf(path)) === 'directory') found.push(path);
  return found;
}

/** The directories in a directory, without `node_modules` and names that begin with a dot, up to a limit. */
export async function directoriesIn(directory: string, lookup: Lookup): Promise<string[]> {
  const names = (await lookup.namesIn(directory)).filter((name) => !name.startsWith('.') && name !== 'node_modules');
  return directoriesOf(
    names.slice(0, fixedLimits.projects.neighbours).map((name) => pathBelow(directory, name)),
    lookup,
  );
}

/** The directories in the mounted directory, then those in the ones of them that hold projects, as their paths say. */
export async function directoriesNearTop(holders: RegExp, lookup: Lookup): Promise<string[]> {
  const near = await directoriesIn(lookup.mountedDirectory, lookup);
  const found = [...near];
  for (const each of near) if (holders.test(each)) found.push(...(await directoriesIn(each, lookup)));
  return found;
}

/** The directories that paths name: literally, or all in a directory by `*` at the end. */
export async function namedDirectories(paths: readonly string[], from: string, lookup: Lookup): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths)
    if (path === '*' || path.endsWith('/*'))
      found.push(...(await directoriesIn(joinPath(from, path.slice(0, -1) || '.'), lookup)));
    else found.push(joinPath(from, path));
  return found;
}

/** The files of an import, each once. `otherwise`: why there is none. Without it, an import need not have a file. */
export function resolved(
  statement: ImportStatement,
  targets: readonly (ImportTarget | undefined)[],
  otherwise?: NoTarget,
): ResolvedImport {
  const byPath = new Map<string, ImportTarget>();
  for (const target of targets) {
    if (target === undefined) continue;
    const before = byPath.get(target.path);
    // A whole file includes all other wanted names.
    const isWhole = target.names.length === 0 || before?.names.length === 0;
    const names = isWhole ? [] : [...new Set([...(before?.names ?? []), ...target.names])];
    byPath.set(target.path, { ...target, names });
  }
  return byPath.size === 0 && otherwise ? { statement, none: otherwise } : { statement, targets: [...byPath.values()] };
}

/** Includes of C, and Ruby comments that are alone in their line. */
const otherLines = /^[ \t]*#(?: |include\b).*/gmu;

/**
 * The names that a file mentions outside comments and includes. If a language does not say which names come from which
 * file, only these are possible. The file's parser reads what it defines.
 */
export async function mentionedNames(path: string, names: readonly string[], lookup: Lookup): Promise<string[]> {
  const mentioned = await lookup.deriveSource(path, readNames);
  return mentioned === undefined ? [] : names.filter((name) => mentioned.has(name));
}

function* readNames(text: string): Steps<ReadonlySet<string>> {
  const code = withoutComments(text).replaceAll(otherLines, '');
  yield;
  return yield* namesIn(code, /[\p{L}_][\p{L}\p{N}_]*/gu);
}

type Find<Value> = (directory: string, lookup: Lookup) => Promise<Value>;

/** A workspace does not change during a request, so results for a directory are cached for each lookup. */
export function oncePerDirectory<Value>(find: Find<Value>): Find<Value> {
  const inLookup = onceForEach((lookup: Lookup) => onceForEach((path: string) => find(path, lookup)), new WeakMap());
  return (directory, lookup) => inLookup(lookup)(directory);
}
