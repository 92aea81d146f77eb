/** Expands `includeFiles` patterns to files inside the granted roots (CC-12, S-36). */

import { baseName, isInside, joinPath, parentPath, relativePath } from '../../access/paths.ts';
import { isInRoots } from '../../access/reach.ts';
import { type Walk, walkTree } from '../../access/walk.ts';
import type { World } from '../../access/world.ts';
import type { Glob } from '../../globs/globs.ts';
import type { DirectoryEntry } from '../../ports/ports.ts';
import { expandHome, fixedLimits } from '../../settings.ts';
import { type Candidate, globOf, isSupportedType } from '../candidate.ts';
import { writtenAt } from '../config-lines.ts';
import { type ContextDirectory, levelsBelow, workingContextDirectory } from '../directories.ts';
import { readContextFile } from '../front-matter.ts';
import { defaultIncludePattern, type LoadedConfig } from '../merge.ts';
import { nameIncludedFile } from '../names.ts';
import { createOwnRepository } from '../own-repository.ts';
import type { ContextSource, FindPlace, Found } from './source.ts';

/** A directory where a pattern was searched; `decides` tells whether an entry of it, by its path, is or may become part of the answer. */
export type Searched = Readonly<{
  directory: string;
  /** What else is searched in the same directory has another key. */
  key: string;
  decides(path: string, kind: 'file' | 'directory' | undefined): boolean;
}>;

/** Patterns of which each is compared with what comes into one directory; the last stands for all others. */
const maxSearchesIn = fixedLimits.context.patternsInto;

const namesOfEntries = new WeakMap<readonly DirectoryEntry[], ReadonlySet<string>>();

/** Made when first asked for: a directory can have very many entries, and each of them is asked about. */
function namesOf(entries: readonly DirectoryEntry[]): ReadonlySet<string> {
  const names = namesOfEntries.get(entries) ?? new Set(entries.map(({ name }) => name));
  namesOfEntries.set(entries, names);
  return names;
}

/** Walks of one run by base and pattern: several working directories search below the same owners. */
export type SharedWalks = Map<string, Walk>;

type Place = { working: ContextDirectory; walks: SharedWalks };

export const includedFiles: ContextSource = { find: expandIncludes };

/** Where a pattern is searched: `pattern` is relative to `base`, or absolute; `directory` is what its finds belong to. */
type Search = { base: string; start: string; pattern: string; directory: ContextDirectory };

/**
 * Patterns are searched below the AI working directory and below the owner of each configuration that wrote them. A file
 * that several find belongs to the most specific place. Nothing outside the granted roots is looked at.
 */
async function expandIncludes({ where, merged, walks }: FindPlace, world: World): Promise<Found> {
  const place: Place = { working: workingContextDirectory(where), walks };
  const result: Found = { candidates: [], warnings: [], evidence: [], searched: [] };
  const byPath = new Map<string, Candidate>();
  const searchesIn = new Map<string, number>();
  const own = createOwnRepository(world, world.mountedDirectory);
  const { includes: allowance } = world.allowances;
  for (const { pattern, writers } of merged.includeFiles) {
    if (allowance.isOver() || world.isLate()) {
      world.leftOut[allowance.isOver() ? 'includes' : 'walkMs'] += 1;
      break;
    }
    await allowance.pause();
    const writer = writers.at(-1);
    if (pattern === defaultIncludePattern || writer === undefined) continue;
    const expanded = expandHome(pattern.replaceAll('\\', '/'), world.homeDirectory);
    const planned = allowance.spend(() => planSearches(expanded, writers, world, place));
    if (planned.problem)
      result.warnings.push({ ...planned.problem, path: writer.path, pointer: '/clientContext/includeFiles' });
    const unsupported = new Set<string>();
    const links = new Set<string>();
    const outside = new Set<string>();
    for (const search of planned.searches) {
      const compiled = globOf(search.pattern);
      if (!('glob' in compiled)) continue;
      const { glob } = compiled;
      const pathToMatch = (path: string): string => (glob.isAbsolute ? path : relativePath(search.base, path));
      const namesGit = search.pattern.toLowerCase().includes('.git');
      const start = await startOf(search, world);
      const key = JSON.stringify([search.base, start, search.pattern]);
      const known = place.walks.get(key);
      const walk =
        known ??
        (await walkTree(start, world, {
          enter: (path) =>
            (namesGit || !path.endsWith('/.git')) && allowance.spend(() => glob.mayMatchBelow(pathToMatch(path))),
          accept: (path) => allowance.spend(() => glob.matches(pathToMatch(path))),
          allowance,
        }));
      place.walks.set(key, walk);
      result.evidence.push(...walk.evidence);
      const mayHold = (path: string): boolean =>
        (namesGit || !path.endsWith('/.git')) && glob.mayMatchBelow(pathToMatch(path));
      for (const { path: directory, entries } of walk.listed) {
        const searches = (searchesIn.get(directory) ?? 0) + 1;
        searchesIn.set(directory, searches);
        if (searches > maxSearchesIn) continue;
        const isLast = searches === maxSearchesIn;
        // Whoever watches asks about each entry. What takes too long to tell is told too often rather than never.
        const fits = (match: () => boolean): boolean => isLast || allowance.isOver() || allowance.spend(match);
        // A directory that was there has been listed, or is of no interest.
        const isNew = (path: string): boolean => !namesOf(entries).has(baseName(path));
        result.searched.push({
          ...{ directory, key: isLast ? 'others' : key },
          decides: (path, kind) =>
            (kind !== 'directory' && isSupportedType(path) && fits(() => glob.matches(pathToMatch(path)))) ||
            (kind !== 'file' && isNew(path) && fits(() => mayHold(path))),
        });
      }
      for (const found of walk.found) {
        if (found.refusal === 'symlink') links.add(found.path);
        else if (found.refusal === 'outside_roots') outside.add(found.path);
        else if (found.refusal === 'unreadable')
          result.warnings.push({ code: 'unreadable', message: 'Permissions forbid reading this.', path: found.path });
        else if (found.isDirectory && found.path === start) continue;
        else if (!found.isDirectory && !isSupportedType(found.path)) unsupported.add(found.path);
        const before = byPath.get(found.path);
        const isKnown = before !== undefined && before.directory.depth >= search.directory.depth;
        if (isKnown && !before.isForeign) continue;
        const isForeign = before?.isForeign !== false && (await own.isForeign(found.path, writers));
        if (isKnown) {
          if (!isForeign) byPath.set(found.path, { ...before, isForeign });
          continue;
        }
        byPath.set(found.path, {
          path: found.path,
          source: 'include',
          directory: search.directory,
          read: readContextFile,
          name: nameIncludedFile(found.path, world.mountedDirectory),
          includedBy: { pattern, place: writtenAt(writer, 'includeFiles', pattern) },
          isForeign,
          ...(found.refusal === undefined ? {} : { refusal: found.refusal }),
          ...(found.isDirectory ? { isDirectory: true as const } : {}),
        });
      }
    }
    const say = (code: string, found: ReadonlySet<string>, kind: readonly [one: string, many: string]): void => {
      if (found.size === 0) return;
      const message = `includeFiles pattern "${pattern}" finds ${found.size === 1 ? kind[0] : `${found.size} ${kind[1]}`}.`;
      result.warnings.push({ code, message, path: writer.path, pointer: '/clientContext/includeFiles' });
    };
    const supported = 'of a type that is not supported (.md, .mdc and .txt are)';
    say('unsupported_type', unsupported, [`1 file ${supported}`, `files ${supported}`]);
    const leading = 'that leads outside the granted roots';
    say('outside_roots', outside, [`a symbolic link ${leading}`, `symbolic links ${leading.replace('leads', 'lead')}`]);
    say('symlink', links, ['a symbolic link, which is not followed', 'symbolic links, which are not followed']);
  }
  result.candidates = [...byPath.values()];
  // One more than can be watched is enough to say that they are too many.
  const holding = new Set(result.candidates.map(({ path }) => parentPath(path)));
  const isHolding = ({ directory }: Searched): number => Number(holding.has(directory));
  result.searched = result.searched
    .toSorted((a, b) => isHolding(b) - isHolding(a))
    .slice(0, fixedLimits.events.watchedDirectories + 1);
  const foreign = new Set(result.candidates.flatMap(({ path, isForeign }) => (isForeign ? [path] : [])));
  result.warnings.push(...own.warnings(foreign));
  result.evidence.push(...own.evidence());
  return result;
}

type Plan = { searches: Search[]; problem?: { code: string; message: string } };

/**
 * An include pattern as it is searched: `climbing` is its leading `./` and `../`, which only move the base, `rest` what
 * follows. Or why it cannot be used: `message` goes on after the name of the pattern.
 */
export function readIncludePattern(
  pattern: string,
): { climbing: string; rest: string; glob: Glob } | { problem: { code: string; message: string } } {
  const outside = (message: string) => ({ problem: { code: 'pattern_outside_granted_roots', message } });
  const [, climbing = '', rest = ''] = /^((?:\.\.?\/+)*)(.*)$/su.exec(pattern) ?? [];
  if (rest === '' || rest === '..') return outside('names no file.');
  const compiled = globOf(rest);
  if ('problem' in compiled)
    return { problem: { code: 'invalid_pattern', message: `is not used: ${compiled.problem.message}` } };
  const { glob } = compiled;
  // Past its beginning `..` cannot be followed without leaving what was granted.
  if (glob.hasParentSegment || /(?<![\w.-])\.\.(?![\w.-])/u.test(rest))
    return outside('has ".." after its beginning and is not used.');
  return { climbing, rest, glob };
}

function planSearches(pattern: string, writers: readonly LoadedConfig[], world: World, place: Place): Plan {
  const quoted = `includeFiles pattern "${pattern}"`;
  const refused = (code: string, message: string): Plan => ({
    searches: [],
    problem: { code, message: `${quoted} ${message}` },
  });
  const read = readIncludePattern(pattern);
  if ('problem' in read) return refused(read.problem.code, read.problem.message);
  const { climbing, rest, glob } = read;
  const owners = writers.map((writer) => ownerDirectory(writer, world));
  if (glob.isAbsolute) {
    const directory = owners.at(-1) ?? place.working;
    const planned = absoluteSearches(glob, world).map((start) => ({ base: '/', start, pattern: rest, directory }));
    if (isReachable(joinPath('/', glob.literalBase), world)) return { searches: planned };
    const message = `${quoted} reaches outside the granted roots; only what lies inside them is used. A user can grant a directory with "contextd roots grant <dir>".`;
    return { searches: planned, problem: { code: 'pattern_outside_granted_roots', message } };
  }
  const searches = new Map<string, Search>();
  for (const directory of [place.working, ...owners]) {
    const base = joinPath(directory.owner, climbing);
    const start = joinPath(base, glob.literalBase);
    if (isReachable(start, world) && !searches.has(base)) searches.set(base, { base, start, pattern: rest, directory });
  }
  if (searches.size > 0) return { searches: [...searches.values()] };
  return refused('pattern_outside_granted_roots', 'lies outside the granted roots and is not used.');
}

/** An absolute pattern is searched from its literal beginning, or from the granted roots that lie below it. */
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

/** CC-17: where a literal directory is written in other letters on the disk, the walk begins above it and finds it. */
async function startOf({ base, start }: Search, world: World): Promise<string> {
  if (start === base || !isReachable(base, world)) return start;
  const stat = await world.gate.stat(start);
  return stat.ok || stat.code !== 'not_found' ? start : base;
}

function isReachable(path: string, world: World): boolean {
  return isInRoots(path, world.reach.roots);
}

/** The owner of a configuration in the form of a context directory, so that what it includes is ordered like its own files. */
function ownerDirectory(writer: LoadedConfig, world: World): ContextDirectory {
  const depth = writer.scope === 'global' ? -1 : levelsBelow(world.mountedDirectory, writer.owner);
  return { scope: writer.scope, owner: writer.owner, path: parentPath(writer.path), depth };
}
