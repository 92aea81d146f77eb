/** One daemon per state directory (S-73). The kernel releases the lock when its process ends, however it ends. */
import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

export type Lock = { release(): void };

/**
 * Takes the lock at `path`. Returns undefined at once if another process has it. The file is an empty SQLite database
 * with a transaction that is never committed, because Node.js has no direct lock of the operating system. If two
 * processes try at the same moment, both may fail: try again. Throws if the file cannot be opened or is not a database.
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
