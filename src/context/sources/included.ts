/** Expands `includeFiles` patterns to files inside the granted roots (CC-12, S-36). */

import { baseName, parentPath, relativePath } from '../../access/paths.ts';
import { unfollowed, type Walk, walkTree } from '../../access/walk.ts';
import { includeFilesPointer, type World } from '../../access/world.ts';
import { onceForEach } from '../../pace/once-for-each.ts';
import type { TimeAllowance } from '../../pace/time-allowance.ts';
import type { DirectoryEntry } from '../../ports/ports.ts';
import { expandHome, fixedLimits } from '../../settings.ts';
import type { WarningCode } from '../../warning-codes.ts';
import { unreadableWarning, type Warning } from '../../warnings.ts';
import { type Candidate, globOf } from '../candidate.ts';
import { writtenAt } from '../config-lines.ts';
import { type ContextDirectory, contextDirectoryOf } from '../directories.ts';
import { readGiven } from '../front-matter.ts';
import { defaultIncludePattern, type MergedConfig, type Writer } from '../merge.ts';
import { nameIncludedFile } from '../names.ts';
import { createOwnRepository } from '../own-repository.ts';
import { isLedOutside, planSearches, type Search, startOf } from './include-pattern.ts';
import type { ContextSource, FindPlace, Found } from './source.ts';
import { isMeant, type Meant, unusableFinds } from './unusable-finds.ts';

/**
 * A directory where a pattern was searched. `decides`: whether an entry, by its path, is or may become part of the
 * answer.
 */
export type Searched = Readonly<{
  directory: string;
  /** Other searches in the same directory have other keys. */
  key: string;
  /** The directory is outside the granted roots, but contains one. Nothing else in it is read. */
  isUngranted?: boolean;
  decides(path: string, kind: 'file' | 'directory' | undefined): boolean;
}>;

/** Max patterns per directory that are compared with new entries one by one. The last one stands for all others. */
const maxSearchesIn = fixedLimits.context.patternsInto;

/** Made at the first use, because a directory can have very many entries, and each is checked. */
const namesOf = onceForEach(
  (entries: readonly DirectoryEntry[]): ReadonlySet<string> => new Set(entries.map(({ name }) => name)),
  new WeakMap(),
);

/** The walks of one run, by base and pattern: several working directories search below the same owners. */
export type SharedWalks = Map<string, Walk>;

type Place = { working: ContextDirectory; walks: SharedWalks };

/** The name of patterns in messages: `includeFiles`, and its place in the file. */
type Words = { what: string; pointer?: string };

/** The time allowance for patterns, and their name in messages. */
type How = { world: World; words: Words; allowance: TimeAllowance };

/** A pattern, its writers, its place in the file, and how its finds become candidates. */
type Asked = Meant &
  Readonly<{
    writers: readonly Writer[];
    at: Pick<Warning, 'line' | 'column'>;
    makeCandidate(path: string): Pick<Candidate, 'source' | 'format' | 'read' | 'name'> & {
      includedBy: NonNullable<Candidate['includedBy']>;
    };
  }>;

export const includedFiles: ContextSource = { find: expandIncludes };

/** What one run has found so far. */
type Expansion = How & {
  place: Place;
  own: ReturnType<typeof createOwnRepository>;
  byPath: Map<string, Candidate>;
  /** How many patterns were searched in each directory. */
  searchesIn: Map<string, number>;
  result: Found;
};

async function expandIncludes({ where, merged, walks }: FindPlace, world: World): Promise<Found> {
  const words = { what: 'includeFiles', pointer: includeFilesPointer };
  return findByPatterns(
    askedBy(merged, world),
    { working: contextDirectoryOf(where.workingDirectory, where), walks },
    { world, words, allowance: world.allowances.includes },
  );
}

/** Generated one by one: there can be very many, and the time may be enough only for the first ones. */
function* askedBy({ includeFiles }: MergedConfig, world: World): Iterable<Asked> {
  for (const { pattern, writers, given } of includeFiles) {
    const writer = writers.at(-1);
    if (pattern === defaultIncludePattern || writer === undefined) continue;
    const place = writtenAt(writer, 'includeFiles', pattern);
    const includedBy = { pattern, place, given };
    const makeCandidate = (path: string) => ({
      source: 'include' as const,
      read: readGiven(given),
      includedBy,
      name: nameIncludedFile(path, world.mountedDirectory),
    });
    yield { pattern, writers, at: {}, makeCandidate };
  }
}

/**
 * Patterns are searched below the AI working directory and below the owner of each file that wrote them. A file
 * that several find belongs to the most specific place. Nothing outside the granted roots is looked at.
 */
export async function findByPatterns(asked: Iterable<Asked>, place: Place, how: How): Promise<Found> {
  const { world, words, allowance } = how;
  const result: Found = { candidates: [], warnings: [], evidence: [], searched: [] };
  const own = createOwnRepository(world, world.mountedDirectory);
  const run: Expansion = { ...how, place, own, result, byPath: new Map(), searchesIn: new Map() };
  for (const each of asked) {
    if (allowance.isOver() || world.isLate()) {
      world.leftOut[allowance.isOver() ? 'includes' : 'walkMs'] += 1;
      break;
    }
    await allowance.pause();
    await expandPattern(each, run);
  }
  result.candidates = [...run.byPath.values()];
  // One more than can be watched is enough to say that they are too many.
  const holding = new Set(result.candidates.map(({ path }) => parentPath(path)));
  const isHolding = ({ directory }: Searched): number => Number(holding.has(directory));
  result.searched = result.searched
    .toSorted((a, b) => isHolding(b) - isHolding(a))
    .slice(0, fixedLimits.events.watchedDirectories + 1);
  // What is refused is never active, even if it is mentioned.
  const foreign = result.candidates.filter(({ isForeign, refusal }) => isForeign && refusal === undefined);
  result.warnings.push(...own.warnings(new Set(foreign.map(({ path }) => path)), words));
  result.evidence.push(...own.evidence());
  return result;
}

async function expandPattern(asked: Asked, run: Expansion): Promise<void> {
  const { world, place, words, allowance, result } = run;
  const { pattern, writers } = asked;
  const { path } = writers.at(-1) as Writer;
  const quoted = `${words.what} pattern "${pattern}"`;
  const expanded = expandHome(pattern.replaceAll('\\', '/'), world.homeDirectory);
  const planned = allowance.spend(() => planSearches(expanded, writers, { world, working: place.working, quoted }));
  const warn = (code: WarningCode, message: string): void => {
    result.warnings.push({ code, message, path, ...asked.at, pointer: words.pointer });
  };
  if (planned.problem) warn(planned.problem.code, planned.problem.message);
  const unusable = new Map(unusableFinds.map((kind) => [kind, new Set<string>()]));
  for (const search of planned.searches) {
    const walk = await searchPattern(search, asked, run);
    for (const found of walk?.found ?? []) {
      const kind = unusableFinds.find((each) => each.isSuch(found, asked));
      if (kind !== undefined) unusable.get(kind)?.add(found.path);
      else if (found.refusal === 'unreadable') result.warnings.push(unreadableWarning(found.path));
      else if (found.isDirectory && found.path === walk?.start) continue;
      await takeFound(found, { ...asked, directory: search.directory }, run);
    }
  }
  for (const [{ code, one, many }, { size }] of unusable)
    if (size > 0) warn(code, `${quoted} finds ${size === 1 ? one : `${size} ${many}`}.`);
}

/** Walks the tree for a pattern, or takes the walk of the run that looked for the same. */
async function searchPattern(
  search: Search,
  asked: Asked,
  run: Expansion,
): Promise<(Walk & { start: string }) | undefined> {
  const { world, place, allowance, result } = run;
  const compiled = globOf(search.pattern);
  if (!('glob' in compiled)) return undefined;
  const { glob } = compiled;
  const pathToMatch = (path: string): string => (glob.isAbsolute ? path : relativePath(search.base, path));
  const namesGit = search.pattern.toLowerCase().includes('.git');
  const mayHold = (path: string): boolean =>
    (namesGit || !path.endsWith('/.git')) && glob.mayMatchBelow(pathToMatch(path));
  const matches = (path: string): boolean => glob.matches(pathToMatch(path));
  const start = await startOf(search, world);
  const key = JSON.stringify([search.base, start, search.pattern]);
  const enter = (path: string): boolean => allowance.spend(() => mayHold(path));
  const accept = (path: string): boolean => allowance.spend(() => matches(path));
  const look = async (): Promise<Walk> =>
    (await isLedOutside({ base: search.base, start }, world))
      ? unfollowed(start, world)
      : walkTree(start, world, { enter, accept, allowance });
  const walk = place.walks.get(key) ?? (await look());
  place.walks.set(key, walk);
  result.evidence.push(...walk.evidence);
  for (const { path: directory, entries } of walk.listed) {
    const searches = (run.searchesIn.get(directory) ?? 0) + 1;
    run.searchesIn.set(directory, searches);
    if (searches > maxSearchesIn) continue;
    const isLast = searches === maxSearchesIn;
    // Whoever watches asks about each entry. What takes too long to tell is told too often rather than never.
    const fits = (match: () => boolean): boolean => isLast || allowance.isOver() || allowance.spend(match);
    // A directory that was there has been listed, or is of no interest.
    const isNew = (path: string): boolean => !namesOf(entries).has(baseName(path));
    result.searched.push({
      directory,
      key: isLast ? 'others' : key,
      decides: (path, kind) =>
        (kind !== 'directory' && isMeant(asked, path) && fits(() => matches(path))) ||
        (kind !== 'file' && isNew(path) && fits(() => mayHold(path))),
    });
  }
  return { ...walk, start };
}

type Origin = Pick<Asked, 'writers' | 'makeCandidate'> & { directory: ContextDirectory };

async function takeFound(
  found: Walk['found'][number],
  { writers, makeCandidate, directory }: Origin,
  { own, byPath }: Expansion,
): Promise<void> {
  const before = byPath.get(found.path);
  const isKnown = before !== undefined && before.directory.depth >= directory.depth;
  if (isKnown && !before.isForeign) return;
  const isForeign = before?.isForeign !== false && (await own.isForeign(found.path, writers));
  if (isKnown) {
    if (!isForeign) byPath.set(found.path, { ...before, isForeign });
    return;
  }
  byPath.set(found.path, {
    path: found.path,
    directory,
    isForeign,
    ...makeCandidate(found.path),
    refusal: found.refusal,
    linkIs: found.linkIs,
    isDirectory: found.isDirectory,
  });
}
