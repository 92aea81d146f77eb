/** What holds of sessions of every store. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ItemUse,
  type SessionWriter,
  type StoredRequest,
  type StoredSession,
  textKey,
} from '../../src/ports/store/session.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import type { StoreKind } from './store-kinds.ts';

const at = '2026-01-01T00:00:00.000Z';
const all = { limit: 100, maxBytes: 1_000_000 };
let directory: string;
let store: Store;

function session(id: string, fields: Partial<StoredSession> = {}): StoredSession {
  const owned = { ownerId: null, bytes: 0 };
  const counted = { lastSyncId: 1, messages: 0 };
  return { id, agentId: 'a', parentSessionId: null, createdAt: at, ...counted, state: {}, ...owned, ...fields };
}

function request(id: string, sessionId: string, fields: Partial<StoredRequest> = {}): StoredRequest {
  return { id, sessionId, agentId: 'a', syncId: 1, replySyncId: null, createdAt: at, data: { of: id }, ...fields };
}

async function addMessages(
  writer: SessionWriter,
  { sessionId, from = 1 }: { sessionId: string; from?: number },
  texts: readonly string[],
): Promise<void> {
  for (const [index, data] of texts.entries())
    await writer.insertChange(sessionId, { syncId: from + index, type: 'message', at, data });
}

export function sessionStoreContract(kind: StoreKind): void {
  describe(`SessionStore: ${kind.name}`, () => {
    const create = () => kind.create(directory);

    beforeEach(async () => {
      directory = temporaryDirectory();
      store = await create();
    });
    afterEach(() => store.close());
    const reopen = async (): Promise<void> => {
      if (!kind.isLasting) return;
      await store.close();
      store = await create();
    };

    it('SE-03 gives back what was stored', async () => {
      const stored = session('s', { parentSessionId: 'p', state: { text: '\ud800 \0 é' }, messages: 2, lastSyncId: 9 });
      await store.sessions.write((writer) => writer.insertSession(stored));
      await reopen();
      expect(await store.sessions.session('s')).toEqual(stored);
      expect(await store.sessions.session('S')).toBeUndefined();
      await store.sessions.write((writer) => writer.updateSession({ ...stored, lastSyncId: 10, state: { text: 'b' } }));
      await reopen();
      expect(await store.sessions.session('s')).toEqual({ ...stored, lastSyncId: 10, state: { text: 'b' } });
    });

    it('S-15 lists and sums what a token made, also what is written in the same transaction', async () => {
      const { sessions } = store;
      await sessions.write(async (writer) => {
        for (const [id, ownerId, agentId] of [
          ['u', null, 'a'],
          ['one', 't', 'a'],
          ['two', 't', 'b'],
          ['other', 's', 'a'],
        ] as const)
          await writer.insertSession(session(id, { ownerId, agentId, bytes: 100 }));
      });
      await reopen();
      const idsOf = async (page: object) =>
        (await store.sessions.sessions({ ...all, ...page })).entries.map(({ id }) => id);
      expect(await idsOf({ ownerId: 't' })).toEqual(['two', 'one']);
      expect(await idsOf({ ownerId: 't', agentId: 'a' })).toEqual(['one']);
      expect(await idsOf({ ownerId: 't', limit: 1 })).toEqual(['two']);
      expect((await store.sessions.sessions({ ...all, ownerId: 't', limit: 1 })).next).toBeDefined();
      expect(await idsOf({ ownerId: 'x' })).toEqual([]);
      expect(await idsOf({})).toEqual(['other', 'two', 'one', 'u']);
      expect(await store.sessions.owned('t')).toEqual({ sessions: 2, bytes: 200 });
      expect(await store.sessions.owned('x')).toEqual({ sessions: 0, bytes: 0 });
      const one = (await store.sessions.session('one')) as StoredSession;
      expect(one).toMatchObject({ ownerId: 't', bytes: 100 });
      await store.sessions.write(async (writer) => {
        one.bytes += await writer.insertChange('one', { syncId: 2, type: 'message', at, data: 'é'.repeat(1_000) });
        await writer.updateSession(one);
        expect((await writer.owned('t')).bytes).toBe(100 + one.bytes);
      });
      expect(one.bytes).toBeGreaterThan(100 + 2_000);
      expect(one.bytes).toBeLessThan(100 + 3_000);
      await store.sessions.write((writer) => writer.deleteSession('two'));
      await reopen();
      expect(await store.sessions.owned('t')).toEqual({ sessions: 1, bytes: one.bytes });
    });

    it('S-67 keeps the order of writes, and lets each see those before it', async () => {
      await store.sessions.write((writer) => writer.insertSession(session('s', { lastSyncId: 0 })));
      const numbers = await Promise.all(
        Array.from({ length: 500 }, () =>
          store.sessions.write(async (writer) => {
            const present = (await writer.session('s')) as StoredSession;
            present.lastSyncId += 1;
            await writer.updateSession(present);
            await addMessages(writer, { sessionId: 's', from: present.lastSyncId }, ['x']);
            return present.lastSyncId;
          }),
        ),
      );
      expect(numbers).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
      expect((await store.sessions.session('s'))?.lastSyncId).toBe(500);
    });

    it('S-67 undoes a write that throws, and only that', async () => {
      const writes = [
        store.sessions.write((writer) => writer.insertSession(session('one'))),
        store.sessions.write(async (writer) => {
          await writer.insertSession(session('two'));
          throw new Error('no');
        }),
        store.sessions.write((writer) => writer.insertSession(session('three'))),
      ];
      const outcomes = await Promise.allSettled(writes);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      await reopen();
      expect((await store.sessions.sessions(all)).entries.map(({ id }) => id)).toEqual(['three', 'one']);
    });

    it('SE-03 lists sessions in pages, newest first, of one agent or all', async () => {
      await store.sessions.write(async (writer) => {
        for (const id of ['1', '2', '3', '4', '5'])
          await writer.insertSession(session(id, { agentId: Number(id) % 2 === 1 ? 'odd' : 'even' }));
      });
      const first = await store.sessions.sessions({ ...all, limit: 2 });
      expect(first.entries.map(({ id }) => id)).toEqual(['5', '4']);
      const second = await store.sessions.sessions({ ...all, limit: 3, before: first.next as number });
      expect(second).toMatchObject({ damaged: 0 });
      expect(second.entries.map(({ id }) => id)).toEqual(['3', '2', '1']);
      expect(second.next).toBeUndefined();
      expect((await store.sessions.sessions({ ...all, agentId: 'odd' })).entries.map(({ id }) => id)).toEqual([
        '5',
        '3',
        '1',
      ]);
      expect(await store.sessions.count()).toBe(5);
    });

    it('SE-05 pages changes by number and by size, forwards and backwards', async () => {
      await store.sessions.write(async (writer) => {
        await addMessages(writer, { sessionId: 's' }, ['a', 'bb', 'ccc']);
        await writer.insertChange('s', { syncId: 4, type: 'settings', at, data: { topP: 1 } });
        await addMessages(writer, { sessionId: 's', from: 5 }, ['e']);
        await addMessages(writer, { sessionId: 't' }, ['other']);
      });
      const numbers = async (range: Partial<Parameters<typeof store.sessions.changes>[1]>) => {
        const page = await store.sessions.changes('s', { after: 0, ...all, ...range });
        return [page.entries.map(({ syncId }) => syncId), page.next];
      };
      expect(await numbers({})).toEqual([[1, 2, 3, 4, 5], undefined]);
      expect(await numbers({ after: 2 })).toEqual([[3, 4, 5], undefined]);
      expect(await numbers({ after: 1, upTo: 3 })).toEqual([[2, 3], undefined]);
      expect(await numbers({ limit: 2 })).toEqual([[1, 2], 2]);
      expect(await numbers({ only: 'message', newestFirst: true, limit: 3 })).toEqual([[5, 3, 2], 2]);
      expect(await numbers({ maxBytes: 8 })).toEqual([[1, 2], 2]);
      expect(await numbers({ after: 2, maxBytes: 0 })).toEqual([[3], 3]);
      expect((await store.sessions.changes('s', { after: 3, upTo: 4, ...all })).entries).toEqual([
        { syncId: 4, type: 'settings', at, data: { topP: 1 } },
      ]);
    });

    it('RQ-04 keeps requests with their texts, once for each text', async () => {
      const [text, other] = ['the same \ud800', 'another'];
      const texts = new Map([text, other].map((each) => [textKey(each), each]));
      await store.sessions.write(async (writer) => {
        await writer.insertSession(session('s'));
        await writer.insertSession(session('t'));
        await writer.insertRequest(request('1', 's'), texts);
        await writer.insertRequest(request('2', 's'), texts);
        await writer.insertRequest(request('3', 't'), new Map([[textKey(text), text]]));
      });
      await reopen();
      expect(await store.sessions.request('s', '1')).toEqual(request('1', 's'));
      expect(await store.sessions.request('t', '1')).toBeUndefined();
      expect(await store.sessions.texts([textKey(text), textKey(other)])).toEqual(texts);
      await store.sessions.write((writer) => writer.updateRequest(request('1', 's', { replySyncId: 7 })));
      expect((await store.sessions.request('s', '1'))?.replySyncId).toBe(7);
      expect((await store.sessions.requests({ ...all, sessionId: 's' })).entries.map(({ id }) => id)).toEqual([
        '2',
        '1',
      ]);
      const { next, entries } = await store.sessions.requests({ ...all, after: 0, limit: 1 });
      expect(entries.map(({ id }) => id)).toEqual(['1']);
      const rest = await store.sessions.requests({ ...all, after: next as number });
      expect(rest.entries.map(({ id }) => id)).toEqual(['2', '3']);
      expect((await store.sessions.requests({ ...all, agentId: 'a' })).entries.map(({ id }) => id)).toEqual([
        '1',
        '2',
        '3',
      ]);
      expect((await store.sessions.requests({ ...all, agentId: 'b' })).entries).toEqual([]);
    });

    it('SE-03 deletes a session with all that belongs to it, and nothing else', async () => {
      const [shared, own] = ['shared', 'own'];
      await store.sessions.write(async (writer) => {
        for (const id of ['s', 't']) {
          await writer.insertSession(session(id));
          await addMessages(writer, { sessionId: id }, ['hello']);
        }
        const texts = [shared, own].map((text): [string, string] => [textKey(text), text]);
        await writer.insertRequest(request('1', 's'), new Map(texts));
        await writer.insertRequest(request('2', 't'), new Map(texts.slice(0, 1)));
      });
      await store.sessions.write((writer) => writer.deleteSession('s'));
      expect(await store.sessions.session('s')).toBeUndefined();
      expect((await store.sessions.requests(all)).entries.map(({ id }) => id)).toEqual(['2']);
      await reopen();
      expect(await store.sessions.session('s')).toBeUndefined();
      await expect.poll(async () => (await store.sessions.changes('s', { after: 0, ...all })).entries).toEqual([]);
      const readOwn = async () => store.sessions.texts([textKey(own)]);
      await expect.poll(() => readOwn().catch(({ code }) => code)).toBe('unavailable');
      expect(await store.sessions.request('s', '1')).toBeUndefined();
      expect((await store.sessions.texts([textKey(shared)])).size).toBe(1);
      expect((await store.sessions.changes('t', { after: 0, ...all })).entries).toHaveLength(1);
      expect(await store.sessions.request('t', '2')).toEqual(request('2', 't'));
    });

    it('RQ-06 counts what requests had', async () => {
      const rule: ItemUse = { type: 'rule', name: 'r', serverName: '', mode: 'agent', tokens: 3, score: 0.5 };
      const tool: ItemUse = { type: 'tool', name: 't', serverName: 'x', mode: 'always', tokens: 10 };
      await store.sessions.write(async (writer) => {
        await writer.countUses({ agentId: 'a', at: '1', uses: [rule, tool] });
        await writer.countUses({ agentId: 'a', at: '2', uses: [{ ...rule, score: 0.9 }] });
        await writer.countUses({ agentId: 'b', at: '3', uses: [tool] });
      });
      await reopen();
      const { requests, uses } = await store.sessions.usage('a');
      expect(requests).toBe(2);
      expect(uses).toEqual([
        {
          type: 'rule',
          name: 'r',
          serverName: '',
          mode: 'agent',
          requests: 2,
          tokens: 6,
          lastAt: '2',
          scores: 2,
          scoreSum: 1.4,
          scoreMin: 0.5,
          scoreMax: 0.9,
        },
        {
          type: 'tool',
          name: 't',
          serverName: 'x',
          mode: 'always',
          requests: 1,
          tokens: 10,
          lastAt: '1',
          scores: 0,
          scoreSum: 0,
          scoreMin: 0,
          scoreMax: 0,
        },
      ]);
      expect(await store.sessions.usage('c')).toEqual({ requests: 0, uses: [] });
    });
  });
}
