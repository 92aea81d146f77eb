// Long, because opening, checking and reading a file are one sequence, which is safe only as a whole.
/**
 * `Files` on the real disk (S-34 … S-49). A file is opened first, without following links and without blocking. Only
 * then its real place is checked: if a path is checked before it is opened, a link can replace it in between. On Linux
 * the kernel names the opened file (`/proc/self/fd/N`). Elsewhere the path is resolved again and compared by device and
 * inode, which leaves a small gap: two replacements at the right moments can deceive it.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { type BigIntStats, type Dirent, lstat, lstatSync, readlinkSync, realpath, realpathSync } from 'node:fs';
import { opendir, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { normalizePath } from '../../access/paths.ts';
import { isKernelPlace, liesInRoots, misplacedCode, placesInRoots } from '../../access/reach.ts';
import type { DirectoryEntry, FileRefusal, FileStat, Files, PathKind, ReachOptions } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';
import { compareText } from '../../texts/compare-text.ts';
import { isByKernel } from './by-kernel.ts';
import { createLocalLooks, type LocalLooks, laterLooks } from './local-look.ts';
import { answerOf, type Entries, type OpenFile, openFile } from './open-file.ts';
import { createPersistence, Refused, toRefusal } from './refusals.ts';

const bigint = { bigint: true } as const;
/**
 * The kernel's file systems: proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs, configfs, pstore,
 * selinuxfs, efivarfs, bpf, nsfs.
 */
const kernelFileSystems = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0x62656570, 0x6165676c,
  0xf97cff8c, 0xde5e81e4, 0xcafe4a11, 0x6e736673,
]);
/** A directory up to this size (`st_size`) is listed at once; a larger one in pieces up to `maxEntries`. */
const smallDirectoryBytes = 64 * 1024;
/** A file that changed more recently may be in the middle of a write that its change time does not show. */
const settledMs = 100;
const readsUntilSettled = 6;
/** Between two reads of such a file: writers need up to half of it from one call to the next. */
const betweenReadsMs = 1;
/** Bytes that are hashed at once. So many are read in a thread, so that other work has its turn after each piece. */
const hashedAtOnceBytes = 512 * 1024;

function kindOf(entry: BigIntStats | Dirent<string | Buffer>): PathKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

function toFileStat(stats: BigIntStats): FileStat {
  const { dev, ino, size, mtimeNs, ctimeNs, mode } = stats;
  const identity = `${dev}:${ino}`;
  const signature = `${identity}:${size}:${mtimeNs}:${ctimeNs}:${mode}`;
  const changedAtMs = Number(mtimeNs > ctimeNs ? stats.mtimeMs : stats.ctimeMs);
  return { ok: true, kind: kindOf(stats), size: Number(size), signature, changedAtMs, identity };
}

function statLater(absolutePath: string): Promise<FileStat | FileRefusal> {
  return answerOf<BigIntStats>((done) => lstat(absolutePath, bigint, done)).then(toFileStat, toRefusal);
}

const orNothing = { bigint: true, throwIfNoEntry: false } as const;
const missing: FileRefusal = Object.freeze({ ok: false, code: 'not_found' });

function statNow(absolutePath: string): FileStat | FileRefusal {
  try {
    const stats = lstatSync(absolutePath, orNothing);
    if (stats === undefined) return missing;
    const before = lastStats.get(absolutePath);
    if (before !== undefined && isSame(before.stats, stats)) return before.stat;
    const stat = toFileStat(stats);
    if (lastStats.size >= maxLastStats && performance.now() - clearedAtMs > clearEveryMs) {
      lastStats.clear();
      clearedAtMs = performance.now();
    }
    if (before !== undefined || lastStats.size < maxLastStats) lastStats.set(absolutePath, { stats, stat });
    return stat;
  } catch (error) {
    return toRefusal(error);
  }
}

/**
 * The last result for each path: comparing numbers is cheaper than writing the same signature again. A search of a
 * large repository looks at more paths than fit, and must not replace the contents again and again.
 */
const lastStats = new Map<string, { stats: BigIntStats; stat: FileStat }>();
const maxLastStats = 8_192;
const clearEveryMs = 60_000;
let clearedAtMs = 0;

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return (
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs &&
    one.size === other.size &&
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.mode === other.mode
  );
}

function resolveLinks(absolutePath: string): Promise<string> {
  return answerOf((done) => realpath.native(absolutePath, done));
}

type RealPath = Awaited<ReturnType<Files['realPath']>>;

function realPathLater(absolutePath: string): Promise<RealPath> {
  return resolveLinks(absolutePath).then((realPath) => ({ ok: true, realPath }), toRefusal);
}

/** Checks first whether the path exists. An error would cost more than this look. */
function realPathNow(absolutePath: string): RealPath {
  const there = statNow(absolutePath);
  if (!there.ok && there.code === 'not_found') return there;
  try {
    return { ok: true, realPath: realpathSync.native(absolutePath) };
  } catch (error) {
    return toRefusal(error);
  }
}

/** The first `limit` bytes of a file. `guess` is `st_size`, which is right only if no more bytes come. */
async function readBytes(file: OpenFile, guess: number, limit: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(guess + 1, limit));
  let length = 0;
  for (;;) {
    const bytes = await file.read(buffer.subarray(length), length);
    length += bytes;
    if (bytes === 0 || length === guess || length === limit) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafeSlow(Math.min(length * 2 + 1, limit));
    buffer.copy(larger);
    buffer = larger;
  }
}

/** The SHA-256 of the whole file, read in pieces. Undefined if `deadline` (monotonic milliseconds) passes. */
async function hashBytes(file: OpenFile, deadline: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(hashedAtOnceBytes);
  for (let position = 0; ; ) {
    const bytes = await file.read(buffer, position);
    if (bytes === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytes));
    position += bytes;
    if (performance.now() > deadline) return undefined;
  }
}

/**
 * The result of `take` for the file as it was at the moment of `stat` (S-48). It is valid if nothing changed during
 * `take` and the last change is old enough, or if two results in a row, with `stat` between them, are the same.
 */
async function takeSettled<Taken>(
  first: FileStat,
  statAgain: OpenFile['stat'],
  { take, isSame }: { take(before: FileStat): Promise<Taken>; isSame(one: Taken, other: Taken): boolean },
): Promise<{ taken: Taken; stat: FileStat }> {
  let before = first;
  let previous: Taken | undefined;
  for (let reads = 0; reads < readsUntilSettled; reads += 1) {
    const taken = await take(before);
    if (previous !== undefined && isSame(previous, taken)) return { taken, stat: before };
    const after = toFileStat(await statAgain());
    const quiet = after.signature === before.signature && Date.now() - before.changedAtMs > settledMs;
    if (quiet) return { taken, stat: before };
    previous = taken;
    before = after;
    // The last two reads follow each other at once, for a file that is written all the time.
    if (reads < readsUntilSettled - 2) await delay(betweenReadsMs);
  }
  throw new Refused('io_error');
}

/** At most `limit` entries of a directory, in the order of the file system. */
async function readEntries(path: string, limit: number, encoding: 'utf8' | 'buffer'): Promise<Entries> {
  const entries: Entries = [];
  // The declared types do not know 'buffer', which works.
  const directory = await opendir(path, { encoding: encoding as 'utf8', bufferSize: 1024 });
  try {
    for (let entry = await directory.read(); entry !== null; entry = await directory.read()) {
      if (entries.push(entry) === limit) break;
    }
  } finally {
    await directory.close();
  }
  return entries;
}

/**
 * A name that is not UTF-8 comes with U+FFFD in it. Only its bytes tell whether the name really has that character
 * (S-44). A name that really has it sorts before names that only look the same.
 */
async function listEntries(file: OpenFile, path: string, limit: number | undefined): Promise<DirectoryEntry[]> {
  const read = (encoding: 'utf8' | 'buffer') =>
    limit === undefined ? file.list(path, encoding) : readEntries(path, limit, encoding);
  let dirents = await read('utf8');
  if (dirents.some(({ name }) => name.includes('\uFFFD'))) dirents = await read('buffer');
  return dirents
    .map((dirent): DirectoryEntry => {
      const entry = { name: dirent.name.toString(), kind: kindOf(dirent) };
      return typeof dirent.name === 'string' || isUtf8(dirent.name) ? entry : { ...entry, undecodable: true };
    })
    .sort((a, b) => compareText(a.name, b.name) || Number(a.undecodable ?? 0) - Number(b.undecodable ?? 0));
}

/** The real place of an opened file. */
type Locate = (file: OpenFile, place: string, stats: BigIntStats) => string | Promise<string>;

/** Asks the kernel only, without waiting for a disk. */
const locateByKernel: Locate = ({ descriptor }) => readlinkSync(`/proc/self/fd/${descriptor}`);

const locateByIdentity: Locate = async (_file, place, stats) => {
  const realPath = await resolveLinks(place);
  const there = await statLater(realPath);
  if (there.ok && there.identity === `${stats.dev}:${stats.ino}`) return realPath;
  throw new Refused('not_found', 'vanished');
};

/** Refuses files of the kernel, by their device. */
function createKernelFileCheck(): (file: OpenFile, device: bigint) => Promise<void> {
  const kernelDevices = new Map<bigint, boolean>();
  return async ({ descriptor }, device) => {
    if (!kernelDevices.has(device)) {
      const { type } = await statfs(`/proc/self/fd/${descriptor}`);
      kernelDevices.set(device, kernelFileSystems.has(type));
    }
    if (kernelDevices.get(device)) throw new Refused('pseudo_file');
  };
}

type Use<T> = (file: OpenFile, found: FileStat, place: string) => Promise<T>;

/** `visit` runs what is done with one place in its turn, again if a refusal may be temporary. */
type Ways = Readonly<{
  locate: Locate;
  refuseKernelFile: ReturnType<typeof createKernelFileCheck> | undefined;
  look: LocalLooks['look'];
  visit: LocalLooks['visit'];
}>;

/** Opens what has a path, if it is of this kind. */
function createReach(kind: PathKind, { locate, refuseKernelFile, look, visit }: Ways) {
  async function usePlace<T>(place: string, options: ReachOptions, use: Use<T>): Promise<T> {
    const target = options.followSymlinks ? await resolveLinks(place) : place;
    if (!liesInRoots(target, options.roots)) throw new Refused('outside_roots');
    if (isKernelPlace(target, options.roots)) throw new Refused('pseudo_file');
    const file = await openFile(target, look);
    try {
      const stats = await file.stat();
      const realPath = await locate(file, target, stats);
      // A link was on the way, or the file was moved in between; another try shows which.
      if (realPath.endsWith(' (deleted)') && realPath !== target) throw new Refused('not_found', 'replaced');
      if (realPath !== target) throw new Refused(misplacedCode(realPath, options), 'vanished');
      const found = toFileStat(stats);
      if (found.kind !== kind) throw new Refused(kind === 'file' ? 'not_regular_file' : 'not_directory');
      await refuseKernelFile?.(file, stats.dev);
      return await use(file, found, target);
    } finally {
      await file.close();
    }
  }

  return async <T>(path: string, options: ReachOptions, use: Use<T>): Promise<T | FileRefusal> => {
    const places = placesInRoots(path, options.roots);
    let code: FileRefusal['code'] = places.length === 0 ? 'outside_roots' : 'not_found';
    for (const place of places) {
      try {
        return await visit(place, () => usePlace(place, options, use));
      } catch (error) {
        if (code === 'not_found') ({ code } = toRefusal(error));
      }
    }
    return { ok: false, code };
  };
}

/**
 * `parallelOpens`: how many files and directories may be open at once; more calls wait. `homeDirectory`: by
 * default the user's; `/` if the system has none.
 */
export function createNodeFiles(options: { parallelOpens?: number; homeDirectory?: string } = {}): Files {
  const home = normalizePath(options.homeDirectory ?? userHome());
  const persist = createPersistence(options.parallelOpens ?? fixedLimits.request.parallelOpens);
  const byKernel = isByKernel();
  const { look, visit } = byKernel ? createLocalLooks() : laterLooks;
  const statSoon: Files['statSoon'] = (path) => look(path, { follows: false, now: statNow, later: statLater });
  const ways: Ways = {
    locate: byKernel ? locateByKernel : locateByIdentity,
    refuseKernelFile: byKernel ? createKernelFileCheck() : undefined,
    look,
    visit: (place, calls) => visit(place, () => persist(calls)),
  };
  const reachDirectory = createReach('directory', ways);
  const reachFile = createReach('file', ways);

  return {
    homeDirectory: () => home,
    namesAreExact: byKernel,
    stat: async (path) => statSoon(path),
    statSoon,
    realPath: async (path) => look(path, { follows: true, now: realPathNow, later: realPathLater }),
    list: (path, options) =>
      reachDirectory(path, options, async (file, found, place) => {
        const { maxEntries } = options;
        const limit = found.size <= smallDirectoryBytes ? undefined : maxEntries + 1;
        const entries = await listEntries(file, byKernel ? `/proc/self/fd/${file.descriptor}` : place, limit);
        if (!byKernel) await locateByIdentity(file, place, await file.stat());
        return { ok: true, entries: entries.slice(0, maxEntries), truncated: entries.length > maxEntries, stat: found };
      }),
    read: (path, options) =>
      reachFile(path, options, async (file, found) => {
        const { maxBytes } = options;
        const { taken: bytes, stat } = await takeSettled(found, file.stat, {
          take: ({ size }) => readBytes(file, size, maxBytes + 1),
          isSame: (one, other) => one.equals(other),
        });
        const delivered = new Uint8Array(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, maxBytes));
        const size = Math.max(stat.size, bytes.length);
        return { ok: true, bytes: delivered, size, truncated: bytes.length > maxBytes, stat };
      }),
    hash: (path, { maxMs, ...options }) =>
      reachFile(path, options, async (file, found) => {
        const deadline = performance.now() + maxMs;
        const { taken: sha256, stat } = await takeSettled(found, file.stat, {
          take: async () => (await hashBytes(file, deadline)) ?? 'too_slow',
          isSame: (one, other) => one === other,
        });
        return sha256 === 'too_slow' ? { ok: false, code: sha256 } : { ok: true, sha256, stat };
      }),
  };
}

function userHome(): string {
  try {
    return homedir();
  } catch {
    return '/';
  }
}
