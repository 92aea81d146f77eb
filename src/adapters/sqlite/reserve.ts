/** Room that is kept for removing: on a full disk nothing can be written, not even that something is to go (S-71). */
import { randomBytes } from 'node:crypto';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { ContextdError } from '../../errors.ts';

/** As much as SQLite's journal holds before it is taken over into the database, which may grow by that. */
const reserveBytes = 4 * 1024 * 1024;

export type Reserve = {
  /** Runs what removes something, as `isRemoval` says by then; where the disk is full, once more with the room that was kept. */
  removing<Result>(work: () => Promise<Result>, isRemoval?: () => boolean): Promise<Result>;
};

/** A file beside the database; without a `path` there is none, and nothing is tried again. */
export function createReserve(database: DatabaseSync, path?: string): Reserve {
  const keep = (): void => {
    if (path !== undefined) keepFile(path);
  };
  /** How many have the room now. It is taken back when the last of them has ended. */
  let retries = 0;
  /** Whether there is room to give. What is in the journal goes into the database, so that its place can be used again. */
  const release = (error: unknown): boolean => {
    const isFull = error instanceof ContextdError && error.code === 'storage_full';
    if (!isFull || path === undefined || (retries === 0 && sizeOf(path) === undefined)) return false;
    try {
      rmSync(path, { force: true });
      database.exec('PRAGMA wal_checkpoint(RESTART)');
    } catch {
      // The second try shows whether it was enough.
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

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch {
    return undefined;
  }
}

/** Writes the file where it is missing and there is room for it. It is noise, which no file system can make smaller. */
function keepFile(path: string): void {
  if (sizeOf(path) === reserveBytes) return;
  try {
    rmSync(path, { force: true });
    writeFileSync(path, randomBytes(reserveBytes), { flag: 'wx', mode: 0o600 });
  } catch {
    removeFile(path);
  }
}

/** A part of the file is of no use; one that cannot be removed is made whole another time. */
function removeFile(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
