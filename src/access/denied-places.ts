/**
 * Directories that are never read, by any name. Hard links and mounts give their files other paths, but the same device
 * and inode (S-08).
 */

import { createBoundedCache } from '../pace/bounded-cache.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { Clock, FileRefusal, FileStat, Files, Root } from '../ports/ports.ts';
import { isInside, joinPath, parentPath, relativePath } from './paths.ts';
import { isSettled } from './settled.ts';

type DeniedPlaces = Readonly<{
  /**
   * Decides by the path alone. `roots`: the roots that contain the path. The denied directories can be known by other
   * names.
   */
  isDenied(path: string, roots?: readonly Root[]): boolean;
  /**
   * Whether an opened file, at an absolute path with all links resolved, is a denied directory, an entry of one, or
   * below either. Costs some calls of `stat`, which all files of the same turn of the event loop share. Content that
   * was read before need not be checked again.
   */
  isDeniedAs(path: string, opened: FileStat): Promise<boolean>;
}>;

type DeniedPlacesPorts = Readonly<{
  files: Pick<Files, 'stat' | 'list' | 'realPath'>;
  clock: Pick<Clock, 'now'>;
  directories: readonly string[];
}>;

export function createDeniedPlaces(ports: DeniedPlacesPorts): DeniedPlaces {
  const directories = [...new Set(ports.directories)];
  const lookOfTurn = createLooks({ ...ports, directories });
  const isDenied = (path: string): boolean => directories.some((denied) => isInside(denied, path));
  return Object.freeze({
    isDenied(path: string, roots: readonly Root[] = []) {
      const isBelow = ({ path: name, realPath }: Root): boolean =>
        name !== realPath && isInside(name, path) && isDenied(joinPath(realPath, relativePath(name, path)));
      return isDenied(path) || roots.some(isBelow);
    },
    async isDeniedAs(path: string, opened: FileStat) {
      if (directories.length === 0) return false;
      const { denied, isBelow } = await lookOfTurn();
      return (await denied).has(opened.identity) || (await isBelow(parentPath(path))) === true;
    },
  });
}

/**
 * `isBelow`: whether a directory is denied, or below one that is. Undefined if a look failed. `denied`: the identities
 * of the denied directories and of their entries.
 */
type Look = { denied: Promise<ReadonlySet<string>>; isBelow(directory: string): Promise<boolean | undefined> };

/**
 * Gives the look of all who ask in this turn of the event loop. It begins after them, so it knows a file that came into
 * a denied directory before one of them opened it.
 */
function createLooks(ports: DeniedPlacesPorts): () => Promise<Look> {
  const identitiesOf = createIdentities(ports);
  let outside = createOutside(new Set());
  let next: Promise<Look> | undefined;

  const lookNow = (): Look => {
    const denied = Promise.all(ports.directories.map(identitiesOf)).then((each) => new Set(each.flat()));
    const outsideNow = denied.then((identities) => {
      if (identities.symmetricDifference(outside.denied).size > 0) outside = createOutside(identities);
      return outside.signatures;
    });
    const isBelow: Look['isBelow'] = onceForEach(async (directory) => {
      if (directory === '/') return false;
      const stat = await ports.files.stat(directory);
      if (!stat.ok) return (await isBelow(parentPath(directory))) || undefined;
      const signatures = await outsideNow;
      if ((await denied).has(stat.identity)) return true;
      if (signatures.get(directory) === stat.signature) return false;
      const isParentBelow = await isBelow(parentPath(directory));
      if (isParentBelow === false) signatures.set(directory, stat.signature, directory.length + stat.signature.length);
      return isParentBelow;
    });
    return { denied, isBelow };
  };
  const begin = (): Look => {
    next = undefined;
    return lookNow();
  };
  return () => {
    next ??= new Promise<void>((resolve) => setImmediate(resolve)).then(begin);
    return next;
  };
}

/**
 * Directories that are not below a denied one, by path, each with its signature: while it has this signature, those
 * above it need not be looked at again. It holds as long as the same identities are denied.
 */
const createOutside = (denied: ReadonlySet<string>) => ({
  denied,
  signatures: createBoundedCache<string>({ maxWeight: 4 * 1024 * 1024, maxEntries: 20_000 }),
});

/** No directory of the daemon has more entries. Beyond this, the file system decides which entries are known. */
const maxEntries = 10_000;

type Kept = Readonly<{ signature: string; settled: boolean; identities: readonly string[] }>;

/**
 * Tells the identities of a directory and of its entries. There are none if the directory does not exist. What the disk
 * fails to tell is as it was before.
 */
function createIdentities({ files, clock }: DeniedPlacesPorts): (directory: string) => Promise<readonly string[]> {
  const known = new Map<string, Kept>();
  return async (directory) => {
    const real = await files.realPath(directory);
    const stat = real.ok ? await files.stat(real.realPath) : real;
    const before = known.get(directory);
    if (!real.ok || !stat.ok) return (isFailure(real) || isFailure(stat)) && before ? before.identities : [];
    if (before?.settled && before.signature === stat.signature) return before.identities;
    const path = real.realPath;
    const listed = await files.list(path, { roots: [{ path, realPath: path }], followSymlinks: false, maxEntries });
    const entries = listed.ok ? listed.entries : [];
    const stats = await Promise.all(entries.map(({ name }) => files.stat(joinPath(path, name))));
    const now = [stat, ...stats].flatMap((each) => (each.ok ? [each.identity] : []));
    const isWhole = ![listed, ...stats].some(isFailure);
    const identities = isWhole ? now : [...new Set([...now, ...(before?.identities ?? [])])];
    const settled = listed.ok && isWhole && isSettled(stat, clock);
    known.set(directory, { signature: stat.signature, settled, identities });
    return identities;
  };
}

const isFailure = (answer: { ok: true } | FileRefusal): boolean => !answer.ok && answer.code === 'io_error';
