/** What holds of agents of every store. */
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StoredItem } from '../../src/ports/store/agent.ts';
import type { Store } from '../../src/ports/store/store.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import type { StoreKind } from './store-kinds.ts';

const at = '2026-01-01T00:00:00.000Z';
const later = '2026-01-02T00:00:00.000Z';
const versionOf = (text: string) => createHash('sha256').update(text).digest('hex');
export const agent = (id: string, document = `{"id":"${id}"}`) => {
  return { id, summary: `{"name":"${id}"}`, document, items: [] as StoredItem[], createdAt: at, updatedAt: at };
};
export const item = (name: string, position: number, kind: StoredItem['kind'] = 'rules'): StoredItem => {
  const json = JSON.stringify({ name, text: 'A.' });
  return { kind, name, position, json, bytes: Buffer.byteLength(json) };
};

let directory: string;
let store: Store;

export function agentStoreContract(kind: StoreKind): void {
  describe(`AgentStore: ${kind.name}`, () => {
    const create = () => kind.create(directory);

    beforeEach(async () => {
      directory = temporaryDirectory();
      store = await create();
    });
    afterEach(() => store.close());

    it('AG-05 starts without agents', async () => {
      expect(await store.agents.list()).toEqual([]);
      expect(await store.agents.get('a')).toBeUndefined();
      expect(await store.agents.remove('a')).toBe(false);
    });

    it('AG-05 keeps agents ordered by the code units of their ids, and lists them without documents', async () => {
      for (const id of ['b', 'a-b', 'a_b', 'A', 'a', '0']) await store.agents.put(agent(id));
      expect((await store.agents.list()).map(({ id }) => id)).toEqual(['0', 'A', 'a', 'a-b', 'a_b', 'b']);
      const { document, items, ...row } = { ...agent('0'), version: versionOf('{"id":"0"}') };
      expect((await store.agents.list())[0]).toEqual(row);
      expect(await store.agents.get('0')).toEqual({ ...row, document, items });
    });

    it('AG-05 gives each document a version of its own, and the same document the same', async () => {
      const first = await store.agents.put(agent('a', '{"x":1}'));
      expect(first).toBe(versionOf('{"x":1}'));
      const second = await store.agents.put({ ...agent('a', '{"x":2}'), updatedAt: later });
      expect(second).not.toBe(first);
      expect(await store.agents.get('a')).toMatchObject({
        document: '{"x":2}',
        version: second,
        createdAt: at,
        updatedAt: later,
      });
      expect(await store.agents.list()).toHaveLength(1);
      expect(await store.agents.put(agent('a', '{"x":1}'))).toBe(first);
    });

    it('AG-05 removing an agent says whether it was there', async () => {
      await store.agents.put(agent('a'));
      expect(await store.agents.remove('A')).toBe(false);
      expect(await store.agents.remove('a')).toBe(true);
      expect(await store.agents.remove('a')).toBe(false);
      expect(await store.agents.get('a')).toBeUndefined();
    });

    it('AG-05 keeps rules before references, by position, and writes only those that are other objects', async () => {
      const [b, a, c] = [item('b', 1), item('a', 5), item('c', 2, 'references')];
      const first = await store.agents.put({ ...agent('x'), items: [b, a, c] });
      await store.agents.put({ ...agent('y'), items: [item('b', 1)] });
      expect((await store.agents.get('x'))?.items).toEqual([b, a, c]);
      const changed = { ...item('a', 5), json: '{"name":"a","text":"B."}' };
      const second = await store.agents.put({ ...agent('x'), items: [b, changed] }, [b, a, c]);
      expect(second).not.toBe(first);
      expect(await store.agents.get('x')).toMatchObject({ version: second, items: [b, changed] });
      expect(await store.agents.put({ ...agent('x'), items: [b, a, c] }, [b, changed])).toBe(first);
      await store.agents.remove('x');
      await store.agents.put(agent('x'));
      expect((await store.agents.get('x'))?.items).toEqual([]);
      expect((await store.agents.get('y'))?.items).toHaveLength(1);
    });

    it('S-44 keeps odd documents as they are', async () => {
      const document = JSON.stringify({ text: "'; DROP TABLE agents; --\n\u0000\u{1F600}%_" });
      await store.agents.put(agent('a', document));
      expect((await store.agents.get('a'))?.document).toBe(document);
    });
  });
}
