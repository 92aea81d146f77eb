/**
 * Asks the disk synchronously if that is quick, because crossing threads costs several times as much. A look at a
 * network file system or another process may never end, so it is never synchronous.
 */
import { lstatSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parentPath } from '../../access/paths.ts';
import { isKernelPlace } from '../../access/reach.ts';
import { createTurns } from '../../pace/turns.ts';
import { fixedLimits } from '../../settings.ts';

/** File systems of this machine's own disks and memory. */
const localFileSystems = new Set(
  'ext2 ext3 ext4 xfs btrfs f2fs bcachefs zfs tmpfs ramfs overlay squashfs erofs'.split(' '),
);
const mountsTrustedMs = 2_000;
/** The targets of paths can change at any time. But one request asks for many paths. */
const placesTrustedMs = 50;
/** Max remembered paths in local directories. */
const maxNear = 8_192;
/** Max time of synchronous calls in one turn of the event loop. */
const maxHeldMs = 10;
/** The kernel follows as many links. */
const maxLinks = 40;

/**
 * `follows`: whether the look follows a link at the end of the path. Links above it are always followed. `hasTurn`: it
 * is a part of a `visit`.
 */
type Look = <T>(
  path: string,
  how: { follows: boolean; hasTurn?: true; now: (path: string) => T; later: (path: string) => Promise<T> },
) => T | Promise<T>;

/** `visit`: several calls about one path, one after the other. */
export type LocalLooks = Readonly<{ look: Look; visit<T>(path: string, calls: () => Promise<T>): Promise<T> }>;

export const laterLooks: LocalLooks = { look: (path, { later }) => later(path), visit: (_path, calls) => calls() };

/**
 * `look` is synchronous on a local file system, as long as this does not hold the event loop for long. All other looks
 * and visits together leave a thread for local files, because one at a mount whose server is gone keeps its thread.
 */
export function createLocalLooks(): LocalLooks {
  const inTurn = createTurns(fixedLimits.silentDisks.remoteCalls);
  let mounts = ['/'];
  let mountsReadAt = Number.NEGATIVE_INFINITY;
  let heldMs = 0;
  const isRemote = (place: string): boolean => mounts.some((mount) => `${place}/`.startsWith(mount));
  const leadsToLocal = createLocalPlaces(isRemote);
  /** Without such mounts all is local, so no link needs to be followed. */
  const isLocal: typeof leadsToLocal = (...asked) => mounts.length === 0 || leadsToLocal(...asked);
  const readMounts = async () => {
    mounts = remoteMounts(await readFile('/proc/self/mounts', 'utf8').catch(() => '- / unknown'));
  };
  const keepMounts = (nowMs: number): void => {
    if (nowMs - mountsReadAt <= mountsTrustedMs) return;
    mountsReadAt = nowMs;
    void readMounts();
  };
  return {
    look(path, { follows, hasTurn, now, later }) {
      const start = performance.now();
      keepMounts(start);
      const waiting = () => (hasTurn ? later(path) : inTurn(() => later(path)));
      if (isRemote(path)) return waiting();
      if (heldMs > maxHeldMs) return later(path);
      if (heldMs === 0) setImmediate(() => (heldMs = 0));
      try {
        return isLocal(path, follows, start) ? now(path) : waiting();
      } finally {
        heldMs += performance.now() - start;
      }
    },
    async visit(path, calls) {
      const start = performance.now();
      keepMounts(start);
      return isLocal(path, true, start) ? calls() : inTurn(calls);
    },
  };
}

/** Whether every link that the look follows leads to a local place. This check looks only at local places. */
function createLocalPlaces(
  isRemote: (place: string) => boolean,
): (path: string, follows: boolean, nowMs: number) => boolean {
  const known = new Map<string, boolean>();
  /** Paths in local directories. Finding a path here is cheaper than finding its directory. */
  const near = new Set<string>();
  let knownSince = 0;
  const look = (path: string): boolean => {
    if (isRemote(path) || (path !== '/' && !find(parentPath(path)))) return false;
    const stats = lstatSync(path, quietly);
    return stats === undefined || !stats.isSymbolicLink() || staysLocal(path, isRemote);
  };
  const find = (path: string): boolean => {
    const before = known.get(path);
    if (before !== undefined) return before;
    let now = false;
    try {
      now = look(path);
    } catch {}
    known.set(path, now);
    return now;
  };
  return (path, follows, nowMs) => {
    if (nowMs - knownSince > placesTrustedMs || near.size === maxNear) {
      known.clear();
      near.clear();
      knownSince = nowMs;
    }
    if (follows) return find(path);
    if (near.has(path)) return true;
    const isNear = find(parentPath(path));
    if (isNear) near.add(path);
    return isNear;
  };
}

const quietly = { throwIfNoEntry: false } as const;

/**
 * The directories of a mount table (`/proc/self/mounts`), with a `/` at the end, in which a call may wait for a network
 * or another process.
 */
export function remoteMounts(table: string): string[] {
  return table.split('\n').flatMap((line) => {
    const [, directory, type] = line.split(' ');
    if (directory === undefined || type === undefined || localFileSystems.has(type)) return [];
    if (isKernelPlace(directory, [])) return [];
    const path = directory.replace(/\\(\d{3})/gu, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
    return path.endsWith('/') ? path : `${path}/`;
  });
}

/** Whether the links of a path lead only to local places. Follows one after the other. Throws if that is not known. */
function staysLocal(path: string, isRemote: (place: string) => boolean): boolean {
  const ahead = path.split('/').reverse();
  let [place, links, named] = ['', 0, 0];
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const isOfLink = named > 0;
    if (isOfLink) named -= 1;
    if (name === '..') place = place.slice(0, Math.max(0, place.lastIndexOf('/')));
    if (['', '.', '..'].includes(name)) continue;
    const next = `${place}/${name}`;
    if (isRemote(next)) return false;
    const stats = lstatSync(next, quietly);
    // The name in a link may not be valid text, so the target may exist all the same.
    if (stats === undefined) return !isOfLink;
    if (!stats.isSymbolicLink()) {
      place = next;
      continue;
    }
    links += 1;
    if (links > maxLinks) return false;
    const target = readlinkSync(next).split('/');
    if (target[0] === '') place = '';
    ahead.push(...target.reverse());
    named += target.length;
  }
  return true;
}
