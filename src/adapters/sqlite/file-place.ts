/**
 * Notices that the file of an open database was removed, renamed or replaced: what is written then is lost with the
 * process. SQLite itself does not look for this if it writes to a journal first (WAL).
 */
import { statSync } from 'node:fs';
import { ContextdError } from '../../errors.ts';
import type { Warning } from '../../warnings.ts';

const message =
  'The file of the database was removed or replaced while contextd runs, so it stores nothing more. Keep what it has: contextd export <file>, contextd stop, contextd import --replace --trust <file>, contextd start';

export type FilePlace = {
  /** Throws `unavailable` if the file is not in its place. */
  demand(): void;
  warnings(): Warning[];
};

/** For the file that is at `path` now. `:memory:` has no place. */
export function createFilePlace(path: string): FilePlace {
  const own = path === ':memory:' ? undefined : idOf(path);
  const isMoved = (): boolean => {
    try {
      return own !== undefined && idOf(path) !== own;
    } catch {
      // SQLite has the file open, and says itself what is wrong with the disk.
      return false;
    }
  };
  return {
    demand() {
      if (isMoved()) throw new ContextdError('unavailable', message);
    },
    warnings: () => (isMoved() ? [{ code: 'database_removed', message, path }] : []),
  };
}

/** Undefined if nothing is there. */
function idOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
