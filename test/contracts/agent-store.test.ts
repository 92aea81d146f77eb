import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { agent, agentStoreContract, item } from './agent-store-contract.ts';
import { localKinds } from './store-kinds.ts';

let directory: string;

for (const kind of localKinds) agentStoreContract(kind);

describe('in a file', () => {
  let path: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    path = join(directory, 'contextd.db');
  });

  it('AG-05 what was put is there for the next process', async () => {
    const first = createSqliteStore(path);
    await first.agents.put(agent('a', '{"x":1}'));
    await first.close();
    const second = createSqliteStore(path);
    expect((await second.agents.get('a'))?.document).toBe('{"x":1}');
    await second.close();
  });

  it.each(['document = \'{"x":2}\'', "summary = '{}'", "version = '0'", "created_at = 'x'", "hash = ''"])(
    'S-72 never serves a row whose hash does not fit: %s',
    async (damage) => {
      const first = createSqliteStore(path);
      await first.agents.put(agent('a', '{"x":1}'));
      await first.agents.put(agent('b'));
      await first.close();
      const database = new DatabaseSync(path);
      database.exec(`UPDATE agents SET ${damage} WHERE id = 'a'`);
      database.close();
      const second = createSqliteStore(path);
      expect(await second.agents.get('a')).toBeUndefined();
      expect(await second.agents.get('b')).toBeDefined();
      expect(await second.warnings()).toMatchObject([{ code: 'database_rows_damaged' }]);
      await second.agents.put(agent('a', '{"x":3}'));
      expect((await second.agents.get('a'))?.document).toBe('{"x":3}');
      await second.close();
    },
  );

  it.each(['item = \'{"name":"a","text":"B."}\'', 'position = 9', "kind = 'references'", "name = 'z'"])(
    'S-72 never serves an agent with an item that was changed: %s',
    async (damage) => {
      const first = createSqliteStore(path);
      await first.agents.put({ ...agent('a'), items: [item('a', 1), item('b', 2)] });
      await first.close();
      const database = new DatabaseSync(path);
      database.exec(`UPDATE agent_items SET ${damage} WHERE name = 'a'`);
      database.close();
      const second = createSqliteStore(path);
      expect(await second.agents.get('a')).toBeUndefined();
      expect(await second.warnings()).toMatchObject([{ code: 'database_rows_damaged' }]);
      await second.agents.put({ ...agent('a'), items: [item('c', 1)] });
      expect((await second.agents.get('a'))?.items).toEqual([item('c', 1)]);
      await second.close();
    },
  );
});
