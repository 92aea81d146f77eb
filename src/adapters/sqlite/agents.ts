import type { DatabaseSync } from 'node:sqlite';
import type { AgentReader, AgentWriter, StoredAgent, StoredItem } from '../../ports/store/agent.ts';
import { type DamagedRows, intactRows, rowHash } from './row-hash.ts';
import { agentVersion, hashOfItems } from './rows.ts';
import type { Subject } from './subject.ts';

/**
 * Agents in SQLite. The hash of a row covers the document and the items by its version, so that a list need not read
 * them. Items have rows of their own: one that changes costs its own size, and not that of the agent.
 */
export function createSqliteAgents(database: DatabaseSync, damaged: DamagedRows): Subject<AgentReader, AgentWriter> {
  const columns = 'id, summary, version, created_at AS createdAt, updated_at AS updatedAt, hash';
  const list = database.prepare(`SELECT ${columns} FROM agents`);
  const head = database.prepare(`SELECT ${columns} FROM agents WHERE id = ?`);
  const get = database.prepare(`SELECT ${columns}, document FROM agents WHERE id = ?`);
  const put = database.prepare(
    'INSERT OR REPLACE INTO agents (id, summary, version, created_at, updated_at, hash, document, items) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM agents WHERE id = ?');
  const items = database.prepare(
    'SELECT kind, name, position, item AS json FROM agent_items WHERE agent_id = ? ORDER BY kind DESC, position',
  );
  const putItem = database.prepare(
    'INSERT OR REPLACE INTO agent_items (agent_id, kind, name, position, item, hash) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const removeItem = database.prepare('DELETE FROM agent_items WHERE agent_id = ? AND kind = ? AND name = ?');
  const removeItems = database.prepare('DELETE FROM agent_items WHERE agent_id = ?');
  const hashOf = (row: Omit<StoredAgent, 'document' | 'items'>) =>
    rowHash(row.id, row.summary, row.version, row.createdAt, row.updatedAt);
  const itemHashes = new WeakMap<StoredItem, string>();
  const hashOfItem = (agentId: string, item: StoredItem): string => {
    const { kind, name, position, json } = item;
    const hash = itemHashes.get(item) ?? rowHash(agentId, kind, name, position, json);
    itemHashes.set(item, hash);
    return hash;
  };
  const intact = (rows: readonly Record<string, unknown>[]) => {
    const read = rows.map((row) => ({
      id: `${row.id}`,
      summary: `${row.summary}`,
      version: `${row.version}`,
      createdAt: `${row.createdAt}`,
      updatedAt: `${row.updatedAt}`,
      hash: `${row.hash}`,
    }));
    const whole = intactRows<(typeof read)[number]>(read, { subject, damaged, hashOf, keyOf: ({ id }) => id });
    return whole.map(({ hash: _hash, ...row }) => row);
  };
  const readItems = (id: string): StoredItem[] =>
    items
      .all(id)
      .map((row) => Object.freeze({ ...row, bytes: Buffer.byteLength(`${row.json}`) }) as unknown as StoredItem);
  const reads: Subject<AgentReader>['reads'] = {
    // SQLite orders by UTF-8 bytes; everything else here orders by code units.
    list: () => intact(list.all()).sort((a, b) => (a.id < b.id ? -1 : 1)),
    get(id) {
      const found = get.get(id);
      const [row] = intact(found === undefined ? [] : [found]);
      if (row === undefined) return undefined;
      const document = `${found?.document}`;
      const read = readItems(id);
      // One that was damaged gives the agent another version.
      const version = agentVersion(document, hashOfItems(read.map((item) => hashOfItem(id, item))));
      if (version === row.version) return { ...row, document, items: read };
      damaged.note(subject, id);
      return undefined;
    },
    head(id) {
      const found = head.get(id);
      return intact(found === undefined ? [] : [found])[0];
    },
  };
  const writes: Subject<AgentReader, AgentWriter>['writes'] = {
    put({ document, items: now, ...agent }, before) {
      const itemsHash = hashOfItems(now.map((item) => hashOfItem(agent.id, item)));
      const row = { ...agent, version: agentVersion(document, itemsHash) };
      const { id, summary, version, createdAt, updatedAt } = row;
      const [kept, present] = [new Set(before), new Set(now.map(keyOf))];
      if (before === undefined) removeItems.run(id);
      for (const item of before ?? []) if (!present.has(keyOf(item))) removeItem.run(id, item.kind, item.name);
      for (const item of now) {
        const { kind, name, position, json } = item;
        if (!kept.has(item)) putItem.run(id, kind, name, position, json, hashOfItem(id, item));
      }
      put.run(id, summary, version, createdAt, updatedAt, hashOf(row), document, itemsHash);
      return version;
    },
    remove(id) {
      removeItems.run(id);
      return remove.run(id).changes === 1;
    },
  };
  return { reads, writes };
}

const subject = 'agents';

function keyOf({ kind, name }: StoredItem): string {
  return `${kind} ${name}`;
}
