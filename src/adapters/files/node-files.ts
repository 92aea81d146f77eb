// Long because opening, checking and reading a file are one sequence, safe only as a whole.
/**
 * `Files` on the real disk (S-34 … S-49). A file is opened first, without following links and without blocking,
 * and only then asked where it really lies: checking a path before opening it leaves a gap in which a link can slip in.
 * On Linux the kernel names the opened file (`/proc/self/fd/N`). Elsewhere the path is resolved again and compared by
 * device and inode, which is narrower: it can be deceived by two swaps at the right moments.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  constants,
  type Dirent,
  fstatSync,
  lstat,
  lstatSync,
  readlinkSync,
  realpath,
  realpathSync,
} from 'node:fs';
import { type FileHandle, open, opendir, readdir, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { normalizePath } from '../../access/paths.ts';
import { isKernelPlace, liesInRoots, misplacedCode, placesInRoots } from '../../access/reach.ts';
import type { DirectoryEntry, FileKind, FileRefusal, FileStat, Files, ReachOptions } from '../../ports/ports.ts';
import { compareText } from '../../texts/compare-text.ts';
import { isByKernel } from './by-kernel.ts';
import { createLocalLook, lookLater } from './local-look.ts';
import { createPersistence, Refused, toRefusal } from './refusals.ts';

const bigint = { bigint: true } as const;
/** The last three are undefined on Windows, which `|` takes as 0. libuv always adds `O_CLOEXEC`. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
/** proc, sysfs, devpts, cgroup, cgroup2, debugfs, tracefs, securityfs, configfs, pstore, selinuxfs, efivarfs, bpf, nsfs. */
const kernelFileSystems = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x27e0eb, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0x62656570, 0x6165676c,
  0xf97cff8c, 0xde5e81e4, 0xcafe4a11, 0x6e736673,
]);
/** A directory of at most this size (`st_size`) is listed in one go; a bigger one is read in pieces up to `maxEntries`. */
const smallDirectoryBytes = 64 * 1024;
/** A file changed less than this ago may be in the middle of a write that its change time does not show any more. */
const settledMs = 100;
const readsUntilSettled = 6;
/** So much of a file is hashed in one go. */
const hashedAtOnceBytes = 256 * 1024;

function kindOf(entry: BigIntStats | Dirent<string | Buffer>): FileKind {
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

/** Callbacks, not promises: about half the cost. */
function statLater(absolutePath: string): Promise<FileStat | FileRefusal> {
  return new Promise((resolve) => {
    try {
      lstat(absolutePath, bigint, (error, stats) => resolve(error === null ? toFileStat(stats) : toRefusal(error)));
    } catch (error) {
      resolve(toRefusal(error));
    }
  });
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
 * What was last found at a path: to compare numbers is cheaper than to write the same signature again. A search of a large
 * repository looks at more paths than these, and must not fill it over and over.
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
  return new Promise((resolve, reject) => {
    realpath.native(absolutePath, (error, realPath) => (error === null ? resolve(realPath) : reject(error)));
  });
}

type RealPath = Awaited<ReturnType<Files['realPath']>>;

function realPathLater(absolutePath: string): Promise<RealPath> {
  return resolveLinks(absolutePath).then((realPath) => ({ ok: true, realPath }), toRefusal);
}

/** What is not there is found out without an error, which costs more than the look. */
function realPathNow(absolutePath: string): RealPath {
  const there = statNow(absolutePath);
  if (!there.ok && there.code === 'not_found') return there;
  try {
    return { ok: true, realPath: realpathSync.native(absolutePath) };
  } catch (error) {
    return toRefusal(error);
  }
}

/** The first `limit` bytes, as far as there are any; `st_size` is only a first guess, and right where no byte more came. */
async function readBytes(handle: FileHandle, guess: number, limit: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(guess + 1, limit));
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === guess || length === limit) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafeSlow(Math.min(length * 2 + 1, limit));
    buffer.copy(larger);
    buffer = larger;
  }
}

/** SHA-256 of the whole file, piece by piece; undefined when `deadline` (monotonic milliseconds) passes. */
async function hashBytes(handle: FileHandle, deadline: number): Promise<string | undefined> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(hashedAtOnceBytes);
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, bytesRead));
    position += bytesRead;
    if (performance.now() > deadline) return undefined;
  }
}

/**
 * What `take` makes of the file as it was at the moment of `stat` (S-48): nothing changed around it and the last change
 * is long enough ago, or two in a row, with `stat` taken between them, brought the same.
 */
async function takeSettled<Taken>(
  first: FileStat,
  statAgain: () => Promise<BigIntStats>,
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
  }
  throw new Refused('io_error');
}

/** The entries of a directory: all of a small one, at most `limit` of any other, in the order of the file system. */
async function readEntries(
  path: string,
  limit: number,
  encoding: 'utf8' | 'buffer',
): Promise<Dirent<string | Buffer>[]> {
  // The declared types know 'buffer' only as a literal, and for opendir not at all; it works for both.
  const options = { encoding: encoding as 'utf8' };
  if (limit === Number.POSITIVE_INFINITY) return readdir(path, { ...options, withFileTypes: true });
  const entries: Dirent<string | Buffer>[] = [];
  const directory = await opendir(path, { ...options, bufferSize: 1024 });
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
 * A name that is not UTF-8 comes with U+FFFD in it; only its bytes tell whether that character is really there (S-44).
 * One that is really called so comes before those that only look like it.
 */
async function listEntries(path: string, limit: number): Promise<DirectoryEntry[]> {
  let dirents = await readEntries(path, limit, 'utf8');
  if (dirents.some(({ name }) => name.includes('\uFFFD'))) dirents = await readEntries(path, limit, 'buffer');
  return dirents
    .map((dirent): DirectoryEntry => {
      const entry = { name: dirent.name.toString(), kind: kindOf(dirent) };
      return typeof dirent.name === 'string' || isUtf8(dirent.name) ? entry : { ...entry, undecodable: true };
    })
    .sort((a, b) => compareText(a.name, b.name) || Number(a.undecodable ?? 0) - Number(b.undecodable ?? 0));
}

/** Where an opened file really lies, and a path that names exactly it. */
type Locate = (handle: FileHandle, place: string, stats: BigIntStats) => Promise<string>;

/** Asks the kernel alone, and waits for no disk. */
const locateByKernel: Locate = async (handle) => readlinkSync(`/proc/self/fd/${handle.fd}`);

const locateByIdentity: Locate = async (_handle, place, stats) => {
  const realPath = await resolveLinks(place);
  const there = await statLater(realPath);
  if (there.ok && there.identity === `${stats.dev}:${stats.ino}`) return realPath;
  throw new Refused('not_found', 'vanished');
};

/** Refuses files that the kernel makes up, by the device that they are on. */
function createKernelFileCheck(): (handle: FileHandle, device: bigint) => Promise<void> {
  const kernelDevices = new Map<bigint, boolean>();
  return async (handle, device) => {
    if (!kernelDevices.has(device)) {
      const { type } = await statfs(`/proc/self/fd/${handle.fd}`);
      kernelDevices.set(device, kernelFileSystems.has(type));
    }
    if (kernelDevices.get(device)) throw new Refused('pseudo_file');
  };
}

/** Of what is open the kernel knows what it is, so that on a local file system nobody waits. */
function createOpenedStat(look: typeof lookLater) {
  return async (handle: FileHandle, place: string): Promise<BigIntStats> =>
    look(place, {
      follows: false,
      now: () => fstatSync(handle.fd, bigint),
      later: () => handle.stat(bigint),
    });
}

type Use<T> = (handle: FileHandle, found: FileStat, place: string) => Promise<T>;

/**
 * `parallelOpens`: how many files and directories are open at once, default 16; further calls wait.
 * `homeDirectory`: default the user's; `/` when the system knows none.
 */
export function createNodeFiles(options: { parallelOpens?: number; homeDirectory?: string } = {}): Files {
  const home = normalizePath(options.homeDirectory ?? userHome());
  const persist = createPersistence(options.parallelOpens ?? 16);
  const byKernel = isByKernel();
  const locate = byKernel ? locateByKernel : locateByIdentity;
  const look = byKernel ? createLocalLook() : lookLater;
  const statSoon: Files['statSoon'] = (path) => look(path, { follows: false, now: statNow, later: statLater });
  const statOpened = createOpenedStat(look);
  const refuseKernelFile = byKernel ? createKernelFileCheck() : undefined;

  async function usePlace<T>(place: string, kind: FileKind, options: ReachOptions, use: Use<T>): Promise<T> {
    const target = options.followSymlinks ? await resolveLinks(place) : place;
    if (!liesInRoots(target, options.roots)) throw new Refused('outside_roots');
    if (isKernelPlace(target, options.roots)) throw new Refused('pseudo_file');
    const handle = await open(target, openFlags);
    try {
      const stats = await statOpened(handle, target);
      const realPath = await locate(handle, target, stats);
      // Not where it was asked for: a link on the way, or, which a second look shows, it was moved in between.
      if (realPath.endsWith(' (deleted)') && realPath !== target) throw new Refused('not_found', 'replaced');
      if (realPath !== target) throw new Refused(misplacedCode(realPath, options), 'vanished');
      const found = toFileStat(stats);
      if (found.kind !== kind) throw new Refused(kind === 'file' ? 'not_regular_file' : 'not_directory');
      await refuseKernelFile?.(handle, stats.dev);
      return await use(handle, found, target);
    } finally {
      await handle.close().catch(() => undefined);
    }
  }

  async function reach<T>(path: string, kind: FileKind, options: ReachOptions, use: Use<T>): Promise<T | FileRefusal> {
    const places = placesInRoots(path, options.roots);
    let code: FileRefusal['code'] = places.length === 0 ? 'outside_roots' : 'not_found';
    for (const place of places) {
      try {
        return await persist(() => usePlace(place, kind, options, use));
      } catch (error) {
        if (code === 'not_found') ({ code } = toRefusal(error));
      }
    }
    return { ok: false, code };
  }

  return {
    homeDirectory: () => home,
    namesAreExact: byKernel,
    stat: async (path) => statSoon(path),
    statSoon,
    realPath: async (path) => look(path, { follows: true, now: realPathNow, later: realPathLater }),
    list: (path, options) =>
      reach(path, 'directory', options, async (handle, found, place) => {
        const { maxEntries } = options;
        const limit = found.size <= smallDirectoryBytes ? Number.POSITIVE_INFINITY : maxEntries + 1;
        const entries = await listEntries(byKernel ? `/proc/self/fd/${handle.fd}` : place, limit);
        if (!byKernel) await locateByIdentity(handle, place, await handle.stat(bigint));
        return { ok: true, entries: entries.slice(0, maxEntries), truncated: entries.length > maxEntries, stat: found };
      }),
    read: (path, options) =>
      reach(path, 'file', options, async (handle, found, place) => {
        const { maxBytes } = options;
        const { taken: bytes, stat } = await takeSettled(found, () => statOpened(handle, place), {
          take: ({ size }) => readBytes(handle, size, maxBytes + 1),
          isSame: (one, other) => one.equals(other),
        });
        const delivered = new Uint8Array(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, maxBytes));
        const size = Math.max(stat.size, bytes.length);
        return { ok: true, bytes: delivered, size, truncated: bytes.length > maxBytes, stat };
      }),
    hash: (path, { maxMs, ...options }) =>
      reach(path, 'file', options, async (handle, found, place) => {
        const deadline = performance.now() + maxMs;
        const { taken: sha256, stat } = await takeSettled(found, () => statOpened(handle, place), {
          take: async () => (await hashBytes(handle, deadline)) ?? 'too_slow',
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
