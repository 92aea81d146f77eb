/** Decides which paths matter to listeners. Path arithmetic only (CC-19 … CC-21, AP-01). */

import { baseName, directoriesBetween, isInside, joinPath, parentPath, relativePath } from '../access/paths.ts';
import { isPolicyFile } from '../access/policy-file-names.ts';
import { decideSensitive } from '../access/sensitive.ts';
import { isSupportedType } from '../context/candidate.ts';
import { type ContextDirectory, isConfigFile, ownersBetween } from '../context/directories.ts';
import { planDirectories } from '../context/sources/ask-sources.ts';
import type { Searched } from '../context/sources/included.ts';
import { directoryOfIgnoreFile, ignoreFileFolders } from '../ignore/ignore-kinds.ts';
import type { WatchDecision } from '../ports/ports.ts';

/** An AI working directory of a request. Paths are absolute and normalised. */
export type Asked = {
  mountedDirectory: string;
  workingDirectory: string;
  clientContextPath: string;
  globalContextPath: string;
  /** Other directories that the answer depends on: those of included files, found or not, and of delivered files. */
  sources: readonly Source[];
};

/** `decides`: whether an entry of the directory matters. Policies and ignore files in it and above it always matter. */
export type Source = Pick<Searched, 'directory' | 'key' | 'decides' | 'isUngranted'>;

/**
 * `realPathOf`: the real path of a directory, undefined if it is in no granted root. `realPathAnywhere`: undefined only
 * if the directory does not exist or cannot be read. `directoriesAbove`: the directories above whose policies count
 * (AP-03).
 */
export type Disk = {
  realPathOf(path: string): Promise<string | undefined>;
  realPathAnywhere(path: string): Promise<string | undefined>;
  directoriesAbove(realPath: string): Promise<readonly string[]>;
};

/** The real path of a directory, and its name in a request. */
type Named = { mountedDirectory: string; realDirectory: string; directory: string };

export type WatchedPlaces = {
  /** Adds what an answer depends on. Returns the real paths of the directories to watch. */
  add(asked: Asked, disk: Disk): Promise<string[]>;
  decide(path: string, kind: 'file' | 'directory' | undefined): WatchDecision;
  /** The names of a real path in requests, and their mounted directories. */
  namesOf(realPath: string): { mountedDirectory: string; path: string }[];
};

/** The watched places, and who asked for them. */
function createPlaces() {
  return {
    /** By real path. */
    owners: new Set<string>(),
    ways: new Set<string>(),
    contextDirectories: new Set<string>(),
    named: new Map<string, Named>(),
    /** By directory, then by key. */
    sourcesIn: new Map<string, Map<string, Source>>(),
    /** By directory: the mounted directories below it, to which its policies and ignore files apply. */
    above: new Map<string, Set<string>>(),
  };
}
type Places = ReturnType<typeof createPlaces>;

/** `depth`: how many levels of folders below a context directory are searched. */
export function createWatchedPlaces({ depth }: { depth: number }): WatchedPlaces {
  const places = createPlaces();

  return {
    async add(asked, disk) {
      const { mountedDirectory, workingDirectory } = asked;
      const realMounted = await disk.realPathOf(mountedDirectory);
      if (realMounted === undefined) return [];
      const around: Around = { mountedDirectory, realMounted, placed: new Set(), disk };
      const { placed } = around;
      noteName(places, { mountedDirectory, realDirectory: realMounted, directory: mountedDirectory });
      for (const directory of await disk.directoriesAbove(realMounted)) {
        coverAbove(places, directory, mountedDirectory);
        placed.add(directory);
      }
      for (const owner of ownersBetween(mountedDirectory, workingDirectory)) {
        places.owners.add(realOf(owner, around));
        placed.add(realOf(owner, around));
      }
      const scopes = new Set(['global', 'static', 'dynamic'] as const);
      for (const { directory } of planDirectories({ ...asked, scopes }))
        await addContextDirectory(places, directory, around);
      const add = (source: Source): Promise<void> => addSource(places, source, around);
      await Promise.all(asked.sources.filter(({ isUngranted }) => isUngranted).map(add));
      for (const source of asked.sources) if (!source.isUngranted) await add(source);
      return [...placed];
    },

    decide(path, kind) {
      if (decideSensitive(path)) return 'ignore';
      if (places.contextDirectories.has(path)) return 'report';
      const owner = directoryDecidedBy(path);
      if (owner !== undefined && isOnTheWay(places, owner)) return 'report';
      let parent = parentPath(path);
      for (let level = 0; level <= depth + 1 && parent !== '/'; level += 1, parent = parentPath(parent)) {
        if (!places.contextDirectories.has(parent)) continue;
        const isOfInterest = isSupportedType(path) || isConfigFile(path, parent) || owner !== undefined;
        if (kind === 'file') return isOfInterest ? 'report' : 'ignore';
        return level <= depth ? 'report' : 'ignore';
      }
      for (const { directory, decides } of places.sourcesIn.get(parentPath(path))?.values() ?? [])
        if (decides(joinPath(directory, baseName(path)), kind)) return 'report';
      const holdsIgnoreFile = ignoreFileFolders.has(baseName(path)) && isOnTheWay(places, parentPath(path));
      return holdsIgnoreFile || isOnTheWay(places, path) ? 'pass' : 'ignore';
    },

    namesOf(realPath) {
      const names: { mountedDirectory: string; path: string }[] = [];
      const owner = directoryDecidedBy(realPath);
      for (const mountedDirectory of (owner !== undefined && places.above.get(owner)) || [])
        names.push({ mountedDirectory, path: realPath });
      for (const { mountedDirectory, realDirectory, directory } of places.named.values()) {
        if (!isInside(realDirectory, realPath)) continue;
        const path = joinPath(directory, relativePath(realDirectory, realPath));
        if (!decideSensitive(path)) names.push({ mountedDirectory, path });
      }
      return names;
    },
  };
}

/** The directory about which a policy or an ignore file decides. Undefined for other files. */
export function directoryDecidedBy(path: string): string | undefined {
  return directoryOfIgnoreFile(path) ?? (isPolicyFile(path) ? parentPath(path) : undefined);
}

/** Whether policies and ignore files of a directory count. */
function isOnTheWay({ owners, ways, above }: Places, directory: string): boolean {
  return owners.has(directory) || ways.has(directory) || above.has(directory);
}

/** Policies and ignore files of a directory above apply to a mounted directory. */
function coverAbove({ above }: Places, directory: string, mountedDirectory: string): void {
  above.set(directory, (above.get(directory) ?? new Set()).add(mountedDirectory));
}

/** A mounted directory, and what is watched for it. */
type Around = { mountedDirectory: string; realMounted: string; placed: Set<string>; disk: Disk };

/** The real path of a path in the mounted directory, if no link is on the way. */
function realOf(path: string, { mountedDirectory, realMounted }: Around): string {
  return joinPath(realMounted, relativePath(mountedDirectory, path));
}

/** A watch of the owner reaches a context directory below it. Any other one is watched itself. */
async function addContextDirectory(
  places: Places,
  { owner, path }: Pick<ContextDirectory, 'owner' | 'path'>,
  around: Around,
): Promise<void> {
  const { mountedDirectory, placed, disk } = around;
  const isInMounted = isInside(mountedDirectory, path);
  const real = isInMounted ? realOf(path, around) : await disk.realPathOf(path);
  if (real === undefined) return;
  places.contextDirectories.add(real);
  if (!isInMounted) noteName(places, { mountedDirectory, realDirectory: real, directory: path });
  if (isInMounted && isInside(owner, path))
    for (const way of directoriesBetween(realOf(owner, around), real)) places.ways.add(way);
  else placed.add(real);
}

/**
 * Watches each directory on the way to a source: the watch reaches a directory through those above it, and each can get
 * a policy.
 */
async function addSource(
  places: Places,
  source: Source,
  { mountedDirectory, realMounted, placed, disk }: Around,
): Promise<void> {
  const { realPathOf, realPathAnywhere, directoriesAbove } = disk;
  const { directory, isUngranted } = source;
  const real = await (isUngranted ? realPathAnywhere(directory) : realPathOf(directory));
  if (real === undefined) return;
  const isBelow = isInside(realMounted, real);
  if (!isBelow) noteName(places, { mountedDirectory, realDirectory: real, directory });
  if (isUngranted && !isBelow) placed.add(real);
  else {
    const way = isBelow ? directoriesBetween(realMounted, real) : [...(await directoriesAbove(real)), real];
    for (const each of way) {
      if (isBelow) places.ways.add(each);
      else coverAbove(places, each, mountedDirectory);
      placed.add(each);
    }
  }
  const here = places.sourcesIn.get(real) ?? new Map<string, Source>();
  places.sourcesIn.set(real, here.set(`${mountedDirectory}\n${source.key}`, source));
}

function noteName(places: Places, place: Named): void {
  places.named.set(`${place.mountedDirectory}\n${place.directory}`, place);
}
