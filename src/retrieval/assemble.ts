/** Assembles the answer: each path once, in the order of origins, within the budget (RT-05). */
import { hash } from 'node:crypto';
import { maxOfImport, roomOfImports } from '../budget/room-of-imports.ts';
import { overBudget } from '../budget/token-budget.ts';
import type { TokenCounts } from '../budget/token-counts.ts';
import type { TokenEncoding } from '../ports/token-encoding.ts';
import type { OmittedItem, Origin, RetrievedItem } from './retrieve-result.ts';

/** An item whose tokens are not counted yet. */
export type FetchedItem = Omit<RetrievedItem, 'tokens'>;

type Assembled = { items: RetrievedItem[]; omitted: OmittedItem[]; tokens: number; estimated: boolean };

/**
 * `fetched`: in the order of the answer. `ranked`: the same items in the order of importance. With a budget, items that
 * the user named come first. Imports and search results share the rest. Each item is whole.
 */
export async function assembleItems(
  { fetched, ranked }: { fetched: readonly FetchedItem[]; ranked: readonly FetchedItem[] },
  budget: { maxTokens?: number | undefined; encoding: TokenEncoding },
  tokenCounts: TokenCounts,
): Promise<Assembled> {
  const texts = fetched.map(({ content }) => ({ key: hash('sha256', content, 'base64'), text: content }));
  const { counts, estimated } = await tokenCounts.count(texts, budget.encoding);
  const { maxTokens = Number.POSITIVE_INFINITY } = budget;
  const counted = new Map(fetched.map((item, index) => [item, { ...item, tokens: counts[index] ?? 0 }]));
  const chosen = chooseItems(
    ranked.map((item) => counted.get(item) as RetrievedItem),
    maxTokens,
  );
  const all = [...counted.values()];
  const items = all.filter((item) => chosen.has(item));
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
  return {
    items,
    omitted: all.flatMap((item) => {
      const { origin, path, tokens: own } = item;
      return chosen.has(item) ? [] : [{ origin, path, reason: overBudget(maxTokens, tokens), tokens: own }];
    }),
    tokens,
    estimated,
  };
}

/** The items that fit. */
function chooseItems(ranked: readonly RetrievedItem[], maxTokens: number): Set<RetrievedItem> {
  const chosen = new Set<RetrievedItem>();
  let left = maxTokens;
  /** Chooses, in their order, the items that fit into `room`. */
  const fill = (items: readonly RetrievedItem[], room: number): void => {
    let free = room;
    for (const item of items) {
      if (chosen.has(item) || item.tokens > free) continue;
      chosen.add(item);
      free -= item.tokens;
      left -= item.tokens;
    }
  };
  const of = (...those: Origin[]): RetrievedItem[] => ranked.filter(({ origin }) => those.includes(origin));
  fill(of('supplementary', 'open-tab'), left);
  const found = of('search');
  const room = roomOfImports(left, found);
  const isLarge = ({ tokens }: RetrievedItem): boolean => tokens > maxOfImport(room);
  const imports = of('import').sort((a, b) => Number(isLarge(a)) - Number(isLarge(b)));
  fill(imports, room);
  fill(found, left);
  fill(imports, left);
  return chosen;
}
