/** Opens a SQLite file, and translates its errors. The tables are in `schema.ts`. */
import { closeSync, constants, fchmodSync, openSync, renameSync, rmSync } from 'node:fs';
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
  primaryCodeOf,
  versionSeal,
  wasLeftOpen,
} from './health.ts';
import { finishReplacing, replaceDamaged } from './replace-damaged.ts';
import { migrations } from './schema.ts';
import { syncDirectory, syncFile } from './sync-files.ts';

/** The errors for callers, by SQLite's primary result code. Any other code is a mistake in contextd's statement. */
const refusals: Record<number, ['storage_full' | 'unavailable', string]> = {
  3: ['unavailable', 'The permissions of the database file forbid opening it.'],
  5: ['unavailable', 'The database is in use by another process.'],
  8: ['unavailable', 'The database is read-only.'],
  10: ['unavailable', 'The database cannot be read or written: the disk reports an error.'],
  11: ['unavailable', 'The database is damaged.'],
  13: ['storage_full', 'The disk of the state directory is full. Free some space and try again.'],
  14: ['unavailable', 'The database cannot be opened. Check the permissions of its file and its directory.'],
  26: ['unavailable', 'The database file is not a database.'],
};

/** Refuses a SQLite version that can corrupt a database in WAL mode (S-70). Throws `unavailable`. */
export function checkSqliteVersion(version: string): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major * 1e6 + minor * 1e3 + patch >= 3_051_003) return;
  throw new ContextdError('unavailable', `SQLite ${version} can corrupt databases; 3.51.3 or newer is needed.`);
}

export type OpenOptions = {
  /**
   * Checks the file first. A damaged file is set aside, and a new one gets what can be read from it. For the one
   * process that owns the file.
   */
  heal?: boolean;
  /** The file is still being made, so no copy is kept when its tables are updated. */
  isUnfinished?: boolean;
  /**
   * What to do with a file of an earlier version. Only the owner (`heal`) updates it, or the process that makes it,
   * because the earlier daemon cannot use it afterwards. Others read it as it is, or refuse it, which is the default.
   */
  earlier?: 'leave' | 'refuse';
  /** Max milliseconds for the work of one write. */
  writeMs?: number;
};

/**
 * Opens or creates the database at `path` (`:memory:` for a temporary one), readable only by its owner. While it is
 * open, no other process can open it. Throws `EarlierDatabase`, `storage_full` and `unavailable`.
 */
export function openDatabase(path: string, options: OpenOptions = {}): DatabaseSync {
  if (path === ':memory:') return open(path, { isUnfinished: true });
  if (options.heal === true) refusing(() => finishReplacing(path));
  createPrivately(path);
  try {
    return open(path, { ...options, ...(options.heal === true && { thorough: wasLeftOpen(path) }) });
  } catch (error) {
    if (options.heal !== true || !isDamage(error)) throw refusalOf(error);
    return refusing(() => {
      replaceDamaged(path, create);
      return open(path, {});
    });
  }
}

function create(path: string): DatabaseSync {
  createPrivately(path);
  return open(path, {});
}

/** The file was written by an earlier version, and must not be changed here. */
export class EarlierDatabase extends ContextdError {
  constructor() {
    super('unavailable', 'The database was written by an earlier contextd. Start the daemon once to update it.');
  }
}

/** Without `thorough`, the file is not checked. */
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

/** SQLite's codes for a damaged file. */
const damageCodes = [11, 26];

function isDamage(error: unknown): boolean {
  const code = primaryCodeOf(error);
  return error instanceof DamagedDatabase || (code !== undefined && damageCodes.includes(code));
}

/** Throws `unavailable` for a version that this contextd does not know. */
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

/** Keeps a copy in `<path>.before-update-<time>`, which an earlier contextd can use. */
function migrateWithCopy(database: DatabaseSync, { version, path }: { version: number; path: string }): void {
  const copy = keepCopy(database, path);
  try {
    migrate(database, version);
  } catch (error) {
    rmSync(copy, { force: true });
    throw error;
  }
}

/** Applies all missing migrations, or none. */
function migrate(database: DatabaseSync, version: number): void {
  database.exec('PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL');
  const seal = versionSeal(migrations.length);
  const missing = migrations.slice(Math.max(0, version));
  if (missing.length > 0) {
    const numbers = `PRAGMA user_version=${migrations.length}; PRAGMA application_id=${seal}`;
    database.exec(`BEGIN IMMEDIATE; ${missing.join(';')}; ${numbers}; COMMIT`);
  } else if (numberOf(database, 'application_id') !== seal) database.exec(`PRAGMA application_id=${seal}`);
}

/** Writes the copy, and gives it its name only when it is complete. Returns the name. */
function keepCopy(database: DatabaseSync, path: string): string {
  const unfinished = `${path}.before-update.part`;
  rmSync(unfinished, { force: true });
  createPrivately(unfinished);
  try {
    database.prepare('VACUUM INTO ?').run(unfinished);
    syncFile(unfinished);
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

/** Runs `work` in a transaction. Cannot be nested. */
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
      // The first error says more. The transaction is undone before the next statement.
    }
    throw refusalOf(error);
  }
}

/**
 * Undoes a transaction that failed and could not be undone at that time. Otherwise later writes would be part of it and
 * lost with it, and reads would see refused changes.
 */
export function undoLeftover(database: DatabaseSync): void {
  if (database.isOpen && database.isTransaction && !underWay.has(database)) database.exec('ROLLBACK');
}

/** SQLite would create the file with the mode of the umask. Its journal files get the mode of this file. */
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

/** Runs statements. Errors of SQLite become a `ContextdError`. */
export function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw refusalOf(error);
  }
}

/** An error of SQLite as a `ContextdError`. Other errors stay unchanged. */
export function refusalOf(error: unknown): unknown {
  const code = primaryCodeOf(error);
  const refusal = code === undefined ? undefined : refusals[code];
  return refusal === undefined ? error : new ContextdError(...refusal);
}
