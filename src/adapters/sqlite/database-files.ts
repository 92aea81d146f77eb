/** The files of a database. */
import { rmSync } from 'node:fs';

/** What SQLite adds to the name of a database, for the files that it keeps beside it. */
export const companions = ['-wal', '-shm', '-journal'];

/** Removes a closed database and the files that SQLite kept beside it. Tries each one, then throws the first error. */
export function removeDatabase(path: string): void {
  const errors: unknown[] = [];
  for (const suffix of ['', ...companions])
    try {
      rmSync(path + suffix, { force: true });
    } catch (error) {
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}
