/** How many tokens texts have, counted once for each text (RT-05, RQ-05). */
import { createBoundedCache } from '../pace/bounded-cache.ts';
import type { TokenCounter } from '../ports/ports.ts';
import { defaultEncoding, type TokenEncoding } from '../ports/token-encoding.ts';
import type { Warning } from '../warnings.ts';

/** `key` stands for the text: another text has another key. */
type KeyedText = { key: string; text: string };

export type TokenCounts = {
  /** In the order of `texts`; `estimated` when counting failed and four bytes were taken for a token. */
  count(texts: readonly KeyedText[], encoding: TokenEncoding): Promise<{ counts: number[]; estimated: boolean }>;
  /** Forgets all texts whose keys begin with `keyStart`. */
  forget(keyStart: string): void;
};

/** For counts that are `estimated`. */
export const tokensEstimated: Warning = {
  code: 'tokens_estimated',
  message: 'Tokens could not be counted. They were estimated: four bytes are one token.',
};

/** Many times what one request counts, about 150 bytes each. */
const maxKept = 50_000;
/** Counting again is quick. */
const maxUnusedMs = 5 * 60_000;

/**
 * Tokens of texts that are counted once only, in the default encoding; four bytes are taken for a token where counting
 * fails.
 */
export async function countTokens(texts: readonly string[], tokenCounter: TokenCounter): Promise<readonly number[]> {
  try {
    return await tokenCounter.count(texts, defaultEncoding);
  } catch {
    return texts.map(guessTokens);
  }
}

function guessTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

export function createTokenCounts(tokenCounter: TokenCounter): TokenCounts {
  const known = createBoundedCache<number>({ maxWeight: maxKept, maxEntries: maxKept, maxUnusedMs });
  /** What is being counted; requests at the same time often ask for the same. */
  const counting = new Map<string, Promise<number>>();

  const start = (texts: ReadonlyMap<string, string>, encoding: TokenEncoding): void => {
    if (texts.size === 0) return;
    const count = async (): Promise<number[]> => tokenCounter.count([...texts.values()], encoding);
    const counted = count();
    for (const [at, key] of [...texts.keys()].entries()) {
      const own = counted
        .then((counts) => {
          known.set(key, counts[at] ?? 0, 1);
          return counts[at] ?? 0;
        })
        .finally(() => counting.delete(key));
      // Whoever asks is told.
      own.catch(() => {});
      counting.set(key, own);
    }
  };
  return {
    async count(texts, encoding) {
      const keyed = texts.map(({ key, text }) => ({ key: `${key}:${encoding}`, text }));
      const missing = keyed.filter(({ key }) => known.get(key) === undefined && !counting.has(key));
      start(new Map(missing.map(({ key, text }) => [key, text])), encoding);
      let estimated = false;
      const counts = keyed.map(async ({ key, text }) => {
        try {
          return await (known.get(key) ?? counting.get(key) ?? 0);
        } catch {
          estimated = true;
          return guessTokens(text);
        }
      });
      return { counts: await Promise.all(counts), estimated };
    },
    forget: (keyStart) => known.removeWhere((key) => key.startsWith(keyStart)),
  };
}
