/** Rules for single rows of each table. They detect damage that SQLite does not notice (S-72). */
import { hash } from 'node:crypto';
import { rowHash, type StoredValue } from './row-hash.ts';
import { keyOfJson } from './session.ts';

export type Row = Record<string, StoredValue>;

/** By table: the columns that its `hash` covers, additional columns if a row has an owner, and other checks. */
const rules: Record<
  string,
  { hashed?: string[]; owned?: [owner: string, ...others: string[]]; holds?(row: Row): boolean }
> = {
  granted_roots: { hashed: ['path', 'granted_at'] },
  supplementary_items: { hashed: ['id', 'mounted_directory', 'kind', 'path', 'added_at'] },
  agents: {
    hashed: ['id', 'summary', 'version', 'created_at', 'updated_at'],
    // A list reads no documents.
    holds: (row) => row.document === undefined || versionOf(row) === row.version,
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

function versionOf({ document, items = null }: Row): string {
  return agentVersion(`${document}`, items === null ? null : `${items}`);
}

/** The version of an agent: a hash of its document and, if it has items, of their hash. */
export function agentVersion(document: string, items: string | null): string {
  return hash('sha256', items === null ? document : `${items} ${document}`);
}

/** A hash of the hashes of an agent's items, in order. `null` without items. */
export function hashOfItems(hashes: readonly string[]): string | null {
  return hashes.length === 0 ? null : hash('sha256', hashes.join(' '));
}

/** The columns that the hash of a row covers, in this order. A row with an owner has more of them. */
export function hashedColumns(table: string): readonly string[] {
  return [...(rules[table]?.hashed ?? []), ...(rules[table]?.owned ?? [])];
}

/** Whether the row is undamaged. */
export function isIntact(table: string, row: Row): boolean {
  return intactValues(table, row) !== undefined;
}

/**
 * The values of `hashedColumns`, if the row is undamaged. Roots that were granted by versions without hashes have no
 * hash.
 */
export function intactValues(table: string, row: Row): StoredValue[] | undefined {
  const { hashed, owned, holds } = rules[table] ?? {};
  if (holds !== undefined && !holds(row)) return undefined;
  if (hashed === undefined) return [];
  const values = (owned === undefined ? hashed : [...hashed, ...owned]).map((name) => row[name] ?? null);
  const isWhole = owned === undefined || values[hashed.length] !== null;
  const covered = isWhole ? values : values.slice(0, hashed.length);
  const isOlder = table === 'granted_roots' && (row.hash ?? null) === null;
  return row.hash === rowHash(...covered) || isOlder ? values : undefined;
}
