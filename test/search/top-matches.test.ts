import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { topMatches } from '../../src/search/top-matches.ts';

describe('top matches', () => {
  it('SS-05 gives the best chunks, best first, with their items', () => {
    const scores = Float32Array.of(0.5, 0.25, 0.75, 0.125);
    expect(topMatches(scores, [1, 0, 3], { topK: 3 })).toEqual([
      { item: 2, chunk: 1, score: 0.75 },
      { item: 0, chunk: 0, score: 0.5 },
      { item: 2, chunk: 0, score: 0.25 },
    ]);
  });

  it('SS-05 takes of one item no more than its share', () => {
    const scores = Float32Array.of(0.9, 0.8, 0.7, 0.1);
    const matches = topMatches(scores, [3, 1], { topK: 3, perItem: 2 });
    expect(matches.map(({ item, chunk }) => [item, chunk])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
    ]);
  });

  it('SS-05 agrees with sorting everything', () => {
    const items = fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { maxLength: 6 }), { maxLength: 12 });
    const limits = fc.record({ topK: fc.integer({ min: 1, max: 20 }), perItem: fc.integer({ min: 1, max: 6 }) });
    fc.assert(
      fc.property(items, limits, (chunks, { topK, perItem }) => {
        const scores = Float32Array.from(chunks.flat());
        let at = 0;
        const perItemBest = chunks.flatMap((own, item) =>
          own
            .map((_, chunk) => {
              at += 1;
              return { item, chunk, score: scores[at - 1] as number };
            })
            .sort((a, b) => b.score - a.score)
            .slice(0, perItem),
        );
        const expected = perItemBest.sort((a, b) => b.score - a.score).slice(0, topK);
        const counts = chunks.map(({ length }) => length);
        expect(topMatches(scores, counts, { topK, perItem })).toEqual(expected);
      }),
      { seed: 1 },
    );
  });

  it('SS-05 moves nothing again and again when everything is asked for', () => {
    const count = 5_000;
    let moved = 0;
    const { splice } = Array.prototype;
    const spy = vi.spyOn(Array.prototype, 'splice').mockImplementation(function (this: unknown[], start, ...rest) {
      moved += this.length - start;
      return splice.call(this, start, ...(rest as [number]));
    });
    onTestFinished(() => spy.mockRestore());
    const ascending = Float32Array.from({ length: count }, (_, at) => at / count - 0.5);
    const matches = topMatches(ascending, new Array<number>(count).fill(1), { topK: count, perItem: 1 });
    expect(moved).toBeLessThanOrEqual(count);
    expect(matches.map(({ item }) => item)).toEqual(Array.from(ascending.keys()).reverse());
  });
});
