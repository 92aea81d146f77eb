/**
 * Decides what the ignore files of other tools leave out (FX-01 … FX-07). All ignore files on the way from the granted
 * root to a file count. Each kind decides independently. If one kind leaves a file out, it is left out.
 */

import type { PolicyDecision } from '../access/content-policy.ts';
import type { DirectorySnapshot, FileSnapshot, Gate } from '../access/gate.ts';
import { directoriesDown, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { TimeAllowance } from '../pace/time-allowance.ts';
import type { ReachOptions } from '../ports/ports.ts';
import type { NameChoice } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import type { Warning } from '../warnings.ts';
import { decideByIgnoreFiles } from './decide-by-ignore-files.ts';
import type { IgnoreKind } from './ignore-kind.ts';
import { chooseIgnoreKinds } from './ignore-kinds.ts';
import { type LoadedIgnoreFile, type LoadOptions, loadIgnoreFile, spend } from './load-ignore-file.ts';

export type IgnoreGate = Pick<Gate, 'list'> & LoadOptions['gate'];
type IgnoreSettings = {
  gate: IgnoreGate;
  ignoreFiles: NameChoice;
  homeDirectory: string;
};
/** `listings`: the listings of this run, by directory. The run adds those that it needs. */
type RunOptions = ReachOptions & {
  allowance: TimeAllowance;
  gate?: IgnoreGate;
  listings: Map<string, DirectorySnapshot>;
};

/** Why a path is left out. `gone`: its directory does not exist. `late`: there was no time to decide. */
type IgnoreVerdict = PolicyDecision | 'gone' | 'late' | undefined;

/** A granted root: the name that paths below it begin with, and its real path. */
export type Base = Readonly<{ name: string; real: string }>;
/** `toRead`: a path in a missing directory is `gone`. `ofSearch`: only the ignore files for search count. */
type Asking = { toRead?: boolean | undefined; ofSearch?: boolean | undefined };

/** Ignore files as one run sees them. A run looks at each directory once. */
type IgnoreRun = Readonly<{
  /** The ignore files on the way to a directory. Lists directories that this run has not listed yet. */
  wayTo(directory: string, top: Base): Way | Promise<Way>;
  /** Decides about a path. `way` leads to its directory. */
  decide(path: string, place: { way: Way; top: Base; asking: Asking }): Promise<IgnoreVerdict> | undefined;
  /** The ignore files for a search in a directory. They are the same objects as long as nothing changes. */
  searchFilesOf(directory: string, top: Base): Promise<readonly unknown[]>;
  warnings(): Warning[];
  evidence(): unknown[];
}>;

/** What all runs share. */
export function createIgnoreFiles({ ignoreFiles, ...settings }: IgnoreSettings) {
  const kinds = chooseIgnoreKinds(ignoreFiles);
  const names = new Set(kinds.map(({ path }) => path.split('/')[0] as string));
  const shared = {
    ...settings,
    kinds,
    taken: new WeakMap<FileSnapshot, LoadedIgnoreFile>(),
    kindsOf: onceForEach((listing: DirectorySnapshot) => mayHold(listing, { kinds, names }), new WeakMap()),
  };
  return { openRun: (options: RunOptions): IgnoreRun => openRun(shared, options) };
}
export type IgnoreFiles = ReturnType<typeof createIgnoreFiles>;

type Shared = Omit<IgnoreSettings, 'ignoreFiles'> & {
  kinds: readonly IgnoreKind[];
  taken: WeakMap<FileSnapshot, LoadedIgnoreFile>;
  /** Computed once for each listing, because a directory can have very many entries. */
  kindsOf(listing: DirectorySnapshot): readonly IgnoreKind[];
};

type Files = readonly LoadedIgnoreFile[];
/** The ignore files on the way to a directory and in it. If it does not exist, only those above it. */
type Way = { files: Files; isThere: boolean };

function createRun(shared: Shared, options: RunOptions) {
  return {
    ...shared,
    ...options,
    inDirectory: new Map<string, Promise<Files | undefined>>(),
    looking: new Map<string, Promise<Way>>(),
    /** By directory. Only existing directories have an entry. */
    ways: new Map<string, Way>(),
    /** The verdict about each directory, which applies to everything below it. */
    verdicts: new Map<string, Promise<IgnoreVerdict>>(),
    /** Directories that are not left out, and neither are those above them. */
    open: new Set<string>(),
    asked: new Set<LoadedIgnoreFile>(),
  };
}
type Run = ReturnType<typeof createRun>;

function openRun(shared: Shared, options: RunOptions): IgnoreRun {
  const run = createRun(shared, options);
  const asked = () => [...run.asked].sort((a, b) => compareText(a.path, b.path));
  return Object.freeze({
    wayTo(directory, top) {
      if (run.kinds.length === 0) return nothing;
      const known = wayNow(run, directory, top.name) ?? run.looking.get(directory);
      if (known !== undefined) return known;
      const looking = seek(run, directory, top.name);
      run.looking.set(directory, looking);
      // In a later turn of the event loop, a missing directory may exist and have ignore files.
      void looking.then(() => setImmediate(() => run.looking.delete(directory)));
      return looking;
    },
    decide: (path, place) => (place.way.isThere && place.way.files.length === 0 ? undefined : decide(run, path, place)),
    async searchFilesOf(directory, top) {
      if (!run.kinds.some(isForSearch)) return [];
      const { files } = wayNow(run, directory, top.name) ?? (await seek(run, directory, top.name));
      return files.filter(({ kind }) => isForSearch(kind));
    },
    warnings: () => asked().flatMap(({ warnings }) => warnings),
    evidence: () => asked().flatMap(({ path, evidence }) => [path, ...evidence]),
  } satisfies IgnoreRun);
}

function isOwnRule({ ownRules = [] }: IgnoreKind, path: string): boolean {
  return ownRules.some((rule) => (rule.endsWith('/') ? path.includes(`/${rule}`) : path.endsWith(`/${rule}`)));
}

const isForSearch = (kind: IgnoreKind): boolean => kind.isForSearch === true;

async function decide(
  run: Run,
  path: string,
  { way: { files: all, isThere }, top, asking }: { way: Way; top: Base; asking: Asking },
): Promise<IgnoreVerdict> {
  if (!isThere && asking.toRead) return 'gone';
  const directory = path === top.name ? path : parentPath(path);
  const ofSearch = asking.ofSearch === true;
  const asked = all.filter(({ kind }) => isForSearch(kind) === ofSearch);
  for (const file of asked) run.asked.add(file);
  const files = asked.filter(({ kind }) => !isOwnRule(kind, path));
  if (files.length === 0) return undefined;
  // A verdict about a directory holds for every path that the same files decide about.
  const key = (each: string) => `${ofSearch}:${files.length === asked.length ? '' : path}:${each}`;
  for (const each of run.open.has(key(directory)) ? [] : directoriesDown(top.name, directory)) {
    const above = files.filter((file) => file.directory !== each && isInside(file.directory, each));
    const known = run.verdicts.get(key(each)) ?? judge(run, each, { isDirectory: true, top, files: above });
    run.verdicts.set(key(each), known);
    const verdict = await known;
    if (verdict !== undefined) return verdict;
  }
  run.open.add(key(directory));
  return judge(run, path, { isDirectory: false, top, files });
}

/** The way, if nothing needs to be read for it. Undefined otherwise. */
function wayNow(run: Run, directory: string, top: string): Way | undefined {
  const { known, left } = knownAbove(run, directory, top);
  for (const next of left) {
    const listing = run.listings.get(next);
    if (listing === undefined || run.kindsOf(listing).length > 0) return undefined;
  }
  for (const next of left) run.ways.set(next, known);
  return known;
}

const nothing: Way = { files: [], isThere: true };

/** The way to the nearest directory with a known way, and the directories below that one. */
function knownAbove(run: Run, directory: string, top: string): { known: Way; left: string[] } {
  const left: string[] = [];
  for (let each = directory; ; each = parentPath(each)) {
    const known = run.ways.get(each);
    if (known !== undefined) return { known, left: left.reverse() };
    left.push(each);
    if (each === top) return { known: nothing, left: left.reverse() };
  }
}

async function seek(run: Run, directory: string, top: string): Promise<Way> {
  const { known, left } = knownAbove(run, directory, top);
  let way = known;
  for (const next of left) {
    const own = await filesOnce(run, next);
    if (own === undefined) return { ...way, isThere: false };
    if (own.length > 0) way = { ...way, files: [...way.files, ...own] };
    run.ways.set(next, way);
  }
  return way;
}

/** A missing directory is not remembered, because it may be created later with ignore files. */
function filesOnce(run: Run, directory: string): Promise<Files | undefined> {
  const known = run.inDirectory.get(directory) ?? filesIn(run, directory);
  run.inDirectory.set(directory, known);
  void known.then((files) => files === undefined && run.inDirectory.delete(directory));
  return known;
}

/** Undefined if the directory does not exist. */
async function filesIn(run: Run, directory: string): Promise<Files | undefined> {
  const kinds = await kindsIn(run, directory);
  if (kinds === undefined || kinds.length === 0) return kinds && [];
  const loaded = await Promise.all(kinds.map((kind) => loadIgnoreFile(kind, directory, run)));
  return loaded.filter((each) => each !== undefined);
}

/** The kinds that may have a file here: all of them if the directory cannot be listed completely. */
async function kindsIn(run: Run, directory: string): Promise<readonly IgnoreKind[] | undefined> {
  let listing = run.listings.get(directory);
  if (listing === undefined) {
    const { roots, followSymlinks } = run;
    const listed = await run.gate.list(directory, { roots, followSymlinks });
    if (!listed.ok && listed.code === 'not_found') return undefined;
    // A directory that is refused for another reason is not read at all.
    if (!listed.ok) return listed.code === 'unreadable' || listed.code === 'io_error' ? run.kinds : [];
    listing = listed.snapshot;
    run.listings.set(directory, listing);
  }
  return run.kindsOf(listing);
}

/** Some file systems find a name in any case. `names`: the first names of the paths of the kinds. */
function mayHold(
  { entries, truncated }: DirectorySnapshot,
  { kinds, names }: { kinds: readonly IgnoreKind[]; names: ReadonlySet<string> },
): readonly IgnoreKind[] {
  if (truncated) return kinds;
  const there = new Set(entries.map(({ name }) => name.toLowerCase()).filter((name) => names.has(name)));
  return there.size === 0 ? [] : kinds.filter(({ path }) => there.has(path.split('/')[0] as string));
}

/** What these ignore files say about one entry. All of them are in directories above it. */
async function judge(
  run: Run,
  path: string,
  { isDirectory, top, files }: { isDirectory: boolean; top: Base; files: Files },
): Promise<IgnoreVerdict> {
  if (files.length === 0) return undefined;
  const { name, real } = top;
  const names = name === real ? [path] : [path, joinPath(real, relativePath(name, path))];
  return spend(decideByIgnoreFiles(path, { isDirectory, names }, files), run.allowance);
}
