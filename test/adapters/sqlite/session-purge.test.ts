import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { textKey } from '../../../src/ports/store/session.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const at = '2026-01-01T00:00:00.000Z';
let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, 'contextd.db');
});

async function fill(store: Store, id: string, changes: number): Promise<void> {
  await store.sessions.write(async (writer) => {
    const session = { id, agentId: 'a', parentSessionId: null, createdAt: at, lastSyncId: changes, messages: changes };
    await writer.insertSession({ ...session, state: {}, ownerId: null, bytes: 0 });
    for (let syncId = 1; syncId <= changes; syncId += 1)
      await writer.insertChange(id, { syncId, type: 'message', at, data: 'x'.repeat(100) });
    const request = {
      id: `r-${id}`,
      sessionId: id,
      agentId: 'a',
      syncId: 1,
      replySyncId: null,
      createdAt: at,
      data: {},
    };
    const texts = ['shared', `of ${id}`].map((text): [string, string] => [textKey(text), text]);
    await writer.insertRequest(request, new Map(texts));
  });
}

/** Rows of the tables, once the store is closed. */
function countRows(): Record<string, number> {
  const database = new DatabaseSync(path);
  const tables = ['sessions', 'deleted_sessions', 'session_changes', 'session_requests', 'session_texts', 'texts'];
  const counts = tables.map((table) => [
    table,
    Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n),
  ]);
  database.close();
  return Object.fromEntries(counts);
}

it('S-67 a large session goes bit by bit, and others write between', async () => {
  const store = createSqliteStore(path);
  await fill(store, 's', 5_000);
  await fill(store, 't', 1);
  const remaining = async () =>
    (await store.sessions.changes('s', { after: 0, limit: 10_000, maxBytes: 10_000_000 })).entries.length;
  await store.sessions.write((writer) => writer.deleteSession('s'));
  const seen = new Set<number>();
  for (let syncId = 2; (await remaining()) > 0; syncId += 1) {
    await store.sessions.write((writer) => writer.insertChange('t', { syncId, type: 'message', at, data: '' }));
    seen.add(await remaining());
  }
  expect(seen.size).toBeGreaterThan(3);
  await expect
    .poll(async () => (await store.sessions.changes('s', { after: 0, limit: 1, maxBytes: 1 })).entries)
    .toEqual([]);
  await store.close();
});

it('S-68 what a killed process left of a deleted session goes after the next start', async () => {
  const store = createSqliteStore(path);
  await fill(store, 's', 3_000);
  await fill(store, 't', 10);
  await store.sessions.write((writer) => writer.deleteSession('s'));
  await store.close();
  expect(countRows()).toMatchObject({ sessions: 1, deleted_sessions: 1, session_requests: 2, texts: 3 });
  const again = createSqliteStore(path);
  expect(await again.sessions.session('s')).toBeUndefined();
  const textOfS = async () => again.sessions.texts([textKey('of s')]);
  await expect.poll(() => textOfS().catch(({ code }) => code)).toBe('unavailable');
  // A slice that finds nothing more follows.
  for (let turn = 0; turn < 3; turn += 1) await again.sessions.write(async () => undefined);
  await again.close();
  expect(countRows()).toEqual({
    sessions: 1,
    deleted_sessions: 0,
    session_changes: 10,
    session_requests: 1,
    session_texts: 2,
    texts: 2,
  });
});

it('S-67 what is deleted at the moment when all else has been cleared away goes, too', async () => {
  const store = createSqliteStore(path);
  const isThere = async (id: string) =>
    store.sessions.texts([textKey(`of ${id}`)]).then(
      () => true,
      () => false,
    );
  for (let turns = 0; turns < 10; turns += 1) {
    const [first, second] = [`${turns} first`, `${turns} second`];
    for (const id of [first, second]) await fill(store, id, 1);
    const removing = [store.sessions.write((writer) => writer.deleteSession(first))];
    for (let turn = 0; turn < turns; turn += 1) await nextTurn();
    removing.push(store.sessions.write((writer) => writer.deleteSession(second)));
    await Promise.all(removing);
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    expect([await isThere(first), await isThere(second)], `after ${turns} turns`).toEqual([false, false]);
  }
  await store.close();
});
