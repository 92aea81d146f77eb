/** What must hold of a row of each table, by itself: damage that SQLite does not notice is found by it (S-72). */
import { hash } from 'node:crypto';
import { rowHash, type StoredValue } from './row-hash.ts';
import { keyOfJson } from './session.ts';

export type Row = Record<string, StoredValue>;

/** By table: the columns that its `hash` is over, those besides where a row has an owner, and what must hold besides. */
const rules: Record<string, { hashed?: string[]; owned?: string[]; holds?(row: Row): boolean }> = {
  granted_roots: { hashed: ['path', 'granted_at'] },
  supplementary_items: { hashed: ['id', 'mounted_directory', 'kind', 'path', 'added_at'] },
  agents: {
    hashed: ['id', 'summary', 'version', 'created_at', 'updated_at'],
    holds: ({ document, version, items }) =>
      agentVersion(`${document}`, items === undefined || items === null ? null : `${items}`) === version,
  },
  agent_items: { hashed: ['agent_id', 'kind', 'name', 'position', 'item'] },
  sessions: {
    hashed: ['id', 'agent_id', 'parent_session_id', 'created_at', 'last_sync_id', 'messages', 'state'],
    owned: ['owner_id', 'bytes'],
  },
  session_changes: { hashed: ['session_id', 'sync_id', 'type', 'at', 'data'] },
  session_requests: {
    hashed: ['id', 'session_id', 'agent_id', 'sync_id', 'reply_sync_id', 'created_at', 'data'],
  },
  texts: { holds: ({ key, json }) => typeof json === 'string' && keyOfJson(json) === key },
  tokens: { hashed: ['id', 'label', 'created_at', 'digest'] },
  mcp_approvals: { hashed: ['id', 'fingerprint', 'definition', 'approved_at', 'tools'] },
};

/** The version of an agent: over its document and the hash of its items, where it has any. */
export function agentVersion(document: string, items: string | null): string {
  return hash('sha256', items === null ? document : `${items} ${document}`);
}

/** Over the hashes of the rows of an agent's items, in their order; null without any. */
export function hashOfItems(hashes: readonly string[]): string | null {
  return hashes.length === 0 ? null : hash('sha256', hashes.join(' '));
}

/** Whether the row is what was written. Roots that were granted before rows had a hash have none. */
export function isIntact(table: string, row: Row): boolean {
  const { hashed: always, owned = [], holds = () => true } = rules[table] ?? {};
  const hashed = (row.owner_id ?? null) === null ? always : always?.concat(owned);
  const isOlder = table === 'granted_roots' && (row.hash ?? null) === null;
  const fits = hashed === undefined || isOlder || row.hash === rowHash(...hashed.map((name) => row[name] ?? null));
  return fits && holds(row);
}
