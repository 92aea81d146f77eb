/** What the rows of agents hold, in each store (S-72). */
import type { StoredAgent, StoredItem } from './agent.ts';
import { type DamagedRows, intactRows, rowHash } from './row-hash.ts';
import { hashOfItems } from './rows.ts';

/** An agent without what a list does not show. */
type AgentHead = Omit<StoredAgent, 'document' | 'items'>;

/** What damage is told to be of. */
export const agentSubject = 'agents';

/** The hash covers the document and the items by its version, so that a list need not read them. */
export function hashOfHead({ id, summary, version, createdAt, updatedAt }: AgentHead): string {
  return rowHash(id, summary, version, createdAt, updatedAt);
}

/** The rows that are what was written. */
export function intactHeads(rows: readonly Record<string, unknown>[], damaged: DamagedRows): AgentHead[] {
  const read = rows.map((row) => ({
    ...{ id: `${row.id}`, summary: `${row.summary}`, version: `${row.version}` },
    ...{ createdAt: `${row.createdAt}`, updatedAt: `${row.updatedAt}`, hash: `${row.hash}` },
  }));
  const check = { subject: agentSubject, damaged, hashOf: hashOfHead, keyOf: ({ id }: AgentHead) => id };
  return intactRows<(typeof read)[number]>(read, check).map(({ hash: _hash, ...row }) => row);
}

const hashes = new WeakMap<StoredItem, string>();

/** Of the row of an item. */
export function hashOfItem(agentId: string, item: StoredItem): string {
  const { kind, name, position, json } = item;
  const hash = hashes.get(item) ?? rowHash(agentId, kind, name, position, json);
  hashes.set(item, hash);
  return hash;
}

/** Of all items of an agent, which its version covers; null without any. */
export function hashOfAllItems(agentId: string, items: readonly StoredItem[]): string | null {
  return hashOfItems(items.map((item) => hashOfItem(agentId, item)));
}

/** What has to be written so that an agent has the items `now`, where `before` are those that are stored. */
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
