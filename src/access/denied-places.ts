/**
 * Directories that are never read, by any name. Hard links and mounts give their files other paths, but the same device
 * and inode (S-08).
 */

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
   * below either. Costs some calls of `stat`. Content that was read before need not be checked again.
   */
  isDeniedAs(path: string, opened: FileStat): Promise<boolean>;
}>;

/** No directory of the daemon has more entries. Beyond this, the file system decides which entries are known. */
const maxEntries = 10_000;

const isFailure = (answer: { ok: true } | FileRefusal): boolean => !answer.ok && answer.code === 'io_error';

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

  /**
   * The identities of the directory and its entries. Empty if the directory does not exist. What the disk fails to tell
   * is as it was before.
   */
  const identitiesOf = async (directory: string): Promise<readonly string[]> => {
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
