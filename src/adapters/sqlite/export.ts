/** All that is stored, as the lines of one file; how it is read back is in `import.ts`. */
import { rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { ContextdError } from '../../errors.ts';
import { type ExportEntry, type ExportedRow, writeExport } from '../../ports/store/export.ts';
import { isIntact, type Row } from '../../ports/store/rows.ts';
import type { StateExport } from '../../ports/store/store.ts';
import { createPrivately, openDatabase, refusing, undoLeftover } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import { asDamage, checkDatabase, DamagedDatabase, numberOf } from './health.ts';

const ofLiveSessions = 'session_id NOT IN (SELECT id FROM deleted_sessions)';

/**
 * The tables that an export has, in its order, and which of their rows: nothing that belonged to deleted sessions.
 * Vectors are not among them: they are made again from the texts they stand for.
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
  // Row by row: a list of all keys would be made at once, and hold the event loop.
  texts: `EXISTS (SELECT 1 FROM session_texts WHERE session_texts.key = texts.key AND ${ofLiveSessions})`,
  agent_requests: 'TRUE',
  item_uses: 'TRUE',
};

/** The tables of a database that an export has; fewer where it is older. */
export function tablesToExport(database: DatabaseSync): string[] {
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const present = new Set(names.map(({ name }) => `${name}`));
  return Object.keys(exportedTables).filter((table) => present.has(table));
}

/** The lines for a database that nobody writes to meanwhile, each with its line break. */
export function exportLines(database: DatabaseSync, about: Parameters<StateExport>[0]): Generator<string> {
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

/** Text that is given on at once. */
const chunkLength = 256 * 1024;

/**
 * Exports a database that goes on being written: of the state at one moment. It is copied first, beside the database,
 * page by page and in another thread, because nobody else may open it. One at a time.
 */
export function createSqliteExport(database: DatabaseSync, path: string, read: GroupCommit['read']): StateExport {
  const copyPath = `${path}.export`;
  const removeCopy = () =>
    refusing(() => {
      for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copyPath + suffix, { force: true });
    });
  let isRunning = false;
  // One that a process which was killed has left.
  if (path !== ':memory:') removeCopy();

  return async function* exportState(about) {
    if (path === ':memory:') {
      yield await read(() => [...exportLines(database, about)].join(''));
      return;
    }
    if (isRunning) throw new ContextdError('limit_exceeded', 'An export is under way already.');
    isRunning = true;
    try {
      removeCopy();
      const copy = await copyOf(database, copyPath);
      try {
        // It goes when it is closed; where that is not so, it goes at the end.
        if (process.platform !== 'win32') removeCopy();
        let chunk = '';
        for (const line of exportLines(copy, about)) {
          chunk += line;
          if (chunk.length < chunkLength) continue;
          yield chunk;
          chunk = '';
          await setImmediate();
        }
        yield chunk;
      } finally {
        copy.close();
      }
    } finally {
      isRunning = false;
      removeCopy();
    }
  };
}

async function copyOf(database: DatabaseSync, copyPath: string): Promise<DatabaseSync> {
  createPrivately(copyPath);
  const failure = await beginAndCopy(database, copyPath);
  return refusing(() => {
    if (failure !== undefined) throw failure;
    const copy = new DatabaseSync(copyPath);
    // A journal beside it would be looked for under its name, which is about to go.
    copy.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA trusted_schema=OFF; PRAGMA journal_mode=MEMORY');
    return copy;
  });
}

const patienceMs = 10_000;

/**
 * What went wrong, if anything. The first step finds a transaction open when the event loop is in the middle of one just
 * then; Node.js fails on it without a code, and waits for it in all later steps.
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
 * The export of a database that no daemon has open, in pieces; one of an earlier version is not changed. Throws
 * `storage_full`, and `unavailable` also for one that is damaged.
 */
export function* readWholeDatabase(path: string, about: Parameters<StateExport>[0]): Generator<Uint8Array> {
  const database = openDatabase(path, { earlier: 'leave' });
  try {
    requireWhole(database);
    let chunk = '';
    for (const line of exportLines(database, about)) {
      chunk += line;
      if (chunk.length < chunkLength) continue;
      yield Buffer.from(chunk);
      chunk = '';
    }
    yield Buffer.from(chunk);
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
