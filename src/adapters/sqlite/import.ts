/**
 * Makes a database from an export. Nothing in the export is executed: its rows are only values of statements in this
 * file.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type ExportCounts,
  type ExportedRow,
  type ExportHeader,
  type FaultOf,
  faultOfRow,
  NewerExport,
  readExport,
  refuse,
} from '../../ports/store/export.ts';
import { createPrivately, openDatabase, refusing } from './database.ts';
import { removeDatabase } from './database-files.ts';
import { tablesToExport } from './export.ts';
import { columnsOf, primaryCodeOf, versionSeal } from './health.ts';
import { migrations } from './schema.ts';
import { syncFile } from './sync-files.ts';

/** Tables whose rows decide what may be read, started and used. */
export const trustedTables: readonly string[] = ['granted_roots', 'mcp_approvals', 'tokens'];

export type ImportOptions = {
  /** Imports decisions of trust. Otherwise they are left out. */
  trust: boolean;
  /** Called for every row, also for rows that are left out. */
  faultOf: FaultOf;
};

/** `trust`: the first rows of tables of trust, for messages, whether they were imported or not. */
export type Imported = ExportCounts & { header: ExportHeader; trust: { table: string; row: ExportedRow }[] };

const maxTold = 1_000;

/**
 * Makes the database at `path`, which must not be in use. Deletes the old one. When it resolves, the new one is safely
 * on disk; when it throws, there is no file. Throws `NewerExport`, `invalid_request` for a file that cannot be
 * imported, and `storage_full`.
 */
export async function importDatabase(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<Imported> {
  refusing(() => removeDatabase(path));
  createPrivately(path);
  try {
    const imported = await fill(path, chunks, options);
    // Applies the migrations that the export does not have yet.
    openDatabase(path, { isUnfinished: true }).close();
    refusing(() => syncFile(path));
    return imported;
  } catch (error) {
    refusing(() => removeDatabase(path));
    throw error;
  }
}

async function fill(path: string, chunks: AsyncIterable<Uint8Array>, options: ImportOptions): Promise<Imported> {
  const database = refusing(() => new DatabaseSync(path));
  const trust: Imported['trust'] = [];
  let header: ExportHeader | undefined;
  let inserts: ReadonlyMap<string, Insert> = new Map();
  try {
    const counts = await readExport(chunks, {
      header(found) {
        header = found;
        inserts = refusing(() => createTables(database, found.schema));
      },
      row(table, row, where) {
        const insert = inserts.get(table);
        const fault =
          insert === undefined ? 'there is no such table' : faultOfRow(table, row, { ...options, ...insert });
        if (insert === undefined || fault !== undefined) throw refuse(`${where} does not fit: ${fault}`);
        if (trustedTables.includes(table)) {
          if (trust.length < maxTold) trust.push({ table, row });
          if (!options.trust) return;
        }
        refusing(() => run(insert, row, where));
      },
    });
    refusing(() => database.exec('COMMIT'));
    return { ...counts, header: header as ExportHeader, trust };
  } finally {
    database.close();
  }
}

type Insert = { columns: readonly string[]; statement: StatementSync };

/** Creates the tables with the first `schema` migrations. The file need not survive a crash before it is complete. */
function createTables(database: DatabaseSync, schema: number): ReadonlyMap<string, Insert> {
  if (schema > migrations.length)
    throw new NewerExport(`its schema is ${schema}, this contextd knows ${migrations.length}`);
  database.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF; BEGIN');
  for (const migration of migrations.slice(0, schema)) database.exec(migration);
  database.exec(`PRAGMA user_version=${schema}; PRAGMA application_id=${versionSeal(schema)}`);
  return new Map(
    tablesToExport(database).map((table) => {
      const columns = columnsOf(database, table);
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
      return [table, { columns, statement: database.prepare(sql) }];
    }),
  );
}

/** SQLite's codes for a row that does not fit the table: constraint and type. */
const misfits = [19, 20];

function run({ columns, statement }: Insert, row: ExportedRow, where: string): void {
  try {
    statement.run(...columns.map((column) => row[column] ?? null));
  } catch (error) {
    if (!misfits.includes(primaryCodeOf(error) ?? 0)) throw error;
    throw refuse(`${where} does not fit: ${(error as Error).message}`);
  }
}

/** The number of exportable rows in each table of the database at `path`. Throws as `openDatabase`. */
export function countState(path: string): Record<string, number> {
  const database = openDatabase(path, { earlier: 'leave' });
  try {
    const counts: Record<string, number> = {};
    for (const table of tablesToExport(database)) {
      const rows = Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.count);
      if (rows > 0) counts[table] = rows;
    }
    return counts;
  } finally {
    database.close();
  }
}
