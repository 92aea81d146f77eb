import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { exportChunks } from '../../../src/adapters/sqlite/export.ts';
import { type ImportOptions, importDatabase } from '../../../src/adapters/sqlite/import.ts';
import { migrations } from '../../../src/adapters/sqlite/schema.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { faultOfRow } from '../../../src/bin/transfer/imported-row.ts';
import { ContextdError } from '../../../src/errors.ts';
import { NewerExport } from '../../../src/ports/store/export.ts';
import { rowHash } from '../../../src/ports/store/row-hash.ts';
import {
  createOlderDatabase,
  goldenHeader,
  goldenLines,
  goldenLinesNow,
  goldenText,
  inPieces,
  type Line,
  sealExport,
} from '../../support/exports.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const about = { writtenBy: 'test', createdAt: '2026-01-01T00:00:00.000Z' };
const trusting: ImportOptions = { trust: true, faultOf: faultOfRow };
let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, 'contextd.db');
});

const importText = (text: string | Uint8Array, options = trusting) => importDatabase(path, inPieces(text), options);

function exported(databasePath: string): string {
  const database = new DatabaseSync(databasePath);
  const text = [...exportChunks(database, about)].join('');
  database.close();
  return text;
}

/** Refused with a sentence for people, and nothing is left of it. */
async function refusalOf(text: string | Uint8Array): Promise<string> {
  const error = await importText(text).then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  expect(error === undefined ? 'imported' : error.constructor).toBe(ContextdError);
  expect(error).toMatchObject({ code: 'invalid_request' });
  expect(readdirSync(directory)).toEqual([]);
  return error?.message ?? '';
}

describe('an import', () => {
  it('takes the golden file, and gives it back as it was', async () => {
    const { rows, damaged } = await importText(goldenText);
    expect([rows.session_changes, damaged]).toEqual([3, {}]);
    expect(exported(path).split('\n').slice(1, -2)).toEqual(goldenLinesNow.map((line) => JSON.stringify(line)));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['contextd.db']);
    const store = createSqliteStore(path);
    expect((await store.agents.get('reviewer'))?.document).toContain('Use tabs.\u2028Always.');
    expect(await store.sessions.count()).toBe(1);
    expect((await store.sessions.usage('reviewer')).requests).toBe(1);
    expect(await store.supplementary.list('/tmp/golden/project')).toHaveLength(1);
    expect([
      (await store.roots.list()).length,
      (await store.approvals.list()).length,
      (await store.tokens.list()).length,
    ]).toEqual([1, 1, 1]);
    expect(await store.warnings()).toEqual([]);
    await store.close();
  });

  it.each(migrations.map((_, index) => index + 1))('brings a file of schema %d up to date', async (schema) => {
    const older = join(directory, 'older.db');
    createOlderDatabase(older, schema);
    const text = exported(older);
    rmSync(older);
    expect(JSON.parse(text.split('\n', 1)[0] as string).schema).toBe(schema);
    const { rows } = await importText(text);
    const database = new DatabaseSync(path);
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: migrations.length });
    for (const [table, count] of Object.entries(rows))
      expect(database.prepare(`SELECT count(*) AS count FROM ${table}`).get(), table).toEqual({ count });
    database.close();
    // As the daemon opens it: checked, and with every row served.
    const store = createSqliteStore(path, { heal: true });
    expect((await store.roots.list()).map((root) => root.path)).toEqual(['/tmp/golden/project']);
    if (schema >= 3) expect(await store.sessions.count()).toBe(1);
    if (schema >= 4) expect(await store.agents.list()).toHaveLength(1);
    expect(await store.warnings()).toEqual([]);
    await store.close();
  });

  it('leaves decisions of trust out unless they are asked for, and names them', async () => {
    const { rows, trust } = await importText(goldenText, { ...trusting, trust: false });
    expect(trust.map(({ table }) => table)).toEqual(['granted_roots', 'mcp_approvals', 'tokens']);
    expect([rows.granted_roots, rows.mcp_approvals, rows.tokens]).toEqual([1, 1, 1]);
    const store = createSqliteStore(path);
    expect([await store.roots.list(), await store.approvals.list(), await store.tokens.list()]).toEqual([[], [], []]);
    expect(await store.agents.list()).toHaveLength(1);
    await store.close();
  });

  it('refuses every file that was cut off', async () => {
    const bytes = Buffer.from(goldenText);
    for (let length = 0; length < bytes.length - 1; length += 149) await refusalOf(bytes.subarray(0, length));
    expect(await refusalOf(bytes.subarray(0, -1))).toContain('cut off');
    expect(await refusalOf(goldenText.split('\n').slice(0, -2).join('\n').concat('\n'))).toContain('cut off');
  });

  it('refuses every file in which a byte changed', async () => {
    const bytes = Buffer.from(goldenText);
    for (let at = 0; at < bytes.length - 1; at += 97) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 1;
      // A line more or less, a value, a hash: whatever it is, the checksum of the file knows.
      const message = await refusalOf(changed);
      expect(message).toMatch(/^The file (?:is not an export|cannot be imported)/u);
    }
  });

  it.each<[string, string | Uint8Array, RegExp]>([
    ['nothing', '', /not an export/],
    ['an empty line', '\n', /not an export/],
    ['a text', 'hello\n', /not an export/],
    ['JSON of something else', '{"a":1}\n', /not an export/],
    ['zeros', Buffer.alloc(10_000), /not an export/],
    ['a database', Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8_192, 10)]), /not an export/],
    ['a header alone', `${JSON.stringify(goldenHeader)}\n`, /cut off/],
    ['a long first line', `{"format":"contextd-export","x":"${'x'.repeat(10_000)}"}\n`, /not an export/],
    ['an odd header', '{"format":"contextd-export","formatVersion":1,"schema":"10"}\n', /line 1/],
    ['a schema that never was', '{"format":"contextd-export","formatVersion":1,"schema":0}\n', /line 1/],
    ['something behind its end', `${goldenText}\n`, /follows/],
    ['a second file behind it', goldenText + goldenText, /follows/],
  ])('refuses %s', async (_, text, message) => {
    expect(await refusalOf(text)).toMatch(message);
  });

  const replaced = (table: string, change: (row: Line['row']) => Line['row']): Line[] =>
    goldenLines.map((line) => (line.table === table ? { table, row: change(line.row) } : line));
  const root = (row: Line['row']) => ({ table: 'granted_roots', row });
  const rehashed = (row: Line['row'], columns: string[]) => ({
    ...row,
    hash: rowHash(...columns.map((column) => row[column] ?? null)),
  });

  // With a right checksum of the file: by someone who knows how it is made.
  it.each<[string, Line[], RegExp]>([
    ['a row that was changed', replaced('tokens', (row) => ({ ...row, label: 'x' })), /line 4 .*checksum/],
    ['an agent that was changed', replaced('agents', (row) => ({ ...row, document: '{}' })), /checksum/],
    ['a text under another key', replaced('texts', (row) => ({ ...row, json: '"x"' })), /checksum/],
    ['a table of SQLite', [{ table: 'sqlite_schema', row: { type: 'trigger', name: 'x', sql: 'x' } }], /no such table/],
    ['a table that is not exported', [{ table: 'vectors', row: { identity: 'x' } }], /no such table/],
    ['a table whose name is code', [{ table: 'agents; DROP TABLE agents', row: {} }], /no such table/],
    ['a table of objects', [{ table: '__proto__', row: {} }], /no such table|damaged/],
    ['a column that is not there', [root({ path: '/', granted_at: '', hash: null, 'x"': 1 })], /columns/],
    ['a column that is missing', [root({ path: '/', hash: null })], /columns/],
    ['a null where there is none', [root({ path: '/', granted_at: null, hash: null })], /NOT NULL/],
    ['a text where a number is', replaced('tokens', (row) => ({ ...row, position: 'many' })), /datatype mismatch/],
    ['a row twice', [...goldenLines, ...goldenLines.slice(0, 1)], /UNIQUE/],
    [
      'a session that is none',
      replaced('sessions', (row) =>
        rehashed({ ...row, state: '[]' }, [
          ...['id', 'agent_id', 'parent_session_id', 'created_at', 'last_sync_id', 'messages', 'state'],
        ]),
      ),
      /no entry of sessions/,
    ],
    [
      'a message that is none',
      replaced('session_changes', (row) =>
        rehashed({ ...row, data: '{' }, ['session_id', 'sync_id', 'type', 'at', 'data']),
      ),
      /no entry of session changes/,
    ],
    [
      'an approval that is none',
      replaced('mcp_approvals', (row) =>
        rehashed({ ...row, definition: '{}' }, ['id', 'fingerprint', 'definition', 'approved_at', 'tools']),
      ),
      /no entry of mcp approvals/,
    ],
    [
      'a token that would break every comparison',
      replaced('tokens', (row) => rehashed({ ...row, digest: 'ab' }, ['id', 'label', 'created_at', 'digest'])),
      /no entry of tokens/,
    ],
    ['a grant of everything that looks like none', [root({ path: '', granted_at: '', hash: null })], /no entry/],
    ['a grant of another directory than it says', [root({ path: '/a/../b', granted_at: '', hash: null })], /no entry/],
    [
      'added context that lies nowhere',
      replaced('supplementary_items', (row) =>
        rehashed({ ...row, mounted_directory: 'x' }, ['id', 'mounted_directory', 'kind', 'path', 'added_at']),
      ),
      /no entry of supplementary items/,
    ],
    ['a usage that no answer can hold', replaced('item_uses', (row) => ({ ...row, tokens: -1 })), /no entry/],
    ['requests that were never made', replaced('agent_requests', (row) => ({ ...row, requests: -1 })), /no entry/],
    [
      'a number that cannot be read back',
      replaced('agent_requests', (row) => ({ ...row, requests: 2 ** 60 })),
      /large/,
    ],
    ['a position after which there is none', replaced('tokens', (row) => ({ ...row, position: 2 ** 62 })), /large/],
  ])('S-66 refuses %s', async (_, lines, message) => {
    expect(await refusalOf(sealExport(goldenHeader, lines))).toMatch(message);
  });

  it('refuses a row that is an object, and numbers of rows that are others', async () => {
    const nested = [{ table: 'granted_roots', row: { path: { a: 1 } } }] as unknown as Line[];
    expect(await refusalOf(sealExport(goldenHeader, nested))).toContain('line 2 is damaged');
    const sealed = sealExport(goldenHeader, goldenLines);
    expect(await refusalOf(sealed.replace('"session_changes":3', '"session_changes":4'))).toContain('checksum');
  });

  it('refuses what a newer contextd wrote, and says so', async () => {
    for (const newer of [{ formatVersion: 2, schema: 'whatever' }, { schema: migrations.length + 1 }]) {
      const error = await importText(sealExport({ ...goldenHeader, ...newer }, [])).catch((error: unknown) => error);
      expect(error).toBeInstanceOf(NewerExport);
      expect(existsSync(path)).toBe(false);
    }
  });

  it('does not keep a line without an end in memory', async () => {
    let given = 0;
    const endless = async function* () {
      yield Buffer.from(`${JSON.stringify(goldenHeader)}\n`);
      for (; given < 1_000; given += 1) yield Buffer.alloc(1024 * 1024, 'x');
    };
    await expect(importDatabase(path, endless(), trusting)).rejects.toMatchObject({ code: 'invalid_request' });
    expect(given).toBeLessThan(70);
  });
});
