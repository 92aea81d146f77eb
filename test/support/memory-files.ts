import { createHash } from 'node:crypto';
import { baseName, parentPath } from '../../src/access/paths.ts';
import { isKernelPlace, liesInRoots, misplacedCode, placesInRoots } from '../../src/access/reach.ts';
import type {
  Clock,
  DirectoryEntry,
  DirectoryListing,
  FileContent,
  FileRefusal,
  FileStat,
  Files,
  ReachOptions,
} from '../../src/ports/ports.ts';

type Refused = FileRefusal['code'];
type Thing = { inode: number; mode: number; version: number; changedAtMs: number } & (
  | { kind: 'file'; bytes: Uint8Array }
  | { kind: 'directory'; children: Map<string, Thing>; undecodable: string[] }
  | { kind: 'symlink'; target: string }
  | { kind: 'other' }
);
type Directory = Extract<Thing, { kind: 'directory' }>;
type Found = { thing: Thing; realPath: string };

/** A file system in memory. Its changing methods throw on a mistake in the test, such as removing what is not there. */
export type MemoryFiles = Files & {
  /** How often `read`, `list`, `stat` and `realPath` were called. */
  reads: number;
  lists: number;
  stats: number;
  realPaths: number;
  /** The real path of every file and directory that was opened, refused ones left out, in order. */
  opened: string[];
  /** Sets the counters to 0 and empties `opened`. */
  resetCounters(): void;
  /** Creates or overwrites a file, and the directories on the way. */
  write(path: string, content: string | Uint8Array): void;
  makeDirectory(path: string): void;
  /** Removes what lies there, with everything below. */
  remove(path: string): void;
  rename(from: string, to: string): void;
  /** `target` as written: absolute, or relative to the directory of the link. It need not exist. */
  symlink(path: string, target: string): void;
  fifo(path: string): void;
  /** Only the owner's bits count: `0o400` to read or list, `0o100` to reach what is below a directory. */
  setMode(path: string, mode: number): void;
  /** An entry whose name is not valid UTF-8; `path` says how it is listed. */
  addUndecodable(path: string): void;
};

const encoder = new TextEncoder();
const stepMs = 2_000;

/**
 * An in-memory workspace from absolute paths to contents; a path that ends in `/` is an empty directory. `clock` gives
 * change times in steps of two seconds, the coarsest that file systems have: a signature stays the same where a write
 * keeps the size within such a step. Without it all was changed at 0, long ago, and each write changes the signature.
 */
export function createMemoryFiles(
  tree: Record<string, string | Uint8Array>,
  options: { homeDirectory?: string; clock?: Pick<Clock, 'now'> } = {},
): MemoryFiles {
  let inodes = 0;
  let versions = 0;
  const changed = () => {
    if (options.clock === undefined) return { version: ++versions, changedAtMs: 0 };
    const changedAtMs = options.clock.now() - (options.clock.now() % stepMs);
    return { version: changedAtMs, changedAtMs };
  };
  const born = (mode: number) => ({ inode: ++inodes, mode, ...changed() });
  const newDirectory = (): Directory => ({ ...born(0o755), kind: 'directory', children: new Map(), undecodable: [] });
  const top = newDirectory();

  /** As the kernel walks a path, including a link at its end only when `followLast`. */
  function find(path: string, followLast: boolean): Found | Refused {
    const pending = path.split('/').reverse();
    const trail: { name: string; thing: Thing }[] = [];
    let links = 0;
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      const directory = trail.at(-1)?.thing ?? top;
      if (directory.kind !== 'directory') return 'not_found';
      if (name === '' || name === '.') continue;
      if (!(directory.mode & 0o100)) return 'unreadable';
      if (name === '..') {
        trail.pop();
        continue;
      }
      const thing = directory.children.get(name);
      if (thing === undefined) return 'not_found';
      if (thing.kind !== 'symlink' || (pending.length === 0 && !followLast)) {
        trail.push({ name, thing });
        continue;
      }
      links += 1;
      if (links > 40) return 'symlink';
      if (thing.target.startsWith('/')) trail.length = 0;
      for (const segment of thing.target.split('/').reverse()) pending.push(segment);
    }
    return { thing: trail.at(-1)?.thing ?? top, realPath: `/${trail.map(({ name }) => name).join('/')}` };
  }

  function statOf(thing: Thing): FileStat {
    const size = thing.kind === 'file' ? thing.bytes.length : 0;
    const { kind, changedAtMs, inode } = thing;
    const signature = `${inode}:${size}:${thing.version}:${thing.mode}`;
    return { ok: true, kind, size, signature, changedAtMs, identity: String(inode) };
  }

  function openPlace(place: string, kind: Thing['kind'], options: ReachOptions): Found | Refused {
    if (isKernelPlace(place, options.roots)) return 'pseudo_file';
    const found = find(place, options.followSymlinks);
    if (typeof found === 'string') return found;
    const { thing, realPath } = found;
    if (thing.kind === 'symlink') return 'symlink';
    if (options.followSymlinks && !liesInRoots(realPath, options.roots)) return 'outside_roots';
    if (!options.followSymlinks && realPath !== place) return misplacedCode(realPath, options);
    if (isKernelPlace(realPath, options.roots)) return 'pseudo_file';
    if (thing.kind !== kind) return kind === 'file' ? 'not_regular_file' : 'not_directory';
    return thing.mode & 0o400 ? found : 'unreadable';
  }

  function open<Kind extends 'file' | 'directory'>(path: string, kind: Kind, options: ReachOptions) {
    let code: Refused = 'outside_roots';
    for (const [index, place] of placesInRoots(path, options.roots).entries()) {
      const found = openPlace(place, kind, options);
      if (typeof found !== 'string') {
        files.opened.push(found.realPath);
        return { ok: true as const, thing: found.thing as Extract<Thing, { kind: Kind }> };
      }
      if (index === 0 || code === 'not_found') code = found;
    }
    return { ok: false as const, code };
  }

  function directoryFor(path: string): Directory {
    if (path === '/') return top;
    const parent = directoryFor(parentPath(path));
    const existing = parent.children.get(baseName(path));
    if (existing?.kind === 'directory') return existing;
    if (existing !== undefined) throw new Error(`${path} is not a directory`);
    const directory = newDirectory();
    parent.children.set(baseName(path), directory);
    Object.assign(parent, changed());
    return directory;
  }

  function place(path: string, thing: Thing): void {
    const parent = directoryFor(parentPath(path));
    parent.children.set(baseName(path), thing);
    Object.assign(parent, changed());
  }

  function existing(path: string): Thing {
    const thing = directoryFor(parentPath(path)).children.get(baseName(path));
    if (thing === undefined) throw new Error(`${path} does not exist`);
    return thing;
  }

  const files: MemoryFiles = {
    reads: 0,
    lists: 0,
    stats: 0,
    realPaths: 0,
    opened: [],
    resetCounters() {
      Object.assign(files, { reads: 0, lists: 0, stats: 0, realPaths: 0, opened: [] });
    },

    homeDirectory: () => options.homeDirectory ?? '/home/user',
    async stat(path) {
      files.stats += 1;
      const found = find(path, false);
      return typeof found === 'string' ? { ok: false, code: found } : statOf(found.thing);
    },
    namesAreExact: true,
    statSoon: (path) => files.stat(path),
    async realPath(path) {
      files.realPaths += 1;
      const found = find(path, true);
      return typeof found === 'string' ? { ok: false, code: found } : { ok: true, realPath: found.realPath };
    },
    async list(path, options): Promise<DirectoryListing | FileRefusal> {
      files.lists += 1;
      const found = open(path, 'directory', options);
      if (!found.ok) return found;
      const { children, undecodable } = found.thing;
      const entries: DirectoryEntry[] = [];
      for (const [name, { kind }] of children) entries.push({ name, kind });
      for (const name of undecodable) entries.push({ name, kind: 'file', undecodable: true });
      entries.sort((a, b) => (a.name < b.name ? -1 : 1));
      const truncated = entries.length > options.maxEntries;
      return { ok: true, entries: entries.slice(0, options.maxEntries), truncated, stat: statOf(found.thing) };
    },
    async read(path, options): Promise<FileContent | FileRefusal> {
      files.reads += 1;
      const found = open(path, 'file', options);
      if (!found.ok) return found;
      const { bytes } = found.thing;
      const truncated = bytes.length > options.maxBytes;
      const delivered = bytes.subarray(0, options.maxBytes);
      return { ok: true, bytes: delivered, size: bytes.length, truncated, stat: statOf(found.thing) };
    },
    async hash(path, { maxMs, ...options }) {
      files.reads += 1;
      const found = open(path, 'file', options);
      if (!found.ok) return found;
      // Here nothing takes time: only who gives none is too slow.
      if (maxMs < 0) return { ok: false, code: 'too_slow' };
      return {
        ok: true,
        sha256: createHash('sha256').update(found.thing.bytes).digest('hex'),
        stat: statOf(found.thing),
      };
    },

    write(path, content) {
      const bytes = typeof content === 'string' ? encoder.encode(content) : content.slice();
      const thing = directoryFor(parentPath(path)).children.get(baseName(path));
      if (thing === undefined) place(path, { ...born(0o644), kind: 'file', bytes });
      else if (thing.kind === 'file') Object.assign(thing, { bytes }, changed());
      else throw new Error(`${path} is not a file`);
    },
    makeDirectory(path) {
      directoryFor(path);
    },
    remove(path) {
      existing(path);
      const parent = directoryFor(parentPath(path));
      parent.children.delete(baseName(path));
      Object.assign(parent, changed());
    },
    rename(from, to) {
      const thing = existing(from);
      files.remove(from);
      place(to, Object.assign(thing, changed()));
    },
    symlink(path, target) {
      place(path, { ...born(0o777), kind: 'symlink', target });
    },
    fifo(path) {
      place(path, { ...born(0o644), kind: 'other' });
    },
    setMode(path, mode) {
      Object.assign(existing(path), { mode }, changed());
    },
    addUndecodable(path) {
      const parent = directoryFor(parentPath(path));
      parent.undecodable.push(baseName(path));
      Object.assign(parent, changed());
    },
  };

  for (const [path, content] of Object.entries(tree)) {
    if (path.endsWith('/')) directoryFor(path === '/' ? path : path.slice(0, -1));
    else files.write(path, content);
  }
  return files;
}
