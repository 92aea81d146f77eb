// Long because opening, checking and reading a file are one sequence, safe only as a whole.
/**
 * `Files` on the real disk (security.md 34–49). A file is opened first, without following links and without blocking,
 * and only then asked where it really lies: checking a path before opening it leaves a gap in which a link can slip in.
 * On Linux the kernel names the opened file (`/proc/self/fd/N`). Elsewhere the path is resolved again and compared by
 * device and inode, which is narrower: it can be deceived by two swaps at the right moments.
 */
import { isUtf8 } from 'node:buffer';
import { type BigIntStats, constants, type Dirent, existsSync, lstat, realpath } from 'node:fs';
import { type FileHandle, open, opendir, readdir, readlink, statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { normalizePath } from '../paths.ts';
import type { DirectoryEntry, FileKind, FileRefusal, FileStat, Files, ReachOptions } from '../ports.ts';
import { isKernelPlace, liesInRoots, misplacedCode, placesInRoots } from '../reach.ts';
import { createTurns } from '../turns.ts';

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

/**
 * How often a refusal that may pass is tried again: it vanished or moved between two system calls, another file took
 * its place after it was opened (S-48), no descriptor is free (S-49; half a second in all).
 */
const retriesOf = { vanished: 1, replaced: 5, crowded: 9 };
const hopelessMs = 1000;
type Passing = keyof typeof retriesOf;
type Meaning = readonly [code: FileRefusal['code'], passing?: Passing];

class Refused extends Error {
  readonly meaning: Meaning;

  constructor(...meaning: Meaning) {
    super(meaning[0]);
    this.meaning = meaning;
  }
}

const meanings: Record<string, Meaning> = {
  ENOENT: ['not_found', 'vanished'],
  ENOTDIR: ['not_found', 'vanished'],
  ESTALE: ['not_found', 'vanished'],
  EISDIR: ['not_regular_file', 'vanished'],
  ENAMETOOLONG: ['not_found'],
  ERR_INVALID_ARG_VALUE: ['not_found'],
  ELOOP: ['symlink'],
  EACCES: ['unreadable'],
  EPERM: ['unreadable'],
  ENXIO: ['not_regular_file'],
  ENODEV: ['not_regular_file'],
  EAGAIN: ['not_regular_file'],
  EMFILE: ['io_error', 'crowded'],
  ENFILE: ['io_error', 'crowded'],
};

function meaningOf(error: unknown): Meaning {
  if (error instanceof Refused) return error.meaning;
  return meanings[(error as NodeJS.ErrnoException).code ?? ''] ?? ['io_error'];
}

function toRefusal(error: unknown): FileRefusal {
  return { ok: false, code: meaningOf(error)[0] };
}

function kindOf(entry: BigIntStats | Dirent<string | Buffer>): FileKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

function toFileStat(stats: BigIntStats): FileStat {
  const { dev, ino, size, mtimeNs, ctimeNs, mode } = stats;
  const signature = `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}:${mode}`;
  const changedAtMs = Number(mtimeNs > ctimeNs ? stats.mtimeMs : stats.ctimeMs);
  return { ok: true, kind: kindOf(stats), size: Number(size), signature, changedAtMs };
}

/** Callbacks, not promises: about half the cost, and this is the call of the hot path. */
function stat(absolutePath: string): Promise<FileStat | FileRefusal> {
  return new Promise((resolve) => {
    try {
      lstat(absolutePath, bigint, (error, stats) => resolve(error === null ? toFileStat(stats) : toRefusal(error)));
    } catch (error) {
      resolve(toRefusal(error));
    }
  });
}

function resolveLinks(absolutePath: string): Promise<string> {
  return new Promise((resolve, reject) => {
    realpath.native(absolutePath, (error, realPath) => (error === null ? resolve(realPath) : reject(error)));
  });
}

/** Runs steps in turns, each again when its refusal may pass. */
function createPersistence(parallelOpens: number) {
  const inTurn = createTurns(parallelOpens);
  let hopelessUntil = 0;
  return <T>(step: () => Promise<T>): Promise<T> =>
    inTurn(async (turn) => {
      const retries = { vanished: 0, replaced: 0, crowded: 0 };
      for (;;) {
        try {
          return await step();
        } catch (error) {
          const [, passing] = meaningOf(error);
          if (passing === undefined) throw error;
          if (passing === 'crowded' && (await turn.giveWay())) continue;
          // Others hold the descriptors. Once a step has waited for one in vain, the next do not wait as well.
          const hopeless = passing === 'crowded' && performance.now() < hopelessUntil;
          if (hopeless || retries[passing] === retriesOf[passing]) {
            if (passing === 'crowded') hopelessUntil = performance.now() + hopelessMs;
            throw error;
          }
          retries[passing] += 1;
          if (passing === 'crowded') await delay(Math.min(2 ** retries.crowded, 200));
        }
      }
    });
}

/** The first `limit` bytes, as far as there are any; `st_size` is only a first guess. */
async function readBytes(handle: FileHandle, guess: number, limit: number): Promise<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(Math.min(guess + 1, limit));
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (bytesRead === 0 || length === limit) return buffer.subarray(0, length);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafeSlow(Math.min(length * 2 + 1, limit));
    buffer.copy(larger);
    buffer = larger;
  }
}

/**
 * Bytes that were the file's at the moment of `stat` (S-48): nothing changed around the read and the last change is
 * long enough ago, or two reads in a row, with `stat` taken between them, brought the same.
 */
async function readSettled(
  handle: FileHandle,
  first: FileStat,
  limit: number,
): Promise<{ bytes: Buffer; stat: FileStat }> {
  let before = first;
  let previous: Buffer | undefined;
  for (let reads = 0; reads < readsUntilSettled; reads += 1) {
    const bytes = await readBytes(handle, before.size, limit);
    if (previous?.equals(bytes)) return { bytes, stat: before };
    const after = toFileStat(await handle.stat(bigint));
    const quiet = after.signature === before.signature && Date.now() - before.changedAtMs > settledMs;
    if (quiet) return { bytes, stat: before };
    previous = bytes;
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

/** A name that is not UTF-8 comes with U+FFFD in it; only its bytes tell whether that character is really there (S-44). */
async function listEntries(path: string, limit: number): Promise<DirectoryEntry[]> {
  let dirents = await readEntries(path, limit, 'utf8');
  if (dirents.some(({ name }) => name.includes('\uFFFD'))) dirents = await readEntries(path, limit, 'buffer');
  return dirents
    .map((dirent): DirectoryEntry => {
      const entry = { name: dirent.name.toString(), kind: kindOf(dirent) };
      return typeof dirent.name === 'string' || isUtf8(dirent.name) ? entry : { ...entry, undecodable: true };
    })
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

/** Where an opened file really lies, and a path that names exactly it. */
type Locate = (handle: FileHandle, place: string, stats: BigIntStats) => Promise<string>;

const locateByKernel: Locate = (handle) => readlink(`/proc/self/fd/${handle.fd}`);

const locateByIdentity: Locate = async (_handle, place, stats) => {
  const realPath = await resolveLinks(place);
  const there = await stat(realPath);
  if (there.ok && there.signature.startsWith(`${stats.dev}:${stats.ino}:`)) return realPath;
  throw new Refused('not_found', 'vanished');
};

/**
 * `parallelOpens`: how many files and directories are open at once, default 16; further calls wait.
 * `homeDirectory`: default the user's; `/` when the system knows none.
 */
export function createNodeFiles(options: { parallelOpens?: number; homeDirectory?: string } = {}): Files {
  const home = normalizePath(options.homeDirectory ?? userHome());
  const persist = createPersistence(options.parallelOpens ?? 16);
  const byKernel = process.platform === 'linux' && existsSync('/proc/self/fd');
  const locate = byKernel ? locateByKernel : locateByIdentity;
  const kernelDevices = new Map<bigint, boolean>();

  async function refuseKernelFile(handle: FileHandle, device: bigint): Promise<void> {
    if (!byKernel) return;
    if (!kernelDevices.has(device)) {
      const { type } = await statfs(`/proc/self/fd/${handle.fd}`);
      kernelDevices.set(device, kernelFileSystems.has(type));
    }
    if (kernelDevices.get(device)) throw new Refused('pseudo_file');
  }

  type Use<T> = (handle: FileHandle, found: FileStat, place: string) => Promise<T>;

  async function usePlace<T>(place: string, kind: FileKind, options: ReachOptions, use: Use<T>): Promise<T> {
    const target = options.followSymlinks ? await resolveLinks(place) : place;
    if (!liesInRoots(target, options.roots)) throw new Refused('outside_roots');
    if (isKernelPlace(target, options.roots)) throw new Refused('pseudo_file');
    const handle = await open(target, openFlags);
    try {
      const stats = await handle.stat(bigint);
      const realPath = await locate(handle, target, stats);
      // Not where it was asked for: a link on the way, or, which a second look shows, it was moved in between.
      if (realPath.endsWith(' (deleted)') && realPath !== target) throw new Refused('not_found', 'replaced');
      if (realPath !== target) throw new Refused(misplacedCode(realPath, options), 'vanished');
      const found = toFileStat(stats);
      if (found.kind !== kind) throw new Refused(kind === 'file' ? 'not_regular_file' : 'not_directory');
      await refuseKernelFile(handle, stats.dev);
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
        if (code === 'not_found') [code] = meaningOf(error);
      }
    }
    return { ok: false, code };
  }

  return {
    homeDirectory: () => home,
    stat,
    async realPath(path) {
      try {
        return { ok: true, realPath: await resolveLinks(path) };
      } catch (error) {
        return toRefusal(error);
      }
    },
    list: (path, options) =>
      reach(path, 'directory', options, async (handle, found, place) => {
        const { maxEntries } = options;
        const limit = found.size <= smallDirectoryBytes ? Number.POSITIVE_INFINITY : maxEntries + 1;
        const entries = await listEntries(byKernel ? `/proc/self/fd/${handle.fd}` : place, limit);
        if (!byKernel) await locateByIdentity(handle, place, await handle.stat(bigint));
        return { ok: true, entries: entries.slice(0, maxEntries), truncated: entries.length > maxEntries, stat: found };
      }),
    read: (path, options) =>
      reach(path, 'file', options, async (handle, found) => {
        const { maxBytes } = options;
        const { bytes, stat } = await readSettled(handle, found, maxBytes + 1);
        const delivered = new Uint8Array(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, maxBytes));
        const size = Math.max(stat.size, bytes.length);
        return { ok: true, bytes: delivered, size, truncated: bytes.length > maxBytes, stat };
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
