/** What becomes of sessions when the disk has changed what is stored, or is full (S-71, S-72). */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { beforeEach, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/adapters/sqlite/database.ts';
import { createSqliteSessions } from '../../../src/adapters/sqlite/sessions.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import { createDamagedRows } from '../../../src/ports/store/row-hash.ts';
import { createExample, createTestSessions, type TestSessions } from '../../session/support/sessions.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

let directory: string;
let path: string;
beforeEach(() => {
  directory = temporaryDirectory();
  path = join(directory, 'contextd.db');
});

/** Changes the file behind the store's back, and opens it again. */
async function damage({ store }: TestSessions, sql: string): Promise<TestSessions> {
  await store.close();
  const database = new DatabaseSync(path);
  expect(database.prepare(sql).run().changes).toBe(1);
  database.close();
  return createTestSessions({ store: createSqliteStore(path) });
}

async function createSession() {
  const test = await createExample({ store: createSqliteStore(path) });
  const { sessions, session } = test;
  for (const content of ['one', 'two', 'three'])
    await sessions.patch(session.id, { appendMessages: [{ role: 'user', content }] });
  const { requestId } = await sessions.request(session.id, { message: 'four' });
  return { test, id: session.id, requestId };
}

const unavailable = { code: 'unavailable' };

it('S-72 leaves out a message that is damaged, says so, and goes on', async () => {
  const { test, id, requestId } = await createSession();
  const after = await damage(test, `UPDATE session_changes SET data = replace(data, 'two', 'tow') WHERE sync_id = 3`);
  const { messages, warnings, messageCount } = await after.sessions.get(id);
  expect(messages.map(({ syncId }) => syncId)).toEqual([2, 4, 5]);
  expect(messageCount).toBe(4);
  expect(warnings.map(({ code }) => code)).toEqual(['stored_entries_damaged']);
  const { changes, lastSyncId } = await after.sessions.changes(id, { since: 1 });
  expect([changes.map(({ syncId }) => syncId), lastSyncId]).toEqual([[2, 4, 5], 5]);
  expect(JSON.stringify([messages, changes])).not.toContain('tow');
  // It cannot be shown any more that this is what was sent.
  await expect(after.sessions.getRequest(id, requestId)).rejects.toMatchObject(unavailable);
  await after.sessions.patch(id, { appendMessages: [{ role: 'user', content: 'five' }] });
  expect(await after.store.warnings()).toMatchObject([{ code: 'database_rows_damaged' }]);
  await after.store.close();
});

it('S-72 pages past changes that are all damaged', async () => {
  const { test, id } = await createSession();
  const after = await damage(test, `UPDATE session_changes SET at = 'x' WHERE sync_id = 2`);
  const { changes, next, warnings } = await after.sessions.changes(id, { since: 1, limit: 1 });
  expect({ changes, next }).toEqual({ changes: [], next: 2 });
  expect(warnings).toHaveLength(1);
  await after.store.close();
});

it.each([
  `last_sync_id = 4`,
  `state = replace(state, '"topP":1', '"topP":0')`,
  `agent_id = 'other'`,
  `messages = 0`,
  `hash = 'x'`,
])('S-72 does not serve a session that is damaged: %s', async (change) => {
  const { test, id } = await createSession();
  const other = await test.sessions.create({ agentId: 'example' });
  const after = await damage(test, `UPDATE sessions SET ${change} WHERE id = '${id}'`);
  await expect(after.sessions.get(id)).rejects.toMatchObject(unavailable);
  await expect(after.sessions.patch(id, { topP: 0.5 })).rejects.toMatchObject(unavailable);
  const { sessions, warnings } = await after.sessions.list({});
  expect(sessions.map((each) => each.id)).toEqual([other.id]);
  expect(warnings).toHaveLength(1);
  await after.store.close();
});

it.each([
  `UPDATE session_requests SET data = replace(data, 'four', 'five')`,
  `UPDATE session_requests SET reply_sync_id = 9`,
])('S-72 does not serve a request that is damaged: %s', async (sql) => {
  const { test, id, requestId } = await createSession();
  const after = await damage(test, sql);
  await expect(after.sessions.getRequest(id, requestId)).rejects.toMatchObject(unavailable);
  await expect(after.sessions.reply(id, requestId, 'x')).rejects.toMatchObject(unavailable);
  expect(await after.sessions.listRequests(id, {})).toMatchObject({ requests: [], warnings: [{}] });
  expect(await Readable.from(await after.sessions.exportRequests({})).toArray()).toEqual([]);
  await after.store.close();
});

it.each([
  `UPDATE texts SET json = '"Text of Z."' WHERE json = '"Text of A."'`,
  `UPDATE texts SET json = 'no json' WHERE json = '"Text of A."'`,
  `DELETE FROM texts WHERE json = '"Text of A."'`,
])('S-72 rebuilds no request from a text that is damaged: %s', async (sql) => {
  const { test, id, requestId } = await createSession();
  const after = await damage(test, sql);
  await expect(after.sessions.getRequest(id, requestId)).rejects.toMatchObject(unavailable);
  expect((await after.sessions.listRequests(id, {})).requests).toHaveLength(1);
  await after.store.close();
});

it('S-71 says when the disk is full, keeps what was acknowledged, and recovers', async () => {
  const exec = vi.spyOn(DatabaseSync.prototype, 'exec');
  const store = createSqliteStore(path);
  const database = exec.mock.contexts[0] as DatabaseSync;
  exec.mockRestore();
  const { sessions, session } = await createExample({ store });
  const { id } = session;
  const append = (content: string) => sessions.patch(id, { appendMessages: [{ role: 'user', content }] });
  const pages = Number(database.prepare('PRAGMA page_count').get()?.page_count);
  database.exec(`PRAGMA max_page_count=${pages + 20}`);
  const outcomes = await Promise.allSettled(Array.from({ length: 30 }, () => append('x'.repeat(10_000))));
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  for (const outcome of refused) expect(outcome).toMatchObject({ reason: { code: 'storage_full' } });
  let written = outcomes.length - refused.length;
  for (const content of ['x'.repeat(10_000), 'small', 'x'.repeat(100_000)])
    written += await append(content).then(
      () => 1,
      ({ code }) => (code === 'storage_full' ? 0 : Number.NaN),
    );
  expect(await sessions.get(id)).toMatchObject({ messageCount: written, lastSyncId: written + 1 });
  database.exec('PRAGMA max_page_count=100000');
  expect(await append('x'.repeat(100_000))).toMatchObject({ messageCount: written + 1 });
  expect((await sessions.get(id)).messages).toHaveLength(written + 1);
  await store.close();
});

it('S-67 reads none of the requests of other sessions and agents, however many there are', () => {
  const database = openDatabase(path);
  const prepare = vi.spyOn(database, 'prepare');
  createSqliteSessions(database, createDamagedRows(), async (work) => work());
  const queries = prepare.mock.calls.map(([sql]) => sql).filter((sql) => /FROM session_requests/u.test(sql));
  const planOf = (wanted: RegExp): string => {
    const sql = queries.find((query) => wanted.test(query));
    return JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
  };
  expect(planOf(/session_id = :sessionId/u)).toContain('session_requests_by_session (session_id=?');
  expect(planOf(/agent_id = :agentId/u)).toContain('session_requests_by_agent (agent_id=?');
  database.close();
});
