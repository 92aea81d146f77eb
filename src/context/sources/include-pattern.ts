/** Finds the places where a pattern of `includeFiles` is searched (CC-12, CC-17). */
import { isInside, joinPath, parentPath } from '../../access/paths.ts';
import { isInRoots, placesInRoots } from '../../access/reach.ts';
import { leadsOutside } from '../../access/real-place.ts';
import { requestNames } from '../../access/request-names.ts';
import type { World } from '../../access/world.ts';
import type { Glob } from '../../globs/globs.ts';
import type { WarningCode } from '../../warning-codes.ts';
import { globOf } from '../candidate.ts';
import { type ContextDirectory, levelsBelow } from '../directories.ts';
import type { Writer } from '../merge.ts';

/**
 * A search for a pattern. `pattern` is relative to `base`, or absolute. `directory`: the directory that the found files
 * belong to.
 */
export type Search = { base: string; start: string; pattern: string; directory: ContextDirectory };

type Plan = { searches: Search[]; problem?: { code: WarningCode; message: string } };

/**
 * An include pattern, prepared for the search. `climbing`: its leading `./` and `../`, which only move the base.
 * `rest`: what follows. Or why it cannot be used: `message` follows the name of the pattern.
 */
export function readIncludePattern(
  pattern: string,
): { climbing: string; rest: string; glob: Glob } | { problem: { code: WarningCode; message: string } } {
  const outside = (message: string) => ({ problem: { code: 'pattern_outside_granted_roots' as const, message } });
  const [, climbing = '', rest = ''] = /^((?:\.\.?\/+)*)(.*)$/su.exec(pattern) ?? [];
  if (rest === '' || rest === '..') return outside('names no file.');
  const compiled = globOf(rest);
  if ('problem' in compiled)
    return { problem: { code: 'invalid_pattern', message: `is not used: ${compiled.problem.message}` } };
  const { glob } = compiled;
  // A later `..` could lead out of the granted roots.
  if (glob.hasParentSegment || /(?<![\w.-])\.\.(?![\w.-])/u.test(rest))
    return outside('has ".." after its beginning and is not used.');
  return { climbing, rest, glob };
}

/**
 * The directories below which a pattern is searched: the AI working directory, and the owner of each writer. `quoted`:
 * the name of the pattern in messages.
 */
export function planSearches(
  pattern: string,
  writers: readonly Writer[],
  { world, working, quoted }: { world: World; working: ContextDirectory; quoted: string },
): Plan {
  const refused = (code: WarningCode, message: string): Plan => ({
    searches: [],
    problem: { code, message: `${quoted} ${message}` },
  });
  const read = readIncludePattern(pattern);
  if ('problem' in read) return refused(read.problem.code, read.problem.message);
  const { climbing, rest, glob } = read;
  const owners = writers.map((writer) => ownerDirectory(writer, world));
  if (glob.isAbsolute) {
    const placed = byMountedName(rest, glob.literalBase, world);
    if (placed !== rest) return planSearches(placed, writers, { world, working, quoted });
    const directory = owners.at(-1) ?? working;
    const planned = absoluteSearches(glob, world).map((start) => ({ base: '/', start, pattern: rest, directory }));
    if (isReachable(joinPath('/', glob.literalBase), world)) return { searches: planned };
    const message = `${quoted} reaches outside the granted roots; only what lies inside them is used. A user can grant a directory with "contextd roots grant <dir>".`;
    return { searches: planned, problem: { code: 'pattern_outside_granted_roots', message } };
  }
  const searches = new Map<string, Search>();
  for (const directory of [working, ...owners]) {
    const base = joinPath(directory.owner, climbing);
    const start = joinPath(base, glob.literalBase);
    if (isReachable(start, world) && !searches.has(base)) searches.set(base, { base, start, pattern: rest, directory });
  }
  if (searches.size > 0) return { searches: [...searches.values()] };
  return refused('pattern_outside_granted_roots', 'lies outside the granted roots and is not used.');
}

/** An absolute pattern with the name that the request uses for the mounted directory, if it is below it (AN-03). */
function byMountedName(pattern: string, literalBase: string, { mountedDirectory, reach: { roots } }: World): string {
  const base = joinPath('/', literalBase);
  const [realPath = mountedDirectory] = placesInRoots(mountedDirectory, roots);
  const { real, shown } = requestNames({ path: mountedDirectory, realPath }, roots);
  const placed = shown(real(base));
  const isLiteral = globOf(placed);
  if (!isInside(mountedDirectory, placed) || !pattern.startsWith(base)) return pattern;
  return 'glob' in isLiteral && isLiteral.glob.matches(placed) ? placed + pattern.slice(base.length) : pattern;
}

/** An absolute pattern is searched from its literal beginning, or from the granted roots below it. */
function absoluteSearches(
  glob: { literalBase: string; mayMatchBelow(directory: string): boolean },
  world: World,
): string[] {
  const base = joinPath('/', glob.literalBase);
  if (isReachable(base, world)) return [base];
  const isBelow = (path: string): boolean => isInside(base, path) && glob.mayMatchBelow(path);
  const below = world.reach.roots.flatMap((root) => [root.path, root.realPath].find(isBelow) ?? []);
  return below.filter((path) => !below.some((other) => other !== path && isInside(other, path)));
}

/** CC-17: if a literal directory has another letter case on the disk, the search begins above it and finds it. */
export async function startOf({ base, start }: Search, world: World): Promise<string> {
  if (start === base || !isReachable(base, world)) return start;
  const stat = await world.gate.stat(start);
  const isThere = stat.ok || stat.code !== 'not_found';
  return isThere || (await isLedOutside({ base, start }, world)) ? start : base;
}

/** Whether a link before the wildcards leads outside. Then nothing is told of what is there (S-37). */
export async function isLedOutside({ base, start }: Pick<Search, 'base' | 'start'>, world: World): Promise<boolean> {
  const { gate, reach } = world;
  return start !== base && isReachable(base, world) && leadsOutside(start, reach.roots, gate);
}

function isReachable(path: string, world: World): boolean {
  return isInRoots(path, world.reach.roots);
}

/**
 * The owner of a configuration in the form of a context directory, so that what it includes is ordered like its own
 * files.
 */
function ownerDirectory(writer: Writer, world: World): ContextDirectory {
  const depth = writer.scope === 'global' ? -1 : levelsBelow(world.mountedDirectory, writer.owner);
  return { scope: writer.scope, owner: writer.owner, path: parentPath(writer.path), depth };
}
