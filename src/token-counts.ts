/** How many tokens texts have, counted once for each text (RT-05, RQ-05). */
import { createBoundedCache } from './bounded-cache.ts';
import type { TokenCounter } from './ports.ts';
import type { TokenEncoding } from './tokens.ts';

/** `key` stands for the text: another text has another key. */
export type KeyedText = { key: string; text: string };

export type TokenCounts = {
  /** In the order of `texts`; `estimated` when counting failed and four bytes were taken for a token. */
  count(texts: readonly KeyedText[], encoding: TokenEncoding): Promise<{ counts: number[]; estimated: boolean }>;
};

export function createTokenCounts(tokenCounter: TokenCounter): TokenCounts {
  const known = createBoundedCache<number>({ maxWeight: 50_000, maxEntries: 50_000 });
  return {
    async count(texts, encoding) {
      const counts = texts.map(({ key }) => known.get(`${encoding}:${key}`));
      const missing = texts.flatMap(({ key, text }, index) =>
        counts[index] === undefined ? [{ key, text, index }] : [],
      );
      if (missing.length === 0) return { counts: counts as number[], estimated: false };
      try {
        const counted = await tokenCounter.count(
          missing.map(({ text }) => text),
          encoding,
        );
        for (const [at, { key, index }] of missing.entries()) {
          const count = counted[at] ?? 0;
          known.set(`${encoding}:${key}`, count, 1);
          counts[index] = count;
        }
        return { counts: counts as number[], estimated: false };
      } catch {
        for (const { text, index } of missing) counts[index] = Math.ceil(Buffer.byteLength(text) / 4);
        return { counts: counts as number[], estimated: true };
      }
    },
  };
}
