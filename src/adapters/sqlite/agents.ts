import type { DatabaseSync } from 'node:sqlite';
import type { AgentReader, AgentWriter, StoredAgent, StoredItem } from '../../ports/store/agent.ts';
import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import { agentVersion, hashOfItems } from '../../ports/store/rows.ts';
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
  const items = createItemRows(database);
  const hashOf = (row: Omit<StoredAgent, 'document' | 'items'>) =>
    rowHash(row.id, row.summary, row.version, row.createdAt, row.updatedAt);
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
  const reads: Subject<AgentReader>['reads'] = {
    // SQLite orders by UTF-8 bytes; everything else here orders by code units.
    list: () => intact(list.all()).sort((a, b) => (a.id < b.id ? -1 : 1)),
    get(id) {
      const found = get.get(id);
      const [row] = intact(found === undefined ? [] : [found]);
      if (row === undefined) return undefined;
      const document = `${found?.document}`;
      const read = items.read(id);
      // One that was damaged gives the agent another version.
      const version = agentVersion(document, items.hashOf(id, read));
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
      const itemsHash = items.hashOf(agent.id, now);
      const row = { ...agent, version: agentVersion(document, itemsHash) };
      const { id, summary, version, createdAt, updatedAt } = row;
      items.write(id, now, before);
      put.run(id, summary, version, createdAt, updatedAt, hashOf(row), document, itemsHash);
      return version;
    },
    remove(id) {
      items.write(id, []);
      return remove.run(id).changes === 1;
    },
  };
  return { reads, writes };
}

/** The rules and references of agents, a row each. */
function createItemRows(database: DatabaseSync) {
  const select = database.prepare(
    'SELECT kind, name, position, item AS json FROM agent_items WHERE agent_id = ? ORDER BY kind DESC, position',
  );
  const put = database.prepare(
    'INSERT OR REPLACE INTO agent_items (agent_id, kind, name, position, item, hash) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM agent_items WHERE agent_id = ? AND kind = ? AND name = ?');
  const removeAll = database.prepare('DELETE FROM agent_items WHERE agent_id = ?');
  const hashes = new WeakMap<StoredItem, string>();
  const hashOfItem = (agentId: string, item: StoredItem): string => {
    const { kind, name, position, json } = item;
    const hash = hashes.get(item) ?? rowHash(agentId, kind, name, position, json);
    hashes.set(item, hash);
    return hash;
  };
  return {
    read: (agentId: string): StoredItem[] =>
      select
        .all(agentId)
        .map((row) => Object.freeze({ ...row, bytes: Buffer.byteLength(`${row.json}`) }) as unknown as StoredItem),
    hashOf: (agentId: string, items: readonly StoredItem[]) =>
      hashOfItems(items.map((item) => hashOfItem(agentId, item))),
    /** Without `before` all that is stored goes first. */
    write(agentId: string, now: readonly StoredItem[], before?: readonly StoredItem[]): void {
      const [kept, present] = [new Set(before), new Set(now.map(keyOf))];
      if (before === undefined) removeAll.run(agentId);
      for (const item of before ?? []) if (!present.has(keyOf(item))) remove.run(agentId, item.kind, item.name);
      for (const item of now) {
        const { kind, name, position, json } = item;
        if (!kept.has(item)) put.run(agentId, kind, name, position, json, hashOfItem(agentId, item));
      }
    },
  };
}

const subject = 'agents';

function keyOf({ kind, name }: StoredItem): string {
  return `${kind} ${name}`;
}
