import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCounter } from '../../../src/adapters/workers/count-tokens.ts';
import { createTokenTable, packTokens } from '../../../src/adapters/workers/token-table.ts';

/** Byte-pair encoding as it is defined: the first of the pairs with the lowest rank is merged, again and again. */
function countOneByOne(tokens: readonly string[], word: string): number {
  if (tokens.includes(word)) return 1;
  const parts = [...word];
  for (;;) {
    const ranks = parts.slice(1).map((part, at) => tokens.indexOf(`${parts[at]}${part}`));
    const lowest = Math.min(...ranks.filter((rank) => rank >= 0));
    if (lowest === Number.POSITIVE_INFINITY) return parts.length;
    const at = ranks.indexOf(lowest);
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
  }
}

describe('counting tokens', () => {
  it('CC-35 merges pairs as one after the other would, whatever the vocabulary is', () => {
    const token = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 7 });
    const vocabulary = fc.uniqueArray(token, { minLength: 1, maxLength: 60, size: 'max' });
    const word = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(vocabulary, word, (tokens, text) => {
        const count = createCounter(createTokenTable(packTokens(tokens)), /\w+/gu);
        expect(count(text)).toBe(countOneByOne(tokens, text));
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});
