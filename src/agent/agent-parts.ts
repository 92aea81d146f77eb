/** Splits an agent into the parts that are stored: the document, and each rule and reference on its own (AG-05). */
import { sameItems } from '../pace/same-items.ts';
import type { StoredAgent, StoredItem } from '../ports/store/agent.ts';
import type { Agent } from './agent.ts';
import type { InlineItem } from './item.ts';

/** `bytes`: the size of all parts together. */
export type SplitAgent = Readonly<{ agent: Agent; document: string; items: readonly StoredItem[]; bytes: number }>;

const kinds = ['rules', 'references'] as const;

/** The agent that was stored in parts. Older versions stored some as a whole; these have no items. */
export function agentOf({ document, items }: Pick<StoredAgent, 'document' | 'items'>): SplitAgent {
  const agent = JSON.parse(document) as Agent;
  for (const kind of kinds) {
    const own = items.filter((item) => item.kind === kind).map(({ json }) => JSON.parse(json) as InlineItem);
    if (own.length > 0) agent[kind] = [...(agent[kind] ?? []), ...own];
  }
  return { agent, document, items, bytes: bytesOf(document, items) };
}

/**
 * The parts of an agent to store. Unchanged items are the same objects as in `before`. If nothing changed, returns
 * `before`. The work depends only on the size of the changes.
 */
export function splitAgent(agent: Agent, before: SplitAgent | undefined): SplitAgent {
  const emptied = Object.fromEntries(kinds.flatMap((kind) => (agent[kind] === undefined ? [] : [[kind, []]])));
  const document = JSON.stringify({ ...agent, ...emptied });
  const items = kinds.flatMap((kind) => splitItems(kind, agent[kind] ?? [], before));
  if (before !== undefined && isSame({ document, items }, before)) return before;
  return { agent, document, items, bytes: bytesOf(document, items) };
}

function splitItems(
  kind: StoredItem['kind'],
  inline: readonly InlineItem[],
  before: SplitAgent | undefined,
): StoredItem[] {
  const stored = new Map(before?.items.filter((item) => item.kind === kind).map((item) => [item.name, item]));
  const known = new Map(before?.agent[kind]?.map((item) => [item, stored.get(item.name)]));
  let highest = [...stored.values()].at(-1)?.position ?? 0;
  let last = 0;
  return inline.map((item) => {
    const present = stored.get(item.name);
    const json = present !== undefined && known.get(item) === present ? present.json : JSON.stringify(item);
    // Positions must ascend. An item that is new, or whose position is not above the one before it, gets a position
    // above all others.
    if (present === undefined || present.position <= last) highest = Math.max(highest, last) + 1;
    const position = present === undefined || present.position <= last ? highest : present.position;
    last = position;
    if (present !== undefined && present.position === position && present.json === json) return present;
    return Object.freeze({ kind, name: item.name, position, json, bytes: Buffer.byteLength(json) });
  });
}

function isSame({ document, items }: Pick<SplitAgent, 'document' | 'items'>, before: SplitAgent): boolean {
  if (document === before.document) return sameItems(items, before.items);
  const whole = { document, items };
  return before.items.length === 0 && JSON.stringify(agentOf(whole).agent) === JSON.stringify(before.agent);
}

function bytesOf(document: string, items: readonly StoredItem[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, Buffer.byteLength(document));
}
