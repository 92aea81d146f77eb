/** What belongs to one tenant is out of reach of another, through every verb and below them. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { RemoteChange } from '../../../src/ports/store/remote-change.ts';
import { textKey } from '../../../src/ports/store/session.ts';
import type { Store } from '../../../src/ports/store/store.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../../support/shared-postgres.ts';
import { openStore, runSql, sessionOf } from './support.ts';

const at = '2026-01-01T00:00:00.000Z';
const all = { limit: 100, maxBytes: 1_000_000 };
const text = 'a secret of one';
const use = { type: 'rule', name: 'r', serverName: '', mode: 'always', tokens: 3 };
const request = { id: 'r', sessionId: 's', agentId: 'a', syncId: 1, replySyncId: null, createdAt: at, data: {} };
const agent = { id: 'a', summary: '{}', document: '{}', items: [], createdAt: at, updatedAt: at };
const item = { id: 'i', kind: 'file' as const, path: '/w/a', addedAt: at };

/** Everything there is of a tenant, as text: the same before and after what others do. */
async function exported(store: Store): Promise<string> {
  let text = '';
  for await (const chunk of store.export({ writtenBy: '', createdAt: at })) text += chunk;
  return text + (await store.vectors.count('model'));
}

describe.skipIf(!hasPostgres)(`tenants ${onPostgres}`, () => {
  let address: string;
  let one: Store;
  let two: Store;
  let before: string;
  const heard: RemoteChange[] = [];
  beforeAll(async () => {
    address = await createTestDatabase();
    one = await openStore(address, { tenant: 'one' });
    two = await openStore(address, { tenant: 'two' });
    await one.sessions.write(async (writer) => {
      await writer.insertSession(sessionOf('s', { ownerId: 'token', bytes: 10 }));
      await writer.insertChange('s', { syncId: 1, type: 'message', at, data: text });
      await writer.insertRequest(request, new Map([[textKey(text), text]]));
      await writer.countUses({ agentId: 'a', at, uses: [use] });
    });
    await one.agents.put({ ...agent, items: [{ kind: 'rules', name: 'r', position: 1, json: '{}', bytes: 2 }] });
    await one.supplementary.append('/w', item);
    await one.tokens.add({ id: 't', label: '', createdAt: at, digest: 'd' });
    await one.approvals.put({ id: 'm', fingerprint: 'f', definition: '{}', approvedAt: at });
    await one.vectors.add([{ key: 'k', vector: new Float32Array([1]) }], { identity: 'model', usedAt: 1 });
    before = await exported(one);
    one.follow?.({ changed: (change) => void heard.push(change), resync() {} });
  });
  afterAll(async () => {
    await Promise.all([one.close(), two.close()]);
  });

  it('FT-09 S-90 reads nothing of another tenant, by any verb', async () => {
    const reader = await openStore(address, { tenant: 'reader' });
    onTestFinished(() => reader.close());
    const { sessions, agents, supplementary, tokens, approvals, vectors } = reader;
    expect(await sessions.count()).toBe(0);
    expect(await sessions.session('s')).toBeUndefined();
    expect((await sessions.sessions(all)).entries).toEqual([]);
    expect((await sessions.sessions({ ...all, ownerId: 'token', agentId: 'a' })).entries).toEqual([]);
    expect(await sessions.owned('token')).toEqual({ sessions: 0, bytes: 0 });
    expect((await sessions.changes('s', { ...all, after: 0 })).entries).toEqual([]);
    expect(await sessions.request('s', 'r')).toBeUndefined();
    for (const filter of [{}, { sessionId: 's' }, { agentId: 'a' }])
      expect((await sessions.requests({ ...all, ...filter })).entries).toEqual([]);
    await expect(sessions.texts([textKey(text)])).rejects.toMatchObject({ code: 'unavailable' });
    expect(await sessions.usage('a')).toEqual({ requests: 0, uses: [] });
    expect([await agents.list(), await agents.get('a'), await agents.head('a')]).toEqual([[], undefined, undefined]);
    expect(await supplementary.list('/w')).toEqual([]);
    expect([await tokens.list(), await approvals.list()]).toEqual([[], []]);
    expect([await vectors.get('model', ['k']), await vectors.count('model')]).toEqual([[], 0]);
    expect(await exported(reader)).not.toContain('"table"');
    expect((await reader.figures()).rows).toEqual({ agents: 0, sessions: 0, approvals: 0 });
    expect(reader.sharedKey).not.toEqual(one.sharedKey);
  });

  it('FT-09 S-90 changes nothing of another tenant, by any verb, and tells it nothing', async () => {
    const { sessions, agents, supplementary, tokens, approvals, vectors } = two;
    await sessions.write(async (writer) => {
      expect(await writer.session('s')).toBeUndefined();
      await writer.updateSession(sessionOf('s', { lastSyncId: 9 }));
      await writer.updateRequest({ ...request, replySyncId: 9 });
      await writer.deleteSession('s');
    });
    await agents.remove('a');
    await agents.write((writer) => writer.remove('a'));
    await supplementary.remove('i');
    await supplementary.replace('/w', []);
    await tokens.remove('t');
    const approval = { id: 'm', fingerprint: 'f', definition: '{}', approvedAt: at };
    expect(await approvals.update(approval, { ...approval, fingerprint: 'own' })).toBe(false);
    expect(await approvals.remove({ id: 'm', fingerprint: 'f' })).toBe(false);
    await vectors.touch(['k'], { identity: 'model', usedAt: Date.now() });
    await vectors.collect({ max: 0, usedBefore: Date.now() });
    expect(await exported(one)).toBe(before);
    // The same names are free.
    await sessions.write(async (writer) => {
      await writer.insertSession(sessionOf('s'));
      await writer.insertChange('s', { syncId: 1, type: 'message', at, data: 'own' });
      await writer.insertRequest(request, new Map([[textKey(text), text]]));
      await writer.countUses({ agentId: 'a', at, uses: [use, use] });
    });
    await agents.put({ ...agent, document: '{"own":true}' });
    await supplementary.append('/w', item);
    await tokens.add({ id: 't', label: '', createdAt: at, digest: 'own' });
    await approvals.put({ id: 'm', fingerprint: 'own', definition: '{}', approvedAt: at });
    await vectors.add([{ key: 'k', vector: new Float32Array([2]) }], { identity: 'model', usedAt: 1 });
    expect(await exported(one)).toBe(before);
    expect(await one.vectors.get('model', ['k'])).toEqual([{ key: 'k', vector: new Float32Array([1]) }]);
    await sessions.write((writer) => writer.deleteSession('s'));
    await expect.poll(() => exported(two)).not.toContain('session_texts');
    expect(await exported(one)).toBe(before);
    expect(heard).toEqual([]);
  });

  it('FT-09 S-90 the server itself shows a connection its own tenant only, in every table', async () => {
    const tables = await runSql(
      address,
      `SELECT relname AS name, relrowsecurity AND relforcerowsecurity AS bound FROM pg_class
       WHERE relnamespace = 'contextd'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'migrations' ORDER BY 1`,
    );
    expect(tables).toHaveLength(15);
    expect(tables.filter(({ bound }) => bound !== true)).toEqual([]);
    for (const { name } of tables) {
      for (const tenant of [undefined, 'three'])
        expect(await runSql(address, `SELECT * FROM contextd.${name}`, tenant)).toEqual([]);
      const seen = await runSql(address, `SELECT DISTINCT tenant FROM contextd.${name}`, 'one');
      expect(seen.filter(({ tenant }) => tenant !== 'one')).toEqual([]);
      expect(await runSql(address, `DELETE FROM contextd.${name} RETURNING 1`, 'three')).toEqual([]);
    }
    const foreign = `INSERT INTO contextd.deleted_sessions (tenant, id) VALUES ('one', 's')`;
    await expect(runSql(address, foreign, 'two')).rejects.toMatchObject({ code: '42501' });
    await two.tokens.add({ id: 'u', label: '', createdAt: at, digest: 'u' });
    await expect(runSql(address, `UPDATE contextd.tokens SET tenant = 'one'`, 'two')).rejects.toMatchObject({
      code: '42501',
    });
    expect(await exported(one)).toBe(before);
  });

  it.each(['', 'Two', "o'ne", '../one', 'x'.repeat(41), 'one\n'])('S-90 takes no other names: %j', async (tenant) => {
    await expect(openStore(address, { tenant })).rejects.toMatchObject({ code: 'invalid_request' });
  });
});
