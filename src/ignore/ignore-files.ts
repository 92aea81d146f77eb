/**
 * What the ignore files of other tools leave out (FX-01 … FX-07). Those count that lie on the way from the granted root down
 * to a file. Each kind decides for itself, and what one of them leaves out is left out.
 */
import type { PolicyDecision } from '../access/content-policy.ts';
import type { DirectorySnapshot, FileSnapshot, Gate } from '../access/gate.ts';
import { directoriesBetween, directoriesDown, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import type { TimeAllowance } from '../pace/time-allowance.ts';
import type { Steps } from '../pace/turns.ts';
import type { Root } from '../ports/ports.ts';
import type { FormatsSetting } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import type { IgnoreKind } from './ignore-kind.ts';
import { chooseIgnoreKinds } from './ignore-kinds.ts';
import { findRule, type IgnoreRule } from './ignore-rules.ts';
import { type LoadedIgnoreFile, type LoadOptions, loadIgnoreFile, spend } from './load-ignore-file.ts';

export type IgnoreSettings = {
  gate: Pick<Gate, 'list'> & LoadOptions['gate'];
  ignoreFiles: FormatsSetting;
  homeDirectory: string;
};
type RunOptions = { roots: readonly Root[]; followSymlinks: boolean; allowance: TimeAllowance };

/** What says that a path is left out; `gone`: its directory is not there; `late`: there was no time to decide. */
type IgnoreVerdict = PolicyDecision | 'gone' | 'late' | undefined;

/** A granted root by the name with which a path begins, and where it really lies. */
type Top = Readonly<{ name: string; real: string }>;
/** `toRead`: nothing is said of what lies in no directory. `ofSearch`: only what search leaves out, instead of all else. */
type Asking = { toRead?: boolean | undefined; ofSearch?: boolean | undefined };

/** Ignore files as one run sees them: every directory is looked at once. */
export type IgnoreRun = Readonly<{
  decide(path: string, top: Top, asking: Asking): Promise<IgnoreVerdict> | undefined;
  /** The files that may leave out something of a directory where it is searched: the same ones as long as nothing changed. */
  searchFilesOf(directory: string, top: Top): Promise<readonly unknown[]>;
  notice(listing: DirectorySnapshot): void;
  warnings(): Warning[];
  evidence(): unknown[];
}>;

/** What is known from one run to the next. */
export function createIgnoreFiles({ ignoreFiles, ...settings }: IgnoreSettings) {
  const kinds = chooseIgnoreKinds(ignoreFiles);
  const names = new Set(kinds.map(({ path }) => path.split('/')[0] as string));
  const shared = {
    ...{ ...settings, kinds, names },
    taken: new WeakMap<FileSnapshot, LoadedIgnoreFile>(),
    holding: new WeakMap<DirectorySnapshot, readonly IgnoreKind[]>(),
  };
  return { openRun: (options: RunOptions): IgnoreRun => openRun(shared, options) };
}
export type IgnoreFiles = ReturnType<typeof createIgnoreFiles>;

type Shared = Omit<IgnoreSettings, 'ignoreFiles'> & {
  kinds: readonly IgnoreKind[];
  /** First names of their paths. */
  names: ReadonlySet<string>;
  taken: WeakMap<FileSnapshot, LoadedIgnoreFile>;
  holding: WeakMap<DirectorySnapshot, readonly IgnoreKind[]>;
};

type Files = readonly LoadedIgnoreFile[];
/** The files on the way down to a directory, its own included; only those above where it is not there. */
type Way = { files: Files; isThere: boolean };

function createRun(shared: Shared, options: RunOptions) {
  return {
    ...shared,
    ...options,
    listings: new Map<string, DirectorySnapshot>(),
    inDirectory: new Map<string, Promise<Files | undefined>>(),
    /** Of directories that are there. */
    ways: new Map<string, Way>(),
    /** Whether all below a directory is left out. */
    verdicts: new Map<string, Promise<IgnoreVerdict>>(),
    /** Directories that are not left out, nor any above them. */
    open: new Set<string>(),
    asked: new Set<LoadedIgnoreFile>(),
  };
}
type Run = ReturnType<typeof createRun>;

function openRun(shared: Shared, options: RunOptions): IgnoreRun {
  const run = createRun(shared, options);
  const asked = () => [...run.asked].sort((a, b) => (a.path < b.path ? -1 : 1));
  return Object.freeze({
    decide(path, top, asking) {
      if (run.kinds.length === 0) return undefined;
      const directory = path === top.name ? path : parentPath(path);
      const way = run.ways.get(directory);
      return way?.files.length === 0 ? undefined : decide(run, path, { directory, top, asking });
    },
    async searchFilesOf(directory, top) {
      if (!run.kinds.some(isForSearch)) return [];
      const { files } = run.ways.get(directory) ?? (await seek(run, directory, top.name));
      return files.filter(({ kind }) => isForSearch(kind));
    },
    notice: (listing) => void run.listings.set(listing.path, listing),
    warnings: () => asked().flatMap(({ warnings }) => warnings),
    evidence: () => asked().flatMap(({ path, evidence }) => [path, evidence]),
  } satisfies IgnoreRun);
}

const isForSearch = (kind: IgnoreKind): boolean => kind.isForSearch === true;

async function decide(
  run: Run,
  path: string,
  { directory, top, asking }: { directory: string; top: Top; asking: Asking },
): Promise<IgnoreVerdict> {
  const { files: all, isThere } = run.ways.get(directory) ?? (await seek(run, directory, top.name));
  if (!isThere && asking.toRead) return 'gone';
  const ofSearch = asking.ofSearch === true;
  const files = all.filter(({ kind }) => isForSearch(kind) === ofSearch);
  if (files.length === 0) return undefined;
  for (const file of files) run.asked.add(file);
  const key = (each: string) => `${ofSearch}:${each}`;
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

async function seek(run: Run, directory: string, top: string): Promise<Way> {
  let way: Way = { files: [], isThere: true };
  for (const each of directoriesBetween(top, directory)) {
    const known = run.ways.get(each);
    if (known === undefined) {
      const own = await filesOnce(run, each);
      if (own === undefined) return { ...way, isThere: false };
      if (own.length > 0) way = { ...way, files: [...way.files, ...own] };
      run.ways.set(each, way);
    } else way = known;
  }
  return way;
}

/** What is not there may come, with files that this run has not seen. */
function filesOnce(run: Run, directory: string): Promise<Files | undefined> {
  const known = run.inDirectory.get(directory) ?? filesIn(run, directory);
  run.inDirectory.set(directory, known);
  void known.then((files) => files === undefined && run.inDirectory.delete(directory));
  return known;
}

/** Undefined where nothing is. */
async function filesIn(run: Run, directory: string): Promise<Files | undefined> {
  const kinds = await kindsIn(run, directory);
  if (kinds === undefined || kinds.length === 0) return kinds && [];
  const loaded = await Promise.all(kinds.map((kind) => loadIgnoreFile(kind, directory, run)));
  return loaded.filter((each) => each !== undefined);
}

/** Which may be there. A directory that cannot be listed, or not whole, is asked for each by name. */
async function kindsIn(run: Run, directory: string): Promise<readonly IgnoreKind[] | undefined> {
  let listing = run.listings.get(directory);
  if (listing === undefined) {
    const { roots, followSymlinks } = run;
    const listed = await run.gate.list(directory, { roots, followSymlinks });
    if (!listed.ok && listed.code === 'not_found') return undefined;
    // Nothing is read in what is refused otherwise.
    if (!listed.ok) return listed.code === 'unreadable' || listed.code === 'io_error' ? run.kinds : [];
    listing = listed.snapshot;
  }
  const known = run.holding.get(listing) ?? mayHold(run, listing);
  run.holding.set(listing, known);
  return known;
}

/** Some file systems find a name in any case. */
function mayHold({ kinds, names }: Run, { entries, truncated }: DirectorySnapshot): readonly IgnoreKind[] {
  if (truncated) return kinds;
  const there = new Set(entries.map(({ name }) => name.toLowerCase()).filter((name) => names.has(name)));
  return there.size === 0 ? [] : kinds.filter(({ path }) => there.has(path.split('/')[0] as string));
}

/** What the files of the way say of one entry below all of them. */
async function judge(
  run: Run,
  path: string,
  { isDirectory, top, files }: { isDirectory: boolean; top: Top; files: Files },
): Promise<IgnoreVerdict> {
  if (files.length === 0) return undefined;
  const { name, real } = top;
  const names = name === real ? [path] : [path, joinPath(real, relativePath(name, path))];
  return spend(decideBy(path, { isDirectory, names }, files), run.allowance);
}

function* decideBy(
  path: string,
  entry: { isDirectory: boolean; names: readonly string[] },
  files: Files,
): Steps<PolicyDecision | undefined> {
  const decided = new Set<IgnoreKind>();
  // From the nearest up.
  for (const file of files.toReversed()) {
    const { kind, excludesAll } = file;
    if (excludesAll !== undefined) return leftOutBy(file);
    if (decided.has(kind)) continue;
    const rule = yield* findRule(path, entry, file);
    if (rule?.ignores) return leftOutBy(file, rule);
    if (rule !== undefined && kind.isNested) decided.add(kind);
  }
  return undefined;
}

function leftOutBy({ path, excludesAll }: LoadedIgnoreFile, rule?: IgnoreRule): PolicyDecision {
  const detail =
    rule === undefined
      ? `${path} ${excludesAll}, which leaves out everything below its directory`
      : `"${rule.pattern}" in ${path}:${rule.line}`;
  const decidedBy = { path, ...(rule && { pattern: rule.pattern, line: rule.line }) };
  return { allowed: false, reason: { code: 'blocked_by_ignore_file', detail }, decidedBy };
}
