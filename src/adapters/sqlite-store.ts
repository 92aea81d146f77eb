/** `Store` in one SQLite file; each subject has its own file beside this one. */
import type { Store } from '../store.ts';
import { openDatabase } from './sqlite-database.ts';
import { createSqliteRoots } from './sqlite-roots.ts';

/**
 * Opens or creates the database at `path`; `:memory:` for one that is forgotten. Throws `storage_full` when the disk is
 * full (S-71) and `unavailable` when the file cannot be used: damaged, in use, a symbolic link, or written by a newer
 * contextd.
 */
export function createSqliteStore(path: string): Store {
  const database = openDatabase(path);
  return {
    roots: createSqliteRoots(database),
    close: () => database.close(),
  };
}
