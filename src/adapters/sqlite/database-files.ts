/** The files of a database. */
import { rmSync } from 'node:fs';

/** What SQLite adds to the name of a database, for the files that it keeps beside it. */
export const companions = ['-wal', '-shm', '-journal'];

/** Removes a closed database and what SQLite kept beside it, as far as there is anything. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', ...companions]) rmSync(path + suffix, { force: true });
}
