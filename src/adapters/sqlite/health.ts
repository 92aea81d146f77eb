/** Whether a database file is whole and ours, and what becomes of one that is not (S-72). Nothing is ever deleted here. */
import { closeSync, existsSync, openSync, readdirSync, readSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Warning } from '../../warnings.ts';
import { migrations } from './schema.ts';

/** The file is damaged, or is no database of contextd. `message` says what was found. */
export class DamagedDatabase extends Error {}

/**
 * What `application_id` is in a whole file whose `user_version` is `version`: the one proves the other, since a version
 * that a flipped bit made would look like one of a newer contextd. Newer ones must keep to it.
 */
export function versionSeal(version: number): number {
  return (0x63747864 ^ version) | 0;
}

/** SQLite's codes that say nothing about the file: no permission, busy, locked, no memory, I/O, full, not to be opened. */
const troublesOfMachine = [3, 5, 6, 7, 10, 13, 14];

/** Runs the first statements on a file: what SQLite then refuses because of the file becomes `DamagedDatabase`. */
export function asDamage(work: () => void): void {
  try {
    work();
  } catch (error) {
    const { code, errcode = 0, message } = error as Error & { code?: string; errcode?: number };
    if (code !== 'ERR_SQLITE_ERROR' || troublesOfMachine.includes(errcode & 0xff)) throw error;
    throw new DamagedDatabase(message);
  }
}

/**
 * Throws `DamagedDatabase` when SQLite finds pages that are not as they should be, or tables are not those of the version
 * that the file has. `thorough` compares indexes with their tables too: half as long again. Of 100 MB it takes about
 * 50 ms, thorough 75 ms, when they are in memory.
 */
export function checkDatabase(database: DatabaseSync, { thorough }: { thorough: boolean }): void {
  const version = numberOf(database, 'user_version');
  const isNewer = version > migrations.length && numberOf(database, 'application_id') === versionSeal(version);
  // A damaged header can say that the file is read-only, which only a write shows.
  database.exec(`BEGIN; PRAGMA user_version=${version}; ROLLBACK`);
  const check = thorough ? 'integrity_check' : 'quick_check';
  const found = Object.values(database.prepare(`PRAGMA ${check}(1)`).get() ?? {})[0];
  if (found !== 'ok') throw new DamagedDatabase(String(found));
  if (isNewer) return;
  if (version < 0 || version > migrations.length) throw new DamagedDatabase('its version never existed');
  if (shapeOf(database) !== shapeAt(version)) throw new DamagedDatabase('its tables are not those of contextd');
}

/** The shape that the first `version` migrations give. */
function shapeAt(version: number): string {
  const database = new DatabaseSync(':memory:');
  try {
    for (const migration of migrations.slice(0, version)) database.exec(migration);
    return shapeOf(database);
  } catch (cause) {
    // A mistake in a migration is no damage of the file.
    throw new Error('a migration cannot be applied', { cause });
  } finally {
    database.close();
  }
}

export function numberOf(database: DatabaseSync, pragma: 'user_version' | 'application_id'): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
}

/** Names and columns of everything in the schema. */
function shapeOf(database: DatabaseSync): string {
  const columns = 'SELECT json_group_array(json_array(name, type, pk, "notnull")) FROM pragma_table_xinfo(s.name)';
  const parts = database.prepare(`SELECT type, name, tbl_name, (${columns}) AS columns FROM sqlite_schema s`).all();
  return JSON.stringify(parts.map((part) => JSON.stringify(part)).sort());
}

/** What SQLite keeps beside a database. */
const companions = ['-wal', '-shm', '-journal'];

/** True when the last process that had it open did not close it: committed writes are still in its journal. */
export function wasLeftOpen(path: string): boolean {
  return companions.some((suffix) => sizeOf(path + suffix) > 0);
}

/**
 * A file that is shorter than any database, or cut to nothing while its journal is still there: SQLite would write over
 * the one and delete the other.
 */
export function isStump(path: string): boolean {
  const size = sizeOf(path);
  return size === 0 ? wasLeftOpen(path) : size < 512;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Renames the database, and what lies beside it, to `<path>.corrupt-<time>`, and returns that path. The file must be closed. */
export function quarantine(path: string): string {
  const aside = placeBeside(path, 'corrupt');
  renameSync(path, aside);
  for (const suffix of companions) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}

/** `<path>.<why>-<time>`, where nothing lies. */
export function placeBeside(path: string, why: string): string {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/gu, '');
  let aside = `${path}.${why}-${time}`;
  for (let n = 2; existsSync(aside); n += 1) aside = `${path}.${why}-${time}-${n}`;
  return aside;
}

/** The version of the tables as the file says it; undefined without a file. What is still in a journal does not count. */
export function schemaVersionOf(path: string): number | undefined {
  if (sizeOf(path) < 100) return undefined;
  const descriptor = openSync(path, 'r');
  try {
    const header = Buffer.alloc(4);
    readSync(descriptor, header, 0, 4, 60);
    return header.readUInt32BE();
  } finally {
    closeSync(descriptor);
  }
}

/** The files that were set aside beside the database at `path`, oldest first. */
export function listQuarantined(path: string): string[] {
  const beginning = `${basename(path)}.corrupt-`;
  const names = readdirSync(dirname(path)).filter(
    (name) => name.startsWith(beginning) && !companions.some((suffix) => name.endsWith(suffix)),
  );
  return names.sort().map((name) => join(dirname(path), name));
}

/** One warning as long as files lie there that were set aside. */
export function quarantineWarnings(path: string): Warning[] {
  let files: string[];
  try {
    files = listQuarantined(path);
  } catch {
    // Whatever else is the matter with the directory, other verbs say.
    return [];
  }
  const latest = files.at(-1);
  if (latest === undefined) return [];
  const others = files.length > 1 ? ` So were ${files.length - 1} earlier ones.` : '';
  const message = `The database was damaged and was set aside as ${latest}; a new one was begun.${others} Granted roots, agents and supplementary context were taken over as far as they could be read; sessions are missing. Move the file away, or delete it, to end this warning.`;
  return [{ code: 'database_quarantined', message, path: latest }];
}
