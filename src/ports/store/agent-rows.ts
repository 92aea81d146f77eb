/** The rows of agents, the same in all stores (S-72). */
import type { AgentHead, StoredItem } from './agent.ts';
import { type DamagedRows, intactRows, rowHash } from './row-hash.ts';
import { hashOfItems } from './rows.ts';

/** The subject in messages about damage. */
export const agentSubject = 'agents';

/** The hash covers document and items only by the version, so that a list need not read them. */
export function hashOfHead({ id, summary, version, createdAt, updatedAt }: AgentHead): string {
  return rowHash(id, summary, version, createdAt, updatedAt);
}

/** The undamaged rows. */
export function intactHeads(rows: readonly Record<string, unknown>[], damaged: DamagedRows): AgentHead[] {
  const read = rows.map((row) => ({
    id: `${row.id}`,
    summary: `${row.summary}`,
    version: `${row.version}`,
    createdAt: `${row.createdAt}`,
    updatedAt: `${row.updatedAt}`,
    hash: `${row.hash}`,
  }));
  const check = { subject: agentSubject, damaged, hashOf: hashOfHead, keyOf: ({ id }: AgentHead) => id };
  return intactRows<(typeof read)[number]>(read, check).map(({ hash: _hash, ...row }) => row);
}

const hashes = new WeakMap<StoredItem, string>();

/** The hash of the row of an item. */
export function hashOfItem(agentId: string, item: StoredItem): string {
  const { kind, name, position, json } = item;
  const hash = hashes.get(item) ?? rowHash(agentId, kind, name, position, json);
  hashes.set(item, hash);
  return hash;
}

/** The hash of all items of an agent, which is part of its version. `null` without items. */
export function hashOfAllItems(agentId: string, items: readonly StoredItem[]): string | null {
  return hashOfItems(items.map((item) => hashOfItem(agentId, item)));
}

/** The changes to write so that an agent with the stored items `before` has the items `now`. */
export function itemChanges(now: readonly StoredItem[], before: readonly StoredItem[] = []) {
  const [kept, present] = [new Set(before), new Set(now.map(keyOf))];
  return {
    removed: before.filter((item) => !present.has(keyOf(item))),
    put: now.filter((item) => !kept.has(item)),
  };
}

function keyOf({ kind, name }: StoredItem): string {
  return `${kind} ${name}`;
}
