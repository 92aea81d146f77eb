/**
 * Takes from a damaged database what is useful alone: granted roots, agents, supplementary context (S-72). Vectors are
 * computed again. Sessions stay in the file that was set aside, because parts of a session would mislead.
 */
import { constants, copyFileSync, existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { hashOfItems, isIntact, type Row } from '../../ports/store/rows.ts';
import { removeDatabase } from './database-files.ts';
import { columnsOf, saysDiskIsFull } from './health.ts';

/** The order in which each table is read. */
const tables: Record<string, string> = {
  granted_roots: 'path',
  supplementary_items: 'position',
  agents: 'rowid',
  agent_items: 'rowid',
};

const maxBytes = 1024 ** 3;
const maxRows = 100_000;
const maxMs = 1_000;

/** Where the copy is that is read. */
export const copyOf = (damagedPath: string) => `${damagedPath}.reading`;

/**
 * Copies the rows that can still be read and match their hash into a new database, within limits of size and time.
 * Reads a copy, and does not change the damaged file. Throws only if the disk is full: more can be saved when there is
 * space again. After any other error, the new database simply lacks these rows.
 */
export function salvage(damagedPath: string, into: DatabaseSync): void {
  const copy = copyOf(damagedPath);
  // A killed process may have left one.
  attempt(() => removeDatabase(copy));
  try {
    if (statSync(damagedPath).size > maxBytes) return;
    for (const suffix of ['', '-wal'])
      if (existsSync(damagedPath + suffix))
        copyFileSync(damagedPath + suffix, copy + suffix, constants.COPYFILE_FICLONE);
    const from = new DatabaseSync(copy);
    try {
      from.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF');
      for (const table of Object.keys(tables)) attempt(() => takeOver(table, from, into));
      attempt(() => dropPartialAgents(into));
    } finally {
      from.close();
    }
  } catch (error) {
    if (saysDiskIsFull(error)) throw error;
  } finally {
    attempt(() => removeDatabase(copy));
  }
}

function takeOver(table: string, from: DatabaseSync, into: DatabaseSync): void {
  // A view with this name could take forever.
  const sql = from.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table)?.sql;
  if (!`${sql}`.startsWith('CREATE TABLE')) return;
  // An older database may not have all columns.
  const known = columnsOf(from, table);
  const columns = columnsOf(into, table).filter((name) => known.includes(name));
  const list = columns.map((name) => `"${name}"`).join(', ');
  const insert = into.prepare(`INSERT OR IGNORE INTO ${table} (${list}) VALUES (${columns.map(() => '?').join(', ')})`);
  const deadline = performance.now() + maxMs;
  let rows = 0;
  const read = (direction: 'ASC' | 'DESC') => {
    for (const found of from.prepare(`SELECT ${list} FROM ${table} ORDER BY ${tables[table]} ${direction}`).iterate()) {
      rows += 1;
      if (rows > maxRows || performance.now() > deadline) return;
      const row = found as Row;
      const values = columns.map((name) => row[name] ?? null);
      if ((row.hash ?? null) !== null && isIntact(table, row)) attempt(() => insert.run(...values));
    }
  };
  // One commit for all rows, because one for each row would take too long.
  into.exec('BEGIN IMMEDIATE');
  attempt(() => read('ASC'));
  // From the other end, up to the damage that stopped the first reading. Rows that were copied already are skipped.
  attempt(() => read('DESC'));
  attempt(() => into.exec('COMMIT'));
  if (into.isTransaction) into.exec('ROLLBACK');
}

/** Drops agents with missing rules or references, because parts of an agent would mislead. */
function dropPartialAgents(into: DatabaseSync): void {
  const hashes = into.prepare('SELECT hash FROM agent_items WHERE agent_id = ? ORDER BY kind DESC, position');
  const drop = into.prepare('DELETE FROM agents WHERE id = ?');
  into.exec('BEGIN IMMEDIATE');
  for (const { id, items } of into.prepare('SELECT id, items FROM agents').all()) {
    const found = hashOfItems(hashes.all(`${id}`).map(({ hash }) => `${hash}`));
    if (found !== items) drop.run(`${id}`);
  }
  into.exec('DELETE FROM agent_items WHERE agent_id NOT IN (SELECT id FROM agents); COMMIT');
}

function attempt(work: () => void): void {
  try {
    work();
  } catch (error) {
    // The rest is tried anyway.
    if (saysDiskIsFull(error)) throw error;
  }
}
