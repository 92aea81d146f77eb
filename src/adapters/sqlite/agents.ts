import type { DatabaseSync } from 'node:sqlite';
import type { AgentReader, AgentWriter, StoredItem } from '../../ports/store/agent.ts';
import {
  agentSubject,
  hashOfAllItems,
  hashOfHead,
  hashOfItem,
  intactHeads,
  itemChanges,
} from '../../ports/store/agent-rows.ts';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { agentVersion } from '../../ports/store/rows.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Subject } from './subject.ts';

/** Agents in SQLite. Items have their own rows, so that a change of one item does not cost the size of the agent. */
export function createSqliteAgents(database: DatabaseSync, damaged: DamagedRows): Subject<AgentReader, AgentWriter> {
  const columns = 'id, summary, version, created_at AS createdAt, updated_at AS updatedAt, hash';
  const list = database.prepare(`SELECT ${columns} FROM agents`);
  const head = database.prepare(`SELECT ${columns} FROM agents WHERE id = ?`);
  const get = database.prepare(`SELECT ${columns}, document FROM agents WHERE id = ?`);
  const put = database.prepare(
    'INSERT OR REPLACE INTO agents (id, summary, version, created_at, updated_at, hash, document, items) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM agents WHERE id = ?');
  const items = createItemRows(database);
  const reads: Subject<AgentReader>['reads'] = {
    // SQLite sorts by UTF-8 bytes; everything else sorts by code units.
    list: () => intactHeads(list.all(), damaged).sort((a, b) => compareText(a.id, b.id)),
    get(id) {
      const found = get.get(id);
      const [row] = intactHeads(found === undefined ? [] : [found], damaged);
      if (row === undefined) return undefined;
      const document = `${found?.document}`;
      const read = items.read(id);
      // A damaged item changes the computed version of the agent.
      const version = agentVersion(document, hashOfAllItems(id, read));
      if (version === row.version) return { ...row, document, items: read };
      damaged.note(agentSubject, id);
      return undefined;
    },
    head(id) {
      const found = head.get(id);
      return intactHeads(found === undefined ? [] : [found], damaged)[0];
    },
  };
  const writes: Subject<AgentReader, AgentWriter>['writes'] = {
    put({ document, items: now, ...agent }, before) {
      const itemsHash = hashOfAllItems(agent.id, now);
      const row = { ...agent, version: agentVersion(document, itemsHash) };
      const { id, summary, version, createdAt, updatedAt } = row;
      items.write(id, now, before);
      put.run(id, summary, version, createdAt, updatedAt, hashOfHead(row), document, itemsHash);
      return version;
    },
    remove(id) {
      items.write(id, []);
      return remove.run(id).changes === 1;
    },
  };
  return { reads, writes };
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
