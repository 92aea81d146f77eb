/**
 * Directories that are never read, by whatever name: hard links and mounts give what lies in them other paths, but not
 * another device and inode (S-08).
 */

import type { Clock, FileStat, Files, Root } from '../ports/ports.ts';
import { isInside, joinPath, parentPath, relativePath } from './paths.ts';

type DeniedPlaces = Readonly<{
  /** By path alone. `roots` contain it, and may be known by other names than those of the denied directories. */
  isDenied(path: string, roots?: readonly Root[]): boolean;
  /**
   * Whether what was opened at an absolute path, all links resolved, is a denied directory, an entry of one, or lies
   * somewhere below one or the other. Costs some calls of `stat`: what was read once need not be asked about again.
   */
  isDeniedAs(path: string, opened: FileStat): Promise<boolean>;
}>;

/** A change of a directory shows in its signature once it lies this far behind. */
const settleMs = 2_000;
/** More entries are in no directory of the daemon; which ones are known is then up to the file system. */
const maxEntries = 10_000;

type Kept = { signature: string; settled: boolean; identities: readonly string[] };

export function createDeniedPlaces(ports: {
  files: Pick<Files, 'stat' | 'list' | 'realPath'>;
  clock: Pick<Clock, 'now'>;
  directories: readonly string[];
}): DeniedPlaces {
  const { files, clock } = ports;
  const directories = [...new Set(ports.directories)];
  const known = new Map<string, Kept>();
  const isDenied = (path: string): boolean => directories.some((denied) => isInside(denied, path));

  /** Of the directory and its entries; none while it is not there. */
  const identitiesOf = async (directory: string): Promise<readonly string[]> => {
    const real = await files.realPath(directory);
    const stat = real.ok ? await files.stat(real.realPath) : real;
    if (!real.ok || !stat.ok) return [];
    const before = known.get(directory);
    if (before?.settled && before.signature === stat.signature) return before.identities;
    const path = real.realPath;
    const listed = await files.list(path, { roots: [{ path, realPath: path }], followSymlinks: false, maxEntries });
    const entries = listed.ok ? listed.entries : [];
    const stats = await Promise.all(entries.map(({ name }) => files.stat(joinPath(path, name))));
    const identities = [stat, ...stats].flatMap((each) => (each.ok ? [each.identity] : []));
    const settled = listed.ok && clock.now() - stat.changedAtMs > settleMs;
    known.set(directory, { signature: stat.signature, settled, identities });
    return identities;
  };

  return Object.freeze({
    isDenied(path: string, roots: readonly Root[] = []) {
      const isBelow = ({ path: name, realPath }: Root): boolean =>
        name !== realPath && isInside(name, path) && isDenied(joinPath(realPath, relativePath(name, path)));
      return isDenied(path) || roots.some(isBelow);
    },
    async isDeniedAs(path: string, opened: FileStat) {
      if (directories.length === 0) return false;
      const denied = new Set((await Promise.all(directories.map(identitiesOf))).flat());
      if (denied.has(opened.identity)) return true;
      for (let above = parentPath(path); above !== '/'; above = parentPath(above)) {
        const stat = await files.stat(above);
        if (stat.ok && denied.has(stat.identity)) return true;
      }
      return false;
    },
  });
}
