/** Exports as texts, and databases of every version with rows that a daemon wrote. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { versionSeal } from '../../src/adapters/sqlite/health.ts';
import { migrations } from '../../src/adapters/sqlite/schema.ts';
import type { ExportedRow } from '../../src/ports/store/export.ts';

/** Written by the first version that exported. It is never written again: what it holds must be importable for ever. */
export const goldenPath = new URL('../../fixtures/exports/schema-10.jsonl', import.meta.url).pathname;
export const goldenText = readFileSync(goldenPath, 'utf8');

export type Line = { table: string; row: ExportedRow };
export const goldenLines = goldenText
  .trimEnd()
  .split('\n')
  .slice(1, -1)
  .map((line) => JSON.parse(line) as Line);

/** Columns that came after the golden file was written, as they are of its rows. */
const addedColumns: Record<string, object> = { sessions: { owner_id: null, bytes: 0 }, agents: { items: null } };

/** The rows of the golden file as they are written now: with the columns that came later. */
export const goldenLinesNow = goldenLines.map(({ table, row }) => ({
  table,
  row: { ...row, ...addedColumns[table] },
}));

/** A database of an earlier version: the first `schema` migrations, and the golden rows as far as there is room for them. */
export function createOlderDatabase(path: string, schema: number): void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY');
  for (const migration of migrations.slice(0, schema)) database.exec(migration);
  database.exec(`PRAGMA user_version=${schema}; PRAGMA application_id=${versionSeal(schema)}`);
  for (const { table, row } of goldenLines) {
    const found = database.prepare('SELECT name FROM pragma_table_info(?)').all(table);
    // What later migrations add has its default.
    const columns = found.map(({ name }) => `${name}`).filter((name) => Object.hasOwn(row, name));
    if (columns.length === 0) continue;
    const marks = columns.map(() => '?').join(', ');
    const values = columns.map((column) => row[column] ?? null);
    database.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`).run(...values);
  }
  database.close();
}

/** A file with these lines and the right end, whatever the lines say. */
export function sealExport(header: object, lines: readonly Line[]): string {
  const body = [header, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
  const rows: Record<string, number> = {};
  for (const { table } of lines) rows[table] = (rows[table] ?? 0) + 1;
  const sha256 = createHash('sha256').update(body).digest('hex');
  return `${body}${JSON.stringify({ end: true, rows, damaged: {}, sha256 })}\n`;
}

export const goldenHeader = JSON.parse(goldenText.split('\n', 1)[0] as string) as Record<string, unknown>;

/** The text in pieces of `size` bytes. */
export async function* inPieces(text: string | Uint8Array): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
}
