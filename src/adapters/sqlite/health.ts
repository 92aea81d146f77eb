/**
 * Checks whether a database file is intact and belongs to contextd, and sets a damaged one aside (S-72). Never deletes
 * anything.
 */
import { closeSync, existsSync, openSync, readdirSync, readSync, renameSync, statfsSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Warning } from '../../warnings.ts';
import { companions } from './database-files.ts';
import { migrations } from './schema.ts';

/** The file is damaged, or is not a database of contextd. `message` says what was found. */
export class DamagedDatabase extends Error {}

/**
 * The `application_id` of an intact file with this `user_version`. Each proves the other: otherwise a flipped bit in
 * the version would look like a newer contextd. Newer versions must keep this.
 */
export function versionSeal(version: number): number {
  return (0x63747864 ^ version) | 0;
}

/**
 * SQLite's codes that say nothing about the file: no permission, busy, locked, no memory, I/O, full, cannot be opened.
 */
const troublesOfMachine = [3, 5, 6, 7, 10, 13, 14];

/** SQLite's primary result code (the low byte), or the nearest code for an error of the file system. */
export function primaryCodeOf(error: unknown): number | undefined {
  const { code, errcode = 0, syscall } = error as Error & { code?: string; errcode?: number; syscall?: string };
  if (code === 'ERR_SQLITE_ERROR') return errcode & 0xff;
  if (syscall === undefined) return undefined;
  if (code === 'EIO') return 10;
  return code === 'ENOSPC' || code === 'EDQUOT' ? 13 : 14;
}

/** For an error of SQLite or of the file system. */
export function saysDiskIsFull(error: unknown): boolean {
  return primaryCodeOf(error) === 13;
}

/** Runs the first statements on a file. Errors because of the file become `DamagedDatabase`. */
export function asDamage(work: () => void): void {
  try {
    work();
  } catch (error) {
    const code = primaryCodeOf(error);
    if (code === undefined || troublesOfMachine.includes(code)) throw error;
    throw new DamagedDatabase((error as Error).message);
  }
}

/**
 * Throws `DamagedDatabase` if SQLite finds damaged pages, or if the tables are not those of the file's version.
 * `thorough` also compares indexes with their tables, which takes half as long again. A check of 100 MB in memory takes
 * about 50 ms, or 75 ms with `thorough`.
 */
export function checkDatabase(database: DatabaseSync, { thorough }: { thorough: boolean }): void {
  const version = numberOf(database, 'user_version');
  const isNewer = version > migrations.length && numberOf(database, 'application_id') === versionSeal(version);
  // A damaged header can mark the file as read-only, and only a write shows this.
  database.exec(`BEGIN; PRAGMA user_version=${version}; ROLLBACK`);
  const check = thorough ? 'integrity_check' : 'quick_check';
  const found = Object.values(database.prepare(`PRAGMA ${check}(1)`).get() ?? {})[0];
  if (found !== 'ok') throw new DamagedDatabase(String(found));
  if (isNewer) return;
  if (version < 0 || version > migrations.length) throw new DamagedDatabase('its version never existed');
  if (shapeOf(database) !== shapeAt(version)) throw new DamagedDatabase('its tables are not those of contextd');
}

/** The tables that the first `version` migrations create. */
function shapeAt(version: number): string {
  const database = new DatabaseSync(':memory:');
  try {
    for (const migration of migrations.slice(0, version)) database.exec(migration);
    return shapeOf(database);
  } catch (cause) {
    // A mistake in a migration does not mean that the file is damaged.
    throw new Error('a migration cannot be applied', { cause });
  } finally {
    database.close();
  }
}

export function numberOf(database: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

export function columnsOf(database: DatabaseSync, table: string): string[] {
  const columns = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  return columns.map(({ name }) => `${name}`);
}

/** The names and columns of all tables and indexes. */
function shapeOf(database: DatabaseSync): string {
  const columns = 'SELECT json_group_array(json_array(name, type, pk, "notnull")) FROM pragma_table_xinfo(s.name)';
  const parts = database.prepare(`SELECT type, name, tbl_name, (${columns}) AS columns FROM sqlite_schema s`).all();
  return JSON.stringify(parts.map((part) => JSON.stringify(part)).sort());
}

/** True if the last process did not close the database. Committed writes are still in its journal. */
export function wasLeftOpen(path: string): boolean {
  return companions.some((suffix) => sizeOf(path + suffix) > 0);
}

/**
 * True for a file that is shorter than any database, or empty while its journal still exists: SQLite would overwrite
 * the first and delete the second.
 */
export function isStump(path: string): boolean {
  const size = sizeOf(path);
  return size === 0 ? wasLeftOpen(path) : size < 512;
}

/** Throws if the disk cannot tell: a whole database must not be taken for one that was cut off. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The size of a file in bytes; 0 if there is none, or if the disk cannot tell. */
export function fileSize(path: string): number {
  try {
    return sizeOf(path);
  } catch {
    return 0;
  }
}

/** Renames the closed database and its companions to `<path>.corrupt-<time>`. Returns that path. */
export function quarantine(path: string): string {
  const aside = placeBeside(path, 'corrupt');
  renameSync(path, aside);
  moveCompanions(path, aside);
  return aside;
}

/** Renames what SQLite kept beside a database, so that it stays beside it. */
export function moveCompanions(path: string, aside: string): void {
  for (const suffix of companions) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
}

/** A path `<path>.<why>-<time>` that does not exist yet. */
export function placeBeside(path: string, why: string): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/gu, '');
  let aside = `${path}.${why}-${time}`;
  for (let n = 2; existsSync(aside); n += 1) aside = `${path}.${why}-${time}-${n}`;
  return aside;
}

/**
 * The version of the tables in the file's header, without what is still in a journal. Undefined without a file, and for
 * an unknown version that contextd did not write.
 */
export function schemaVersionOf(path: string): number | undefined {
  if (sizeOf(path) < 100) return undefined;
  const descriptor = openSync(path, 'r');
  try {
    const header = Buffer.alloc(12);
    readSync(descriptor, header, 0, 12, 60);
    const version = header.readUInt32BE();
    return version <= migrations.length || header.readInt32BE(8) === versionSeal(version) ? version : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** The databases that were set aside beside `path`, oldest first. */
export function listQuarantined(path: string): string[] {
  const beginning = `${basename(path)}.corrupt-`;
  const names = readdirSync(dirname(path)).filter((name) => {
    if (!name.startsWith(beginning) || companions.some((suffix) => name.endsWith(suffix))) return false;
    // A killed process may have left the copy that it read.
    return !name.slice(beginning.length).includes('.');
  });
  return names.sort().map((name) => join(dirname(path), name));
}

/** One warning, while there are files that were set aside. */
export function quarantineWarnings(path: string): Warning[] {
  let files: string[];
  try {
    files = listQuarantined(path);
  } catch {
    // Other verbs report other problems with the directory.
    return [];
  }
  const latest = files.at(-1);
  if (latest === undefined) return [];
  const others = files.length > 1 ? ` Earlier ones were set aside too: ${files.length - 1}.` : '';
  const message = `The database was damaged and was set aside as ${latest}; a new one was begun.${others} Granted roots, agents and supplementary context were taken over as far as they could be read; sessions are missing. Move the file away, or delete it, to end this warning.`;
  return [{ code: 'database_quarantined', message, path: latest }];
}

/** The journal and the reserve, each as large as it may become. */
const scarceBytes = 8 * 1024 * 1024;

/** A warning if the disk of a directory has hardly any space left. */
export function diskWarnings(directory: string): Warning[] {
  let freeBytes: number;
  try {
    const { bavail, bfree, blocks, bsize } = statfsSync(directory);
    // Some file systems do not tell their size.
    if (blocks === 0) return [];
    // The rest is for the superuser only.
    freeBytes = bsize * (process.getuid?.() === 0 ? bfree : bavail);
  } catch {
    return [];
  }
  if (freeBytes >= scarceBytes) return [];
  const left = freeBytes === 0 ? 'is full' : `has only ${Math.ceil(freeBytes / 1024)} KiB left`;
  const message = `The disk of ${directory} ${left}. Until there is more space, what would add data is refused, and lines of the log may be missing.`;
  return [{ code: 'storage_full', message, path: directory }];
}
