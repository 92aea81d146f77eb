/**
 * Notices that the file of an open database, or its journal, was removed, renamed or replaced: what is written then can
 * be lost with the process. SQLite itself does not look for this if it writes to a journal first (WAL).
 */
import { statSync } from 'node:fs';
import { ContextdError } from '../../errors.ts';
import type { Warning } from '../../warnings.ts';

const message =
  'The file of the database, or its journal (-wal), was removed or replaced while contextd runs, so it stores nothing more. Keep what it has: contextd export <file>, contextd stop, contextd import --replace --trust <file>, contextd start. Then repeat what was refused, such as to revoke a token.';

export type FilePlace = {
  /** Throws `unavailable` if the file is not in its place. */
  demand(): void;
  warnings(): Warning[];
};

/** For the file that is at `path` now. `:memory:` has no place. */
export function createFilePlace(path: string): FilePlace {
  const files = path === ':memory:' ? [] : [path, `${path}-wal`];
  const own = files.map(idOf);
  const isMoved = (): boolean => {
    try {
      return files.some((file, at) => own[at] !== undefined && idOf(file) !== own[at]);
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
