import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { AgentStore, StoredAgent } from '../agent-store.ts';
import { refusing } from './sqlite-database.ts';
import { type DamagedRows, intactRows, rowHash } from './sqlite-row-hash.ts';

/** Agents in SQLite. The hash of a row covers the document by its version, so that a list need not read documents. */
export function createSqliteAgents(database: DatabaseSync, damaged: DamagedRows): AgentStore {
  const columns = 'id, summary, version, created_at AS createdAt, updated_at AS updatedAt, hash';
  const list = database.prepare(`SELECT ${columns} FROM agents`);
  const get = database.prepare(`SELECT ${columns}, document FROM agents WHERE id = ?`);
  const put = database.prepare(
    'INSERT OR REPLACE INTO agents (id, summary, version, created_at, updated_at, hash, document) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM agents WHERE id = ?');
  const hashOf = (row: Omit<StoredAgent, 'document'>) =>
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
  return {
    list: () =>
      intact(refusing(() => list.all()))
        // SQLite orders by UTF-8 bytes; everything else here orders by code units.
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    get(id) {
      const found = refusing(() => get.get(id));
      const [row] = intact(found === undefined ? [] : [found]);
      if (row === undefined) return undefined;
      const document = `${found?.document}`;
      if (versionOf(document) === row.version) return { ...row, document };
      damaged.note(subject, id);
      return undefined;
    },
    put({ document, ...agent }) {
      const row = { ...agent, version: versionOf(document) };
      refusing(() => put.run(row.id, row.summary, row.version, row.createdAt, row.updatedAt, hashOf(row), document));
      return row.version;
    },
    remove: (id) => refusing(() => remove.run(id).changes === 1),
  };
}

const subject = 'agents';

function versionOf(document: string): string {
  return createHash('sha256').update(document).digest('hex');
}
