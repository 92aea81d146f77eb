/** Puts the answer together: each path once, in the order of origins, within the budget (RT-05). */
import { createHash } from 'node:crypto';
import { chooseGone, overBudget } from '../budget/token-budget.ts';
import type { TokenCounts } from '../budget/token-counts.ts';
import type { TokenEncoding } from '../ports/token-encoding.ts';
import type { OmittedItem, RetrievedItem } from './retrieve-result.ts';

/** An item whose tokens are not counted yet. */
export type FetchedItem = Omit<RetrievedItem, 'tokens'>;

type Assembled = { items: RetrievedItem[]; omitted: OmittedItem[]; tokens: number; estimated: boolean };

/**
 * `fetched` is in the order of importance. With a budget, what is found last goes first, and what still fits then comes
 * back, each item whole. So the user's own list is the last that suffers, and what is searched
 * for the first.
 */
export async function assembleItems(
  fetched: readonly FetchedItem[],
  budget: { maxTokens?: number | undefined; encoding: TokenEncoding },
  tokenCounts: TokenCounts,
): Promise<Assembled> {
  const texts = fetched.map(({ content }) => ({ key: keyOf(content), text: content }));
  const { counts, estimated } = await tokenCounts.count(texts, budget.encoding);
  const { maxTokens = Number.POSITIVE_INFINITY } = budget;
  const counted = fetched.map((item, index) => ({ ...item, tokens: counts[index] ?? 0 }));
  const { gone, tokens } = chooseGone(counted.toReversed(), { maxTokens });
  const letGo = new Set(gone);
  return {
    items: counted.filter((item) => !letGo.has(item)),
    omitted: gone.toReversed().map(({ origin, path, tokens: own }) => ({
      ...{ origin, path },
      reason: overBudget(maxTokens, tokens),
      tokens: own,
    })),
    tokens,
    estimated,
  };
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
