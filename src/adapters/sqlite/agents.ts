import type { DatabaseSync } from 'node:sqlite';
import type { AgentReader, AgentWriter, StoredItem } from '../../ports/store/agent.ts';
import {
  agentColumns,
  agentValues,
  createAgentReader,
  hashOfItem,
  headColumns,
  itemChanges,
} from '../../ports/store/agent-rows.ts';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Subject } from './subject.ts';

/** Agents in SQLite. Items have their own rows, so that a change of one item does not cost the size of the agent. */
export function createSqliteAgents(database: DatabaseSync, damaged: DamagedRows): Subject<AgentReader, AgentWriter> {
  const list = database.prepare(`SELECT ${headColumns} FROM agents`);
  const head = database.prepare(`SELECT ${headColumns} FROM agents WHERE id = ?`);
  const get = database.prepare(`SELECT ${headColumns}, document FROM agents WHERE id = ?`);
  const put = database.prepare(`INSERT OR REPLACE INTO agents (${agentColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  const remove = database.prepare('DELETE FROM agents WHERE id = ?');
  const items = createItemRows(database);
  const { readHead, readHeads, readWhole } = createAgentReader(damaged);
  return {
    reads: {
      // SQLite sorts by UTF-8 bytes; everything else sorts by code units.
      list: () => readHeads(list.all()).sort((a, b) => compareText(a.id, b.id)),
      get: (id) => readWhole(get.get(id), items.read),
      head: (id) => readHead(head.get(id)),
    },
    writes: {
      put(agent, before) {
        const { version, values } = agentValues(agent);
        items.write(agent.id, agent.items, before);
        put.run(...values);
        return version;
      },
      remove(id) {
        items.write(id, []);
        return remove.run(id).changes === 1;
      },
    },
  };
}

/** The rules and references of agents, one row each. */
function createItemRows(database: DatabaseSync) {
  const select = database.prepare(
    'SELECT kind, name, position, item AS json FROM agent_items WHERE agent_id = ? ORDER BY kind DESC, position',
  );
  const put = database.prepare(
    'INSERT OR REPLACE INTO agent_items (agent_id, kind, name, position, item, hash) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM agent_items WHERE agent_id = ? AND kind = ? AND name = ?');
  const removeAll = database.prepare('DELETE FROM agent_items WHERE agent_id = ?');
  return {
    read: (agentId: string): StoredItem[] =>
      select
        .all(agentId)
        .map((row) => Object.freeze({ ...row, bytes: Buffer.byteLength(`${row.json}`) }) as unknown as StoredItem),
    /** Without `before`, deletes all stored items first. */
    write(agentId: string, now: readonly StoredItem[], before?: readonly StoredItem[]): void {
      const changes = itemChanges(now, before);
      if (before === undefined) removeAll.run(agentId);
      for (const { kind, name } of changes.removed) remove.run(agentId, kind, name);
      for (const item of changes.put)
        put.run(agentId, item.kind, item.name, item.position, item.json, hashOfItem(agentId, item));
    },
  };
}
