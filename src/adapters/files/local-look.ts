/**
 * Looks at the disk that hold the event loop, where they are short: a synchronous one costs a fraction of one that crosses
 * threads. A look that leads to a network or another process may never end, and is never synchronous.
 */
import { lstatSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parentPath } from '../../access/paths.ts';
import { isKernelPlace } from '../../access/reach.ts';

/** File systems of this machine's own disks and memory. */
const localFileSystems = new Set(
  'ext2 ext3 ext4 xfs btrfs f2fs bcachefs zfs tmpfs ramfs overlay squashfs erofs'.split(' '),
);
const mountsTrustedMs = 2_000;
/** Where paths lead can change at any time; one request asks for many of them. */
const placesTrustedMs = 50;
/** How many paths in local places are kept. */
const maxNear = 8_192;
/** How long synchronous calls may hold one turn of the event loop. */
const maxHeldMs = 10;
/** As many as the kernel follows. */
const maxLinks = 40;

/** `follows`: whether the look follows a link at the end of the path, as it does those on the way. */
type Look = <T>(
  path: string,
  how: { follows: boolean; now: (path: string) => T; later: (path: string) => Promise<T> },
) => T | Promise<T>;

export const lookLater: Look = (path, { later }) => later(path);

/** Synchronous on a local file system, as long as that does not hold the event loop for long. */
export function createLocalLook(): Look {
  let mounts = ['/'];
  let mountsReadAt = Number.NEGATIVE_INFINITY;
  let heldMs = 0;
  const isRemote = (place: string): boolean => mounts.some((mount) => `${place}/`.startsWith(mount));
  const isLocal = createLocalPlaces(isRemote);
  const readMounts = async () => {
    mounts = remoteMounts(await readFile('/proc/self/mounts', 'utf8').catch(() => '- / unknown'));
  };
  return (path, { follows, now, later }) => {
    const start = performance.now();
    if (start - mountsReadAt > mountsTrustedMs) {
      mountsReadAt = start;
      void readMounts();
    }
    if (heldMs > maxHeldMs || isRemote(path)) return later(path);
    if (heldMs === 0) setImmediate(() => (heldMs = 0));
    const answer = isLocal(path, follows, start) ? now(path) : later(path);
    heldMs += performance.now() - start;
    return answer;
  };
}

/** Whether no link that a look follows leads to a remote place. Only local ones are looked at. */
function createLocalPlaces(
  isRemote: (place: string) => boolean,
): (path: string, follows: boolean, nowMs: number) => boolean {
  const known = new Map<string, boolean>();
  /** Paths in local directories: to find one here is cheaper than to cut off its directory and find that. */
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
 * The directories of a mount table (`/proc/self/mounts`), with a `/` at the end, below which a call may have to wait
 * for a network or another process.
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

/** Where the links of a path lead, one after the other. Throws where that cannot be told. */
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
    // What a link names can be no text, and be there.
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
