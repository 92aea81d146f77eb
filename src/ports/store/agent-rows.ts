/** The rows of agents, the same in all stores. */
import type { AgentHead, StoredAgent, StoredItem } from './agent.ts';
import { type DamagedRows, rowHash, type StoredValue } from './row-hash.ts';
import { columnsOf, createRowReader, type RowKind, withHash } from './row-reader.ts';
import { agentVersion, hashOfItems, type Row } from './rows.ts';

/** The hash covers document and items only by the version, so that a list need not read them. */
const headKind: RowKind<AgentHead> = {
  table: 'agents',
  subject: 'agents',
  key: ({ id }) => String(id),
  read: ([id, summary, version, createdAt, updatedAt]) => ({ id, summary, version, createdAt, updatedAt }) as AgentHead,
};
export const headColumns = columnsOf('agents');
export const agentColumns = `${headColumns}, document, items`;

/** The values of `agentColumns`. */
export function agentValues({ id, summary, document, items, createdAt, updatedAt }: Omit<StoredAgent, 'version'>): {
  version: string;
  values: StoredValue[];
} {
  const itemsHash = hashOfAllItems(id, items);
  const version = agentVersion(document, itemsHash);
  return { version, values: [...withHash(id, summary, version, createdAt, updatedAt), document, itemsHash] };
}

/** Reads rows with `headColumns`. Damaged ones are left out. */
export function createAgentReader(damaged: DamagedRows) {
  const { readAll } = createRowReader(damaged);
  const readHead = (row: Row | undefined): AgentHead | undefined =>
    row === undefined ? undefined : readAll([row], headKind)[0];
  return {
    readHead,
    readHeads: (rows: readonly Row[]) => readAll(rows, headKind),
    /** The row also has the `document`. A damaged item changes the computed version of the agent. */
    readWhole(found: Row | undefined, readItems: (id: string) => StoredItem[]): StoredAgent | undefined {
      if (found === undefined) return undefined;
      const { document, ...row } = found;
      const head = readHead(row);
      if (head === undefined) return undefined;
      const agent = { ...head, document: `${document}`, items: readItems(head.id) };
      if (agentVersion(agent.document, hashOfAllItems(agent.id, agent.items)) === agent.version) return agent;
      damaged.note(headKind.subject, agent.id);
      return undefined;
    },
  };
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
function hashOfAllItems(agentId: string, items: readonly StoredItem[]): string | null {
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
