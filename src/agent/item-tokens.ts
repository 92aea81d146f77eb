/** Tokens of items, counted once for each text (RQ-05). */
import { createBoundedCache } from '../bounded-cache.ts';
import type { TokenCounter } from '../ports.ts';
import type { TokenEncoding } from '../tokens.ts';
import { type CatalogItem, countedText } from './catalog-item.ts';

/** Tokens of each item; `estimated` when counting failed and four bytes were taken for a token. */
export type CountItemTokens = (
  items: readonly CatalogItem[],
  encoding?: TokenEncoding,
) => Promise<{ counts: number[]; estimated: boolean }>;

const keptCounts = { maxWeight: 50_000, maxEntries: 50_000 };

export function createItemTokens(tokenCounter: TokenCounter): CountItemTokens {
  const known = createBoundedCache<number>(keptCounts);
  return async (items, encoding = 'o200k_base') => {
    const keys = items.map(({ sha256 }) => `${encoding}:${sha256}`);
    const counts = keys.map((key) => known.get(key));
    const missing = counts.flatMap((count, index) => (count === undefined ? [index] : []));
    let estimated = false;
    if (missing.length > 0) {
      const texts = missing.map((index) => countedText(items[index] as CatalogItem));
      try {
        for (const [at, count] of (await tokenCounter.count(texts, encoding)).entries()) {
          const index = missing[at] as number;
          counts[index] = count;
          known.set(keys[index] as string, count, 1);
        }
      } catch {
        estimated = true;
      }
      for (const [at, index] of missing.entries()) counts[index] ??= Math.ceil(Buffer.byteLength(texts[at] ?? '') / 4);
    }
    return { counts: counts.map((count) => count ?? 0), estimated };
  };
}
