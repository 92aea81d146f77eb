/** How often items are used (RQ-06). */
import { z } from 'zod';
import { AgentId } from '../agent/agent.ts';
import type { CatalogItem } from '../agent/catalog-item.ts';
import { ItemInclude, itemFields, keyOfItem } from '../agent/item.ts';
import type { StoredUse } from '../ports/store/session.ts';
import { compareText } from '../texts/compare-text.ts';
import { Warning } from '../warnings.ts';

const count = z.int().min(0);
const score = z.number().min(0).max(1);

export const ItemUsage = z
  .object({
    ...itemFields,
    include: ItemInclude.optional().describe('Current include mode. Absent if the agent no longer has the item.'),
    requests: count.describe('Number of requests that had the item.'),
    byMode: z
      .object({
        always: count.describe('Included as an `always` item.'),
        manual: count.describe('Added to the session, or mentioned.'),
        auto: count.describe('Selected by its globs.'),
        agent: count.describe('Selected by search.'),
      })
      .describe('Number of requests, by the include mode that the item had.'),
    tokens: count.describe('Tokens of the item in all these requests together.'),
    scores: z
      .object({
        count: count.describe('Number of these requests.'),
        min: score.describe('Lowest score.'),
        mean: score.describe('Mean score.'),
        max: score.describe('Highest score.'),
      })
      .optional()
      .describe('Relevance in the requests where search selected the item.'),
    lastAt: z.string().optional().describe('Time of the last request that had the item, ISO 8601 UTC.'),
  })
  .meta({ id: 'ItemUsage', description: 'How often an item was part of a request.' });
export type ItemUsage = z.infer<typeof ItemUsage>;

const UsageSuggestion = z
  .object({
    ...itemFields,
    code: z
      .enum(['never_used', 'no_longer_there'])
      .describe(
        '`never_used`: the agent has the item, but no request ever had it. `no_longer_there`: the agent no longer has the item, but sessions may still refer to it.',
      ),
    message: z.string().describe('What to do, for people.'),
  })
  .meta({ id: 'UsageSuggestion', description: 'An item that could be removed.' });
type UsageSuggestion = z.infer<typeof UsageSuggestion>;

export const AgentUsage = z
  .object({
    agentId: AgentId,
    requests: count.describe('Number of requests with the agent, including those of deleted sessions.'),
    items: z.array(ItemUsage).describe('All current and former items of the agent, most used first.'),
    suggestions: z
      .array(UsageSuggestion)
      .describe('Items that could be removed. Empty until the agent has 20 requests.'),
    warnings: z.array(Warning).describe('Problems with files of the agent.'),
  })
  .meta({ id: 'AgentUsage', description: 'How often the items of an agent are used.' });
export type AgentUsage = z.infer<typeof AgentUsage>;

/** An item counts as unused only after this number of requests. */
export const enoughRequests = 20;

export function summarizeUsage(
  items: readonly CatalogItem[],
  { requests, uses }: { requests: number; uses: readonly StoredUse[] },
): Pick<AgentUsage, 'requests' | 'items' | 'suggestions'> {
  const usage = new Map<string, ItemUsage>();
  for (const { type, name, serverName, include } of items) {
    const named = { type, name, serverName };
    usage.set(keyOfItem(named), { ...unused(named), include });
  }
  for (const { serverName, ...use } of uses) {
    const type = use.type as ItemUsage['type'];
    const named = { type, name: use.name, serverName: type === 'tool' ? serverName : undefined };
    const key = keyOfItem(named);
    usage.set(key, withUse(usage.get(key) ?? unused(named), use));
  }
  const list = [...usage.values()].sort((a, b) => b.requests - a.requests || compareText(keyOfItem(a), keyOfItem(b)));
  return { requests, items: list, suggestions: requests < enoughRequests ? [] : list.flatMap(suggest) };
}

function unused(item: Pick<ItemUsage, 'type' | 'name' | 'serverName'>): ItemUsage {
  return { ...item, requests: 0, byMode: { always: 0, manual: 0, auto: 0, agent: 0 }, tokens: 0 };
}

function withUse(before: ItemUsage, use: Omit<StoredUse, 'serverName'>): ItemUsage {
  const mode = use.mode as ItemInclude;
  const { scores: scored, scoreMin: min, scoreMax: max } = use;
  return {
    ...before,
    requests: before.requests + use.requests,
    byMode: { ...before.byMode, [mode]: before.byMode[mode] + use.requests },
    tokens: before.tokens + use.tokens,
    // Only `agent` items have scores, so all scores come from one mode.
    ...(scored === 0 ? {} : { scores: { count: scored, min, mean: Math.min(max, use.scoreSum / scored), max } }),
    lastAt: before.lastAt === undefined || before.lastAt < use.lastAt ? use.lastAt : before.lastAt,
  };
}

function suggest({ type, name, serverName, include, requests }: ItemUsage): UsageSuggestion[] {
  const item = { type, name, serverName };
  if (include === undefined)
    return [{ ...item, code: 'no_longer_there', message: 'Remove it from the sessions that refer to it.' }];
  if (requests > 0) return [];
  const message = {
    agent: 'Search never selected it for a message. Describe it better, or remove it.',
    auto: 'No file in play ever matched its globs. Correct them, or remove it.',
    manual: 'Nobody ever added it. Remove it, or let search select it (`agent`).',
    always: 'No session with it ever had a request. Begin new sessions, or remove it.',
  }[include];
  return [{ ...item, code: 'never_used', message }];
}
