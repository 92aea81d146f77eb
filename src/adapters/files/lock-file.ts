/** One daemon per state directory (S-73), by a lock the kernel frees when its holder dies, however it dies. */
import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

export type Lock = { release(): void };

/**
 * Takes the lock at `path`, or returns undefined at once while another process holds it. The file is an empty SQLite
 * database in a transaction that is never committed, because Node offers no lock of the operating system more directly.
 * Two that try in the same moment may both fail: try again. Throws when the file cannot be opened or is no database.
 */
export function tryLock(path: string): Lock | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA journal_mode=MEMORY; PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}
