import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bestChunks } from '../../src/search/best-chunks.ts';

const within = (score: number): number => Math.max(-1, Math.min(1, Math.fround(score)));

describe('best chunks', () => {
  it('SS-05 groups chunks by item and keeps the best, so a long item takes one place', () => {
    expect(bestChunks(Float32Array.of(0.5, 0.25, 0.75, 0.75), [1, 0, 3])).toEqual([
      { item: 0, chunk: 0, score: 0.5, first: 0.5 },
      { item: 2, chunk: 1, score: 0.75, first: 0.25 },
    ]);
  });

  it('SS-05 agrees with sorting the chunks of each item, and keeps scores between -1 and 1', () => {
    const items = fc.array(fc.array(fc.double({ min: -2, max: 2, noNaN: true }), { maxLength: 6 }), { maxLength: 12 });
    fc.assert(
      fc.property(items, (chunks) => {
        const expected = chunks.flatMap((own, item) => {
          const [best] = own
            .map((score, chunk) => ({ item, chunk, score: Math.fround(score) }))
            .sort((a, b) => b.score - a.score);
          const first = within(own[0] ?? 0);
          return best ? [{ ...best, score: within(best.score), first }] : [];
        });
        const counts = chunks.map(({ length }) => length);
        expect(bestChunks(Float32Array.from(chunks.flat()), counts)).toEqual(expected);
      }),
      { seed: 1 },
    );
  });
});
