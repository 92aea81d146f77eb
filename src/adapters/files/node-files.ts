/**
 * `Files` on the real disk (S-34 … S-49). A file is opened first, without following links and without blocking. Only
 * then its real place is checked: if a path is checked before it is opened, a link can replace it in between. On Linux
 * the kernel names the opened file (`/proc/self/fd/N`). Elsewhere the path is resolved again and compared by device and
 * inode, which leaves a small gap: two replacements at the right moments can deceive it.
 */
import { type BigIntStats, readlinkSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { homedir } from 'node:os';
import { normalizePath } from '../../access/paths.ts';
import { isKernelPlace, liesInRoots, misplacedCode, placesInRoots } from '../../access/reach.ts';
import type { FileRefusal, FileStat, Files, PathKind, ReachOptions } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';
import { isByKernel } from './by-kernel.ts';
import { listEntries } from './list-entries.ts';
import { createLocalLooks, type LocalLooks, laterLooks } from './local-look.ts';
import { type OpenFile, openFile } from './open-file.ts';
import { createPersistence, Refused, toRefusal } from './refusals.ts';
import { hashBytes, readBytes, takeSettled } from './settled-read.ts';
import { realPathLater, realPathNow, resolveLinks, statLater, statNow, toFileStat } from './stat-path.ts';

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
