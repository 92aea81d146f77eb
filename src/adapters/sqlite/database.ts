/** One SQLite file: how it is opened, and what its errors mean. The tables are in `schema.ts`. */
import { closeSync, constants, fchmodSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ContextdError } from '../../errors.ts';
import {
  asDamage,
  checkDatabase,
  DamagedDatabase,
  isStump,
  numberOf,
  placeBeside,
  quarantine,
  versionSeal,
  wasLeftOpen,
} from './health.ts';
import { salvage } from './salvage.ts';
import { migrations } from './schema.ts';
import { syncDirectory } from './sync-directory.ts';

/** What SQLite's primary result codes mean to a caller. Any other is a mistake of the one who wrote the statement. */
const refusals: Record<number, ['storage_full' | 'unavailable', string]> = {
  3: ['unavailable', 'The database may not be opened.'],
  5: ['unavailable', 'The database is in use by another process.'],
  8: ['unavailable', 'The database is read-only.'],
  10: ['unavailable', 'The database cannot be read or written: the disk reports an error.'],
  11: ['unavailable', 'The database is damaged.'],
  13: ['storage_full', 'The disk is full. Free some space and try again.'],
  14: ['unavailable', 'The database cannot be opened.'],
  26: ['unavailable', 'The database file is not a database.'],
};

/** Refuses an SQLite that can corrupt a database in WAL mode (S-70). Throws `unavailable`. */
export function checkSqliteVersion(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major * 1e6 + minor * 1e3 + patch >= 3_051_003) return;
  throw new ContextdError('unavailable', `SQLite ${version} can corrupt databases; 3.51.3 or newer is needed.`);
}

export type OpenOptions = {
  /**
   * Checks the file first; a damaged one is set aside, and a new one begun with what can be taken over from it. For the one
   * process that owns the file.
   */
  heal?: boolean;
  /** Of a file that is only being made, no copy is kept when its tables are brought up to date. */
  isUnfinished?: boolean;
  /**
   * What becomes of a file of an earlier version, whose daemon could not use it any more once it is brought up to date: that
   * is for the owner (`heal`) and for a file in the making. Others read it as it is, or refuse it, which is the default.
   */
  earlier?: 'leave' | 'refuse';
  /** How long a write may wait for something inside, in milliseconds. */
  writeMs?: number;
};

/**
 * Opens or creates the database at `path` (`:memory:` for one that is forgotten), readable by its owner only; no other
 * process can open it meanwhile. Throws `EarlierDatabase`, `storage_full` and `unavailable`.
 */
export function openDatabase(path: string, options: OpenOptions = {}): DatabaseSync {
  if (path === ':memory:') return open(path, { isUnfinished: true });
  createPrivately(path);
  try {
    return open(path, { ...options, ...(options.heal === true && { thorough: wasLeftOpen(path) }) });
  } catch (error) {
    if (options.heal !== true || !isDamage(error)) return refusing(() => fail(error));
    const aside = refusing(() => quarantine(path));
    createPrivately(path);
    const database = refusing(() => open(path, {}));
    salvage(aside, database);
    return database;
  }
}

/** Written by an earlier version, and not to be changed here. */
export class EarlierDatabase extends ContextdError {
  constructor() {
    super('unavailable', 'The database was written by an earlier contextd. Start the daemon once to update it.');
  }
}

function fail(error: unknown): never {
  throw error;
}

/** Without `thorough` nothing is checked. */
type Opening = Pick<OpenOptions, 'isUnfinished' | 'earlier'> & { thorough?: boolean };

function open(path: string, { thorough, isUnfinished = false, earlier = 'refuse' }: Opening): DatabaseSync {
  if (thorough !== undefined && isStump(path)) throw new DamagedDatabase('it was cut off');
  checkSqliteVersion(process.versions.sqlite ?? '');
  const database = new DatabaseSync(path, { timeout: 2000 });
  try {
    const settings = 'PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF; PRAGMA foreign_keys=ON';
    if (thorough === undefined) database.exec(settings);
    else
      asDamage(() => {
        database.exec(settings);
        checkDatabase(database, { thorough });
      });
    const version = knownVersionOf(database);
    const isEarlier = version > 0 && version < migrations.length;
    if (!isEarlier || isUnfinished) migrate(database, version);
    else if (thorough !== undefined) migrateWithCopy(database, { version, path });
    else if (earlier === 'refuse') throw new EarlierDatabase();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** SQLite's codes for a file that is not as it wrote it. */
const damageCodes = [11, 26];

function isDamage(error: unknown): boolean {
  const code = primaryCodeOf(error as Error);
  return error instanceof DamagedDatabase || (code !== undefined && damageCodes.includes(code));
}

/** Throws `unavailable` for one that is not known yet. */
function knownVersionOf(database: DatabaseSync): number {
  const version = numberOf(database, 'user_version');
  if (version <= migrations.length) return version;
  const versions = `its schema is ${version}, this contextd knows ${migrations.length}`;
  const way = [
    'Use the newer contextd, or restore the copy from before the update: delete contextd.db-wal and contextd.db-shm,',
    'then copy contextd.db.before-update-<time> to contextd.db. Everything that was revoked or deleted since the update is then valid again.',
  ].join(' ');
  throw new ContextdError('unavailable', `The database was written by a newer contextd (${versions}). ${way}`);
}

/** What was there is kept as `<path>.before-update-<time>`: an earlier contextd can be used with it again. */
function migrateWithCopy(database: DatabaseSync, { version, path }: { version: number; path: string }): void {
  const copy = keepCopy(database, path);
  try {
    migrate(database, version);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** Only forwards, and all the way or not at all. */
function migrate(database: DatabaseSync, version: number): void {
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  const seal = versionSeal(migrations.length);
  const missing = migrations.slice(Math.max(0, version));
  if (missing.length > 0) {
    const numbers = `PRAGMA user_version=${migrations.length}; PRAGMA application_id=${seal}`;
    database.exec(`BEGIN IMMEDIATE; ${missing.join(';')}; ${numbers}; COMMIT`);
  } else if (numberOf(database, 'application_id') !== seal) database.exec(`PRAGMA application_id=${seal}`);
}

/** It has its name, which is returned, only when it is whole. */
function keepCopy(database: DatabaseSync, path: string): string {
  const unfinished = `${path}.before-update.part`;
  rmSync(unfinished, { force: true });
  createPrivately(unfinished);
  try {
    database.prepare('VACUUM INTO ?').run(unfinished);
    const descriptor = openSync(unfinished, 'r+');
    fsyncSync(descriptor);
    closeSync(descriptor);
    const copy = placeBeside(path, 'before-update');
    renameSync(unfinished, copy);
    syncDirectory(dirname(path));
    return copy;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

const underWay = new WeakSet<DatabaseSync>();

/** All of `work` or nothing of it. Not to be nested. */
export async function inTransaction<Result>(database: DatabaseSync, work: () => Promise<Result>): Promise<Result> {
  try {
    undoLeftover(database);
    database.exec('BEGIN IMMEDIATE');
    underWay.add(database);
    const result = await work();
    database.exec('COMMIT');
    underWay.delete(database);
    return result;
  } catch (error) {
    underWay.delete(database);
    try {
      undoLeftover(database);
    } catch {
      // Why it is undone says more; it is undone before anything else is done.
    }
    throw refusalOf(error);
  }
}

/**
 * Undoes a transaction that failed and could not be undone then. What is written before that would be part of it, and
 * lost with it; what is read would be what was refused.
 */
export function undoLeftover(database: DatabaseSync): void {
  if (database.isOpen && database.isTransaction && !underWay.has(database)) database.exec('ROLLBACK');
}

/** SQLite would create the file with the mode the umask leaves; its journal files take over the mode of this one. */
export function createPrivately(path: string): void {
  refusing(() => {
    const descriptor = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
    try {
      fchmodSync(descriptor, 0o600);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Runs statements; what SQLite refuses becomes a `ContextdError`. */
export function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** What SQLite throws, as a `ContextdError`; anything else as it is. */
export function refusalOf(error: unknown): unknown {
  const code = primaryCodeOf(error as Error);
  const refusal = code === undefined ? undefined : refusals[code];
  return refusal === undefined ? error : new ContextdError(...refusal);
}

/** SQLite's code (its low byte is the primary one, the rest tells details), or what comes nearest for the file system's. */
function primaryCodeOf(error: Error & { code?: string; errcode?: number; syscall?: string }) {
  const { code, errcode, syscall } = error;
  if (code === 'ERR_SQLITE_ERROR') return (errcode ?? 0) & 0xff;
  if (syscall === undefined) return undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' ? 13 : 14;
}
