/** Stores of several daemons on one PostgreSQL. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { within } from '../../../src/pace/within.ts';
import type { RemoteChange } from '../../../src/ports/store/remote-change.ts';
import { textKey } from '../../../src/ports/store/session.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../../support/shared-postgres.ts';
import { appendMessage, holdRow, openAsDaemon, openStore, runSql, sessionOf } from './support.ts';

const at = '2026-01-01T00:00:00.000Z';
const all = { after: 0, limit: 10_000, maxBytes: 10_000_000 };
const many = (length: number) => Array.from({ length }, (_, number) => number);

describe.skipIf(!hasPostgres)(`several daemons ${onPostgres}`, () => {
  let address: string;
  let one: Store;
  let two: Store;
  let heard: RemoteChange[];
  let resyncs = 0;
  let number = 0;
  let id: string;
  beforeAll(async () => {
    address = await createTestDatabase();
    const stores = await Promise.all(many(10).map(() => openStore(address)));
    [one, two] = stores as [Store, Store];
    await Promise.all(stores.slice(2).map((store) => store.close()));
    two.follow?.({
      changed: (change) => void heard.push(change),
      resync: () => {
        resyncs += 1;
      },
    });
  });
  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
  });
  beforeEach(async () => {
    heard = [];
    number += 1;
    id = `s${number}`;
    await one.sessions.write((writer) => writer.insertSession(sessionOf(id)));
  });

  it('FT-01 applies each migration once, however many start at once, and gives all the same key', async () => {
    expect(await runSql(address, 'SELECT number FROM contextd.migrations')).toEqual([{ number: 1 }]);
    expect(one.sharedKey).toHaveLength(32);
    expect(two.sharedKey).toEqual(one.sharedKey);
  });

  it('FT-01 does not touch tables of a newer version', async () => {
    await runSql(address, 'INSERT INTO contextd.migrations (number) VALUES (999)');
    await expect(openStore(address)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('newer'),
    });
    await runSql(address, 'DELETE FROM contextd.migrations WHERE number = 999');
  });

  it('FT-02 numbers the changes of a session without gaps, 8 writers at each of two daemons', async () => {
    const writers = [one, two].flatMap((store) => many(8).map(() => store));
    const numbers = await Promise.all(
      writers.map(async (store, writer) => {
        const own: number[] = [];
        for (const turn of many(25)) own.push(await appendMessage(store, id, { writer, turn }));
        return own;
      }),
    );
    for (const own of numbers) expect(own).toEqual(own.toSorted((a, b) => a - b));
    expect(numbers.flat().sort((a, b) => a - b)).toEqual(many(400).map((n) => n + 1));
    const { entries, damaged } = await two.sessions.changes(id, all);
    expect([entries.map(({ syncId }) => syncId), damaged]).toEqual([many(400).map((n) => n + 1), 0]);
    expect(await one.sessions.session(id)).toMatchObject({ lastSyncId: 400, messages: 400 });
  });

  it('FT-02 tries again what two daemons have locked in opposite order', async () => {
    const other = `${id}-other`;
    await one.sessions.write((writer) => writer.insertSession(sessionOf(other)));
    const both = (store: Store, ids: readonly string[]) =>
      store.sessions.write(async (writer) => {
        for (const each of ids) {
          const session = await writer.session(each);
          await delay(2);
          if (session !== undefined) await writer.updateSession({ ...session, messages: session.messages + 1 });
        }
      });
    const writes = [both(one, [id, other]), both(two, [other, id])];
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await one.sessions.session(id))?.messages).toBe(2);
    expect((await one.sessions.session(other))?.messages).toBe(2);
  });

  it('FT-02 a write that waits for another daemon is refused in time, and holds up nobody for good', async () => {
    const three = await openAsDaemon(address, { connectMs: 30_000 });
    const letGo = await holdRow(address, 'sessions', id);
    const waiting = three.together?.(() => appendMessage(three, id, 'waits')) ?? Promise.reject(new Error('no bound'));
    // Begins after the write, on the same event loop: a slow machine delays both.
    await expect(within(5_000, waiting)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await one.sessions.session(id)).toMatchObject({ lastSyncId: 0 });
    // Others do not wait with it for ever.
    expect(await appendMessage(one, 's1', 'goes on')).toBe(1);
    await letGo();
    await expect.poll(() => three.sessions.write((writer) => writer.session(id))).toMatchObject({ lastSyncId: 0 });
    await three.close();
    expect(await appendMessage(two, id, 'goes on')).toBe(1);
  });

  it('FT-02 counts what requests had at all daemons, and gives one text to all', async () => {
    const use = { type: 'rule', name: 'r', serverName: '', mode: 'always', tokens: 3 };
    const texts = new Map(['the same', 'another'].map((text) => [textKey(text), text]));
    await Promise.all(
      [one, two].flatMap((store, daemon) =>
        many(20).map((turn) =>
          store.sessions.write(async (writer) => {
            const requestId = `${id}-${daemon}-${turn}`;
            const request = { id: requestId, sessionId: requestId, agentId: id, syncId: 1, replySyncId: null };
            await writer.insertRequest({ ...request, createdAt: at, data: {} }, texts);
            await writer.countUses({ agentId: id, at, uses: [use] });
          }),
        ),
      ),
    );
    const { requests, uses } = await one.sessions.usage(id);
    expect(requests).toBe(40);
    expect(uses).toMatchObject([{ name: 'r', requests: 40, tokens: 120 }]);
    expect(await two.sessions.texts([...texts.keys()])).toEqual(texts);
  });

  it('FT-02 keeps a text that one daemon links while another clears it away', async () => {
    for (const turn of many(10)) {
      const text = `${id} ${turn}`;
      const texts = new Map([[textKey(text), text]]);
      const request = (sessionId: string) => {
        return { id: `r-${sessionId}`, sessionId, agentId: 'a', syncId: 1, replySyncId: null, createdAt: at, data: {} };
      };
      const [gone, kept] = [`gone-${text}`, `kept-${text}`];
      for (const each of [gone, kept]) await one.sessions.write((writer) => writer.insertSession(sessionOf(each)));
      await one.sessions.write((writer) => writer.insertRequest(request(gone), texts));
      await one.sessions.write((writer) => writer.deleteSession(gone));
      await two.sessions.write((writer) => writer.insertRequest(request(kept), texts));
      await delay(10);
      expect(await one.sessions.texts([textKey(text)])).toEqual(texts);
    }
  });

  it('FT-02 tries a transaction that the server undoes again, and no more than a few times', async () => {
    let runs = 0;
    const failing = (times: number) =>
      one.tokens.write(async (writer) => {
        runs += 1;
        // A trigger refuses it as the server refuses a race.
        if (runs <= times) await writer.add({ id: `x${runs}`, label: 'serialization', createdAt: at, digest: 'd' });
        return runs;
      });
    await runSql(
      address,
      `CREATE OR REPLACE FUNCTION contextd.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         RAISE EXCEPTION 'race' USING ERRCODE = 'serialization_failure'; END $$;
       CREATE TRIGGER fail BEFORE INSERT ON contextd.tokens FOR EACH ROW WHEN (NEW.label = 'serialization')
         EXECUTE FUNCTION contextd.fail()`,
    );
    expect(await failing(3)).toBe(4);
    runs = 0;
    await expect(failing(1_000)).rejects.toMatchObject({ code: 'unavailable' });
    expect(runs).toBeLessThan(20);
    await runSql(address, 'DROP TRIGGER fail ON contextd.tokens; DROP FUNCTION contextd.fail()');
    expect(await one.tokens.list()).toEqual([]);
  });

  it('FT-05 keeps a vector once for all daemons, whoever made it', async () => {
    const vectors = many(50).map((n) => ({ key: `${id}-${n}`, vector: new Float32Array([n, 1]) }));
    await Promise.all([
      one.vectors.add(vectors, { identity: 'm', usedAt: 1 }),
      two.vectors.add(vectors.toReversed(), { identity: 'm', usedAt: 2 }),
    ]);
    const keys = vectors.map(({ key }) => key);
    expect(await one.vectors.get('m', keys)).toEqual(vectors);
    expect(await two.vectors.get('m', keys)).toEqual(vectors);
    expect(await one.vectors.count('m')).toBe(50);
  });

  it('FT-03 tells others what was committed, and oneself nothing', async () => {
    const own: RemoteChange[] = [];
    const end = one.follow?.({ changed: (change) => void own.push(change), resync() {} });
    await appendMessage(one, id, 'x');
    await one.sessions
      .write((writer) => writer.insertSession(sessionOf('undone')))
      .then(
        () => {},
        () => {},
      );
    await one.sessions
      .write(async (writer) => {
        await writer.insertSession(sessionOf('never'));
        throw new Error('no');
      })
      .catch(() => {});
    await one.approvals.put({ id: 'a', fingerprint: 'f', definition: '{}', approvedAt: at });
    await one.tokens.add({ id: `t${id}`, label: '', createdAt: at, digest: 'd' });
    await one.supplementary.append('/w', { id: `i${id}`, kind: 'file', path: `/${'é'.repeat(4_000)}`, addedAt: at });
    await one.sessions.write((writer) => writer.deleteSession(id));
    await expect.poll(() => heard.at(-1)).toMatchObject({ sessionId: id, change: 'deleted', lastSyncId: 1 });
    const told = heard.filter((change) => change.type !== 'session-changed' || change.sessionId === id);
    expect(told).toEqual([
      ...(told[0]?.type === 'session-changed' && told[0].change === 'created' ? [told[0]] : []),
      { type: 'session-changed', sessionId: id, change: 'updated', lastSyncId: 1, ownerId: null },
      { type: 'approvals-changed' },
      { type: 'tokens-changed' },
      { type: 'supplementary-changed', mountedDirectory: '/w' },
      { type: 'session-changed', sessionId: id, change: 'deleted', lastSyncId: 1, ownerId: null },
    ]);
    expect(JSON.stringify(heard)).not.toContain('never');
    expect(own).toEqual([]);
    end?.();
  });

  it('FT-03 says so when it may have missed something: after it was cut off, and of what is too large to tell', async () => {
    const before = resyncs;
    await runSql(
      address,
      // Not those of other tests, which use the same server.
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')`,
    );
    await expect.poll(() => resyncs).toBeGreaterThan(before);
    const then = resyncs;
    await one.supplementary.replace(`/${'w'.repeat(9_000)}`, []);
    await expect.poll(() => resyncs).toBe(then + 1);
    await appendMessage(one, id, 'x');
    await expect.poll(() => heard.at(-1)).toMatchObject({ sessionId: id, lastSyncId: 1 });
    await expect.poll(() => two.state?.()).toEqual({ kind: 'postgres', available: true });
  });

  it('FT-07 goes on by itself after all connections were cut', async () => {
    await appendMessage(one, id, 'x');
    await runSql(
      address,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()`,
    );
    expect(await appendMessage(one, id, 'y')).toBe(2);
    expect(await two.sessions.session(id)).toMatchObject({ lastSyncId: 2 });
  });

  it('S-72 never serves a row that does not fit its hash, and says so', async () => {
    await appendMessage(one, id, 'x');
    await appendMessage(one, id, 'y');
    await one.agents.put({ id, summary: '{}', document: '{}', items: [], createdAt: at, updatedAt: at });
    const vector = { key: id, vector: new Float32Array([1, 2]) };
    await one.vectors.add([vector, { ...vector, key: 'whole' }], { identity: 'model', usedAt: 1 });
    await runSql(
      address,
      `UPDATE contextd.session_changes SET data = '"z"' WHERE session_id = '${id}' AND sync_id = 1;
       UPDATE contextd.agents SET document = '{"x":1}' WHERE id = '${id}';
       UPDATE contextd.vectors SET vector = '\\x00000000' WHERE key = '${id}'`,
      'default',
    );
    expect(await two.sessions.changes(id, all)).toMatchObject({ entries: [{ syncId: 2 }], damaged: 1 });
    expect(await two.agents.get(id)).toBeUndefined();
    expect((await two.vectors.get('model', [id, 'whole'])).map(({ key }) => key)).toEqual(['whole']);
    expect(await two.vectors.count('model')).toBe(1);
    expect((await two.warnings()).map(({ code }) => code)).toContain('database_rows_damaged');
    await runSql(address, `UPDATE contextd.sessions SET messages = 9 WHERE id = '${id}'`, 'default');
    await expect(two.sessions.session(id)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('S-71 refuses a text that the server cannot hold as a mistake of the caller', async () => {
    const token = { id: `nul${id}`, label: 'a\0b', createdAt: at, digest: 'd' };
    await expect(one.tokens.add(token)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
