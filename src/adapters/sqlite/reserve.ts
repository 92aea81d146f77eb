/** Space that is reserved for deletions: on a full disk nothing can be written, not even a deletion (S-71). */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { ContextdError } from '../../errors.ts';
import { fileSize } from './health.ts';

/** The size at which SQLite moves its journal into the database, which may grow by as much. */
const reserveBytes = 4 * 1024 * 1024;

export type Reserve = {
  /**
   * Runs work that may remove something. If the disk is full and `isRemoval` then returns true, frees the reserve and
   * runs it again.
   */
  removing<Result>(work: () => Promise<Result>, isRemoval?: () => boolean): Promise<Result>;
};

/** The reserve is a file beside the database. Without a `path` there is none, and nothing is tried again. */
export function createReserve(database: DatabaseSync, path?: string): Reserve {
  const keep = (): void => {
    if (path !== undefined) keepFile(path);
  };
  /** How many retries use the space now. After the last one, the reserve is made again. */
  let retries = 0;
  /** Whether there was space to free. Also moves the journal into the database, so that its space can be used again. */
  const release = (error: unknown): boolean => {
    const isFull = error instanceof ContextdError && error.code === 'storage_full';
    if (!isFull || path === undefined || (retries === 0 && !existsSync(path))) return false;
    try {
      rmSync(path, { force: true });
      database.exec('PRAGMA wal_checkpoint(RESTART)');
    } catch {
      // The second try shows whether the space is enough.
    }
    return true;
  };
  keep();
  return {
    async removing(work, isRemoval = () => true) {
      try {
        return await work();
      } catch (error) {
        if (!isRemoval() || !release(error)) throw error;
      }
      retries += 1;
      try {
        return await work();
      } finally {
        retries -= 1;
        if (retries === 0) keep();
      }
    },
  };
}

/** Writes the reserve if it is missing and there is space. It is random data, which no file system can compress. */
function keepFile(path: string): void {
  if (fileSize(path) === reserveBytes) return;
  try {
    rmSync(path, { force: true });
    writeFileSync(path, randomBytes(reserveBytes), { flag: 'wx', mode: 0o600 });
  } catch {
    removeFile(path);
  }
}

/** A partial file is useless. If it cannot be removed, a later call completes it. */
function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
