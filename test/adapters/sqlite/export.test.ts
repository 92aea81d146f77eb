import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { exportedTables, readWholeDatabase } from '../../../src/adapters/sqlite/export.ts';
import { migrations } from '../../../src/adapters/sqlite/schema.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { createOlderDatabase, goldenLinesNow, type Line } from '../../support/exports.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const about = { writtenBy: 'test', createdAt: '2026-01-01T00:00:00.000Z' };
let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, 'contextd.db');
});

async function textOf(store: Store): Promise<string> {
  let text = '';
  for await (const chunk of store.export(about)) text += chunk;
  return text;
}

const linesOf = (text: string): Line[] =>
  text
    .trimEnd()
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line) as Line);
const endOf = (text: string) => JSON.parse(text.trimEnd().split('\n').at(-1) as string);

describe('an export', () => {
  it('has every table but vectors and what deleted sessions leave', () => {
    const database = new DatabaseSync(':memory:');
    for (const migration of migrations) database.exec(migration);
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    database.close();
    const kept = tables.map(({ name }) => `${name}`).filter((name) => !name.startsWith('sqlite_'));
    // A new table is either exported, or named here, where it is said that it can be made again.
    expect(kept.sort()).toEqual([...Object.keys(exportedTables), 'deleted_sessions', 'vectors'].sort());
  });

  it('holds all rows as they are, whether the database is open or not', async () => {
    createOlderDatabase(path, migrations.length);
    const store = createSqliteStore(path, { heal: true });
    const live = await textOf(store);
    await store.close();
    expect(linesOf(live)).toEqual(goldenLinesNow);
    expect(Buffer.concat([...readWholeDatabase(path, about)]).toString()).toBe(live);
  });

  it('is of one moment, while the daemon goes on writing', async () => {
    const store = createSqliteStore(path, { heal: true });
    const root = (n: number) => ({ path: `/${n}`, grantedAt: 'x'.repeat(20_000) });
    for (let n = 0; n < 400; n += 1) await store.roots.add(root(n));
    let written = 400;
    let isDone = false;
    // Always two that belong together.
    const writing = (async () => {
      for (; !isDone; written += 2) {
        const item = (n: number) => ({ id: `${n}`, kind: 'file' as const, path: `/p/${n}`, addedAt: '' });
        await store.supplementary.replace(`/p${written}`, [item(written), item(written + 1)]);
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const text = await textOf(store);
    isDone = true;
    await writing;
    const items = linesOf(text).filter(({ table }) => table === 'supplementary_items');
    expect(items.length % 2).toBe(0);
    expect(endOf(text).rows.granted_roots).toBe(400);
    // It did not wait for the end of the export.
    expect(written).toBeGreaterThan(402);
    await store.close();
  });

  it('begins also while others write all the time', async () => {
    const store = createSqliteStore(path, { heal: true });
    const items = Array.from({ length: 500 }, (_, n) => ({
      id: `${n}`,
      kind: 'file' as const,
      path: `/p/${n}`,
      addedAt: '',
    }));
    await store.supplementary.replace('/p', items);
    let isDone = false;
    // Hardly ever is there no transaction.
    const writing = (async () => {
      for (; !isDone; await new Promise((resolve) => setImmediate(resolve)))
        await store.supplementary.replace('/p', items);
    })();
    for (let n = 0; n < 30; n += 1) expect(endOf(await textOf(store)).rows.supplementary_items).toBe(500);
    isDone = true;
    await writing;
    await store.close();
  });

  it('has nothing of a write that waits and is undone, and is refused or whole when the store is closed', async () => {
    const store = createSqliteStore(path, { heal: true });
    const beginWrite = async () => {
      const { promise: isBegun, resolve: tell } = Promise.withResolvers<void>();
      const undone = store.supplementary.write(async (writer) => {
        // More than SQLite keeps in memory.
        for (let id = 0; id < 1_500; id += 1)
          await writer.append('/p', { id: `${id}`, kind: 'file', path: `/${id}/${'x'.repeat(4_000)}`, addedAt: '' });
        tell();
        await delay(100);
        throw new Error('no');
      });
      const refused = expect(undone).rejects.toThrow('no');
      await isBegun;
      return { refused };
    };
    const first = await beginWrite();
    const text = textOf(store);
    await first.refused;
    expect(endOf(await text).rows).toEqual({});
    const second = await beginWrite();
    const late = textOf(store).then(
      (whole) => endOf(whole).rows,
      ({ code }) => code,
    );
    await store.close();
    await second.refused;
    // Its thread may have begun just after the write.
    expect(['unavailable', {}]).toContainEqual(await late);
    expect(readdirSync(directory).sort()).toEqual(['contextd.db', 'contextd.db.reserve']);
  });

  it('leaves out, and counts, what the disk has damaged', async () => {
    createOlderDatabase(path, migrations.length);
    const database = new DatabaseSync(path);
    database.exec("UPDATE session_changes SET data = replace(data, 'Hello', 'Jello'); UPDATE texts SET json = '\"x\"'");
    database.close();
    const store = createSqliteStore(path);
    const text = await textOf(store);
    await store.close();
    expect(text).not.toContain('Jello');
    expect(endOf(text).damaged).toEqual({ session_changes: 1, texts: 2 });
  });

  it('holds nothing of deleted sessions', async () => {
    createOlderDatabase(path, migrations.length);
    const database = new DatabaseSync(path);
    // As it is between the deletion and the clearing away.
    database.exec('INSERT INTO deleted_sessions SELECT id FROM sessions; DELETE FROM sessions');
    database.close();
    const text = Buffer.concat([...readWholeDatabase(path, about)]).toString();
    expect(Object.keys(endOf(text).rows)).toEqual([
      ...['granted_roots', 'mcp_approvals', 'tokens', 'agents', 'supplementary_items', 'agent_requests', 'item_uses'],
    ]);
  });

  it('is one at a time, and ends with the one who reads it', async () => {
    createOlderDatabase(path, migrations.length);
    const store = createSqliteStore(path, { heal: true });
    const first = store.export(about);
    const reading = first.next();
    await expect(store.export(about).next()).rejects.toMatchObject({ code: 'limit_exceeded' });
    await reading;
    await first.return(undefined);
    expect(linesOf(await textOf(store))).toHaveLength(goldenLinesNow.length);
    // One that is never read holds nothing.
    store.export(about);
    expect(linesOf(await textOf(store))).toHaveLength(goldenLinesNow.length);
    await store.close();
  });

  it('S-08 leaves no copy behind, nor what a killed daemon left', async () => {
    const left = `${path}.export`;
    writeFileSync(left, 'left');
    createOlderDatabase(path, migrations.length);
    const store = createSqliteStore(path, { heal: true });
    expect(existsSync(left)).toBe(false);
    const lines = store.export(about);
    await lines.next();
    expect(existsSync(left)).toBe(false);
    await lines.return(undefined);
    await store.close();
    expect(readdirSync(directory).sort()).toEqual(['contextd.db', 'contextd.db.reserve']);
  });

  it('says when no copy can be made, and works again as soon as one can', async () => {
    const store = createSqliteStore(path, { heal: true });
    await store.roots.add({ path: '/a', grantedAt: '' });
    mkdirSync(join(directory, 'contextd.db.export', 'x'), { recursive: true });
    await expect(store.export(about).next()).rejects.toMatchObject({ code: 'unavailable' });
    rmSync(join(directory, 'contextd.db.export'), { recursive: true });
    expect(linesOf(await textOf(store))).toHaveLength(1);
    await store.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});
