import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isBestByFar, rankMatches, rejectMatches, scoreThreshold, selectionOf } from '../../src/search/rank.ts';
import type { ChunkMatch } from '../../src/search/search.ts';

const match = (item: number, score: number, chunk = 0): ChunkMatch => ({ item, chunk, score });
const selection = { topK: 20, topN: 5, includeScore: 0.7, minScore: 0.2, minOfBest: 0, enough: 2 };
/** At most one of each item. */
const someMatches = fc
  .array(fc.constantFrom(undefined, 0.1, 0.25, 0.5, 0.7, 0.9), { maxLength: 40 })
  .map((scores) => scores.flatMap((score, item) => (score === undefined ? [] : [match(item, score, item % 3)])));
const items = (matches: readonly ChunkMatch[], options: Partial<typeof selection> = {}): number[] =>
  rankMatches(matches, { ...selection, ...options }).map(({ item }) => item);

describe('selection', () => {
  it('SS-05 gives the best match first, with its chunk', () => {
    expect(rankMatches([match(0, 0.5, 7), match(1, 0.6, 3)], selection)).toEqual([match(1, 0.6, 3), match(0, 0.5, 7)]);
  });

  it('SS-05 fills up to topN, and takes what reaches includeScore beyond it', () => {
    const scores = [0.9, 0.8, 0.7, 0.69, 0.5];
    const matches = scores.map((score, item) => match(item, score));
    expect(items(matches, { topN: 2 })).toEqual([0, 1, 2]);
    expect(items(matches, { topN: 4 })).toEqual([0, 1, 2, 3]);
    expect(items(matches, { topN: 0 })).toEqual([0, 1, 2]);
  });

  it('SS-05 selects nothing below minScore, whatever includeScore says', () => {
    const matches = [match(0, 0.21), match(1, 0.2), match(2, 0.19)];
    expect(items(matches)).toEqual([0, 1]);
    expect(items(matches, { includeScore: 0 })).toEqual([0, 1]);
    expect(items([match(0, 0.1)])).toEqual([]);
  });

  it('SS-05 considers topK items only', () => {
    const matches = Array.from({ length: 30 }, (_, item) => match(item, 0.9 - item / 1000));
    expect(items(matches, { topK: 3 })).toEqual([0, 1, 2]);
    expect(items(matches)).toHaveLength(20);
  });

  it('SS-05 is the same whatever the order of the matches; equal scores keep the order of the items', () => {
    fc.assert(
      fc.property(someMatches, fc.nat(6), (found, topN) => {
        const ranked = rankMatches(found, { ...selection, topN });
        expect(rankMatches(found.toReversed(), { ...selection, topN })).toEqual(ranked);
        for (const [at, { score, item }] of ranked.entries()) {
          const next = ranked[at + 1];
          if (next) expect(score > next.score || (score === next.score && item < next.item)).toBe(true);
          expect(score >= selection.includeScore || at < topN).toBe(true);
        }
        expect(new Set(ranked.map(({ item }) => item)).size).toBe(ranked.length);
      }),
      { seed: 1 },
    );
  });
});

describe('what goes with the best', () => {
  it('SS-05 has 85 % of the evidence for it, of which a score is the probability', () => {
    const usual = selectionOf({});
    const score = (evidence: number) => evidence ** 2 / (1 + evidence ** 2);
    for (const best of [1.5, 2, 4]) {
      expect(scoreThreshold(score(best), usual)).toBeCloseTo(score(0.85 * best), 10);
      const near = [match(0, score(best)), match(1, score(0.86 * best)), match(2, score(0.84 * best))];
      expect(items(near, { ...usual, includeScore: 0 })).toEqual([0, 1]);
    }
    expect(scoreThreshold(score(1.1), usual)).toBe(usual.minScore);
    expect(scoreThreshold(1, usual)).toBeLessThanOrEqual(1);
    expect(scoreThreshold(0, usual)).toBe(usual.minScore);
  });

  it('SS-13 is worse by far with less than three quarters of it, whatever else is selected', () => {
    const score = (evidence: number) => evidence ** 2 / (1 + evidence ** 2);
    const isFar = (best: number, next: number) =>
      isBestByFar([match(1, score(next * best)), match(0, score(best))], selectionOf({}));
    expect([isFar(2, 0.74), isFar(2, 0.76), isFar(1.1, 0.1)]).toEqual([true, false, false]);
    expect(isBestByFar([], selectionOf({}))).toBe(false);
  });

  it('SS-05 is all that reaches an explicit includeScore, unless minScore is explicit, too', () => {
    const found = [match(0, 0.95), match(1, 0.4), match(2, 0.3), match(3, 0.2)];
    expect(items(found, selectionOf({}))).toEqual([0]);
    expect(items(found, selectionOf({ includeScore: 0.3 }))).toEqual([0, 1, 2]);
    expect(items(found, selectionOf({ includeScore: 0.3, topN: 0 }))).toEqual([0, 1, 2]);
    expect(items(found, selectionOf({ includeScore: 0.3, topK: 2 }))).toEqual([0, 1]);
    expect(items(found, selectionOf({ includeScore: 0.3, minScore: 0.4 }))).toEqual([0, 1]);
    expect(items(found, selectionOf({ includeScore: 0.96 }))).toEqual([0]);
  });

  it('SS-06 is all that reaches minScore, where that is given', () => {
    expect(scoreThreshold(0.9, selectionOf({ minScore: 0.1 }))).toBe(0.1);
  });
});

describe('what is not selected', () => {
  const rejected = (matches: readonly ChunkMatch[], options: Partial<typeof selection> = {}) => {
    const chosen = { ...selection, ...options };
    return rejectMatches(matches, rankMatches(matches, chosen), chosen).map(
      ({ match: { item, score }, rejection }) => `${item} ${score} ${rejection}`,
    );
  };

  it('SS-05 is told once for each item, the best first, with the limit that it does not reach', () => {
    const matches = [match(3, 0.1), match(0, 0.9), match(2, 0.55, 1), match(1, 0.6)];
    expect(rejected(matches, { topN: 1 })).toEqual([
      '1 0.6 beyond_top_n',
      '2 0.55 beyond_top_n',
      '3 0.1 below_min_score',
    ]);
    expect(rejected(matches, { topK: 1, topN: 2 })).toEqual([
      '1 0.6 beyond_top_k',
      '2 0.55 beyond_top_k',
      '3 0.1 below_min_score',
    ]);
    expect(rejected([match(0, 0.9)])).toEqual([]);
  });

  it('SS-05 is, with what is selected, every item that was found', () => {
    fc.assert(
      fc.property(someMatches, fc.nat(6), fc.integer({ min: 1, max: 20 }), (found, topN, topK) => {
        const chosen = { ...selection, topN, topK };
        const selected = rankMatches(found, chosen);
        const others = rejectMatches(found, selected, chosen).map(({ match: { item } }) => item);
        const told = [...selected.map(({ item }) => item), ...others];
        expect(told.toSorted()).toEqual([...new Set(found.map(({ item }) => item))].sort());
      }),
      { seed: 1 },
    );
  });
});

describe('presets', () => {
  it('SS-06 normal is the specification’s, and what applies when nothing is said', () => {
    expect(selectionOf({})).toEqual(selectionOf({ preset: 'normal' }));
    expect(selectionOf({})).toMatchObject({ topK: 20, topN: 5, includeScore: 0.7 });
  });

  it('SS-06 aggressive selects more and conservative less', () => {
    const [more, normal, less] = (['aggressive', 'normal', 'conservative'] as const).map((preset) =>
      selectionOf({ preset }),
    ) as [typeof selection, typeof selection, typeof selection];
    expect(more.topK > normal.topK && normal.topK > less.topK).toBe(true);
    expect(more.topN > normal.topN && normal.topN > less.topN).toBe(true);
    expect(more.includeScore < normal.includeScore && normal.includeScore < less.includeScore).toBe(true);
    expect(more.minScore < normal.minScore && normal.minScore < less.minScore).toBe(true);
    expect(less.minScore).toBeLessThan(less.includeScore);
  });

  it('SS-06 give way to what is said explicitly, zero included', () => {
    const options = { preset: 'aggressive', topN: 0, minScore: 0, topK: undefined } as const;
    expect(selectionOf({ ...options } as never)).toMatchObject({
      topK: 40,
      topN: 0,
      minScore: 0,
      includeScore: 0.6,
    });
  });
});
