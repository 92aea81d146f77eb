/** Puts the answer together: each path once, in the order of origins, within the budget (RT-05). */
import { createHash } from 'node:crypto';
import type { TokenCounts } from '../token-counts.ts';
import type { TokenEncoding } from '../tokens.ts';
import type { OmittedItem, RetrievedItem } from './retrieve-result.ts';

/** An item whose tokens are not counted yet. */
export type FetchedItem = Omit<RetrievedItem, 'tokens'>;

export type Assembled = { items: RetrievedItem[]; omitted: OmittedItem[]; tokens: number; estimated: boolean };

/**
 * `fetched` is in the order of importance. With a budget, each item is taken whole if it still fits and left out if it does
 * not; a smaller one after it can still be taken. So the user's own list is the last that suffers, and what is searched
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
  const items: RetrievedItem[] = [];
  const omitted: OmittedItem[] = [];
  let tokens = 0;
  for (const [index, item] of fetched.entries()) {
    const cost = counts[index] ?? 0;
    if (tokens + cost <= maxTokens) {
      tokens += cost;
      items.push({ ...item, tokens: cost });
    } else {
      const detail = `${maxTokens - tokens} of ${maxTokens} tokens were left`;
      omitted.push({ origin: item.origin, path: item.path, reason: { code: 'over_budget', detail }, tokens: cost });
    }
  }
  return { items, omitted, tokens, estimated };
}

function keyOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
