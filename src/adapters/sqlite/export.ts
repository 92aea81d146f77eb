/** Exports everything that is stored as the lines of one file. `import.ts` reads them. */
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { ContextdError } from '../../errors.ts';
import { type ExportEntry, type ExportedRow, oneAtATime, writeExport } from '../../ports/store/export.ts';
import { isIntact, type Row } from '../../ports/store/rows.ts';
import type { StateExport } from '../../ports/store/store.ts';
import { createPrivately, openDatabase, refusing, undoLeftover } from './database.ts';
import { removeDatabase } from './database-files.ts';
import type { GroupCommit } from './group-commit.ts';
import { asDamage, checkDatabase, DamagedDatabase, numberOf } from './health.ts';
import { ofLiveSessions } from './session-purge.ts';

/**
 * The exported tables in order, with a condition for their rows, which leaves out data of deleted sessions. Vectors are
 * not exported, because they can be computed again from their texts.
 */
export const exportedTables: Readonly<Record<string, string>> = {
  granted_roots: 'TRUE',
  mcp_approvals: 'TRUE',
  tokens: 'TRUE',
  agents: 'TRUE',
  agent_items: 'TRUE',
  supplementary_items: 'TRUE',
  sessions: 'TRUE',
  session_changes: ofLiveSessions,
  session_requests: ofLiveSessions,
  session_texts: ofLiveSessions,
  // Checked row by row. A list of all keys would be computed at once and hold the event loop.
  texts: `EXISTS (SELECT 1 FROM session_texts WHERE session_texts.key = texts.key AND ${ofLiveSessions})`,
  agent_requests: 'TRUE',
  item_uses: 'TRUE',
};

/** The exported tables that a database has. Older databases have fewer. */
export function tablesToExport(database: DatabaseSync): string[] {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const present = new Set(names.map(({ name }) => `${name}`));
  return Object.keys(exportedTables).filter((table) => present.has(table));
}

/** The export of a database, in chunks. Nobody may write to it meanwhile. */
export function exportChunks(database: DatabaseSync, about: Parameters<StateExport>[0]): Generator<string> {
  return writeExport({ schema: numberOf(database, 'user_version'), ...about }, rowsOf(database));
}

function* rowsOf(database: DatabaseSync): Generator<ExportEntry> {
  const deletes = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'deleted_sessions'").get() !== undefined;
  for (const table of tablesToExport(database)) {
    const condition = deletes ? exportedTables[table] : 'TRUE';
    const rows = database.prepare(`SELECT * FROM ${table} WHERE ${condition} ORDER BY 1, 2`).iterate();
    for (const row of rows as Iterable<Row>)
      yield { table, row: isIntact(table, row) ? (row as ExportedRow) : undefined };
  }
}

/**
 * Exports the state of one moment of a database that is in use. Copies it first, page by page and in another thread,
 * because no other process can open the database. Only one export at a time.
 */
export function createSqliteExport(database: DatabaseSync, path: string, read: GroupCommit['read']): StateExport {
  const copyPath = `${path}.export`;
  const removeCopy = () => refusing(() => removeDatabase(copyPath));
  if (path === ':memory:')
    return async function* exportMemory(about) {
      yield await read(() => [...exportChunks(database, about)].join(''));
    };
  // A copy that a killed process left.
  removeCopy();
  return oneAtATime(async function* exportFile(about) {
    try {
      removeCopy();
      const copy = await copyOf(database, copyPath);
      try {
        // An open file without a name disappears when it is closed.
        removeCopy();
        for (const chunk of exportChunks(copy, about)) {
          yield chunk;
          await setImmediate();
        }
      } finally {
        copy.close();
      }
    } finally {
      removeCopy();
    }
  });
}

async function copyOf(database: DatabaseSync, copyPath: string): Promise<DatabaseSync> {
  createPrivately(copyPath);
  const failure = await beginAndCopy(database, copyPath);
  return refusing(() => {
    if (failure !== undefined) throw failure;
    const copy = new DatabaseSync(copyPath);
    // The file is about to lose its name, and a journal file would be searched by that name.
    copy.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF; PRAGMA journal_mode=MEMORY');
    return copy;
  });
}

const patienceMs = 10_000;

/**
 * Returns the error, if any. If the event loop is in the middle of a transaction, the first step fails without a code.
 * Then the copy is tried again. In later steps Node.js waits for the transaction.
 */
async function beginAndCopy(database: DatabaseSync, copyPath: string): Promise<Error | undefined> {
  for (const end = performance.now() + patienceMs; ; await delay(1)) {
    if (!database.isOpen) return new ContextdError('unavailable', 'The database is closed.');
    try {
      undoLeftover(database);
      await backup(database, copyPath, { rate: 64 });
      return undefined;
    } catch (error) {
      const { code, errcode } = error as { code?: string; errcode?: number };
      if (code !== 'ERR_SQLITE_ERROR' || errcode !== 0) return error as Error;
      if (performance.now() > end) return new ContextdError('unavailable', 'The database is busy. Try again.');
    }
  }
}

/**
 * The export of a database that no daemon has open, in pieces. Does not change a database of an earlier version. Throws
 * `storage_full`, and `unavailable`, also for a damaged database.
 */
export function* readWholeDatabase(path: string, about: Parameters<StateExport>[0]): Generator<Uint8Array> {
  const database = openDatabase(path, { earlier: 'leave' });
  try {
    requireWhole(database);
    for (const chunk of exportChunks(database, about)) yield Buffer.from(chunk);
  } finally {
    database.close();
  }
}

function requireWhole(database: DatabaseSync): void {
  try {
    asDamage(() => checkDatabase(database, { thorough: true }));
  } catch (error) {
    if (!(error instanceof DamagedDatabase)) throw error;
    const mend = 'Start the daemon once: it sets the database aside and takes over what it can read';
    throw new ContextdError('unavailable', `The database is damaged (${error.message}). ${mend}.`);
  }
}
