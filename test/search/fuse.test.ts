import { describe, expect, it } from 'vitest';
import { fuseMatches, prominence, selectionByMeaning } from '../../src/search/fuse.ts';
import { rankMatches, selectionOf } from '../../src/search/rank.ts';
import type { ChunkMatch } from '../../src/search/search.ts';

const words = (...scores: number[]) => scores.map((score) => ({ score, passage: 1 }));
const usual = [0.12, 0.2, 0.04, 0.16, 0.08, 0.24, 0, 0.14, 0.1, 0.18];
const meanings = (...scores: number[]) => ({
  matches: scores.map((score, item): ChunkMatch => ({ item, chunk: 2, score })),
  firsts: [...scores, ...usual],
});
/** Similarities of things that have nothing to do with each other. */
const background = Array.from({ length: 40 }, (_, at) => 0.12 + 0.06 * Math.sin(at * 2.4));
/** The items that are selected by meaning alone. `scaled`: the same similarities in a model with other ones. */
const selectedOf = (similarities: readonly number[], scaled = (similarity: number) => similarity): number[] => {
  const { matches } = meanings(...similarities.map(scaled));
  const all = { matches, firsts: [...similarities, ...usual].map(scaled) };
  const selected = rankMatches(matches, selectionByMeaning({}, all)).map(({ item }) => item);
  const { minScore } = selectionOf({});
  expect(rankMatches(fuseMatches([], all), selectionOf({ minScore })).map(({ item }) => item)).toEqual(selected);
  return selected;
};
const best = (matches: readonly ChunkMatch[]): number | undefined =>
  matches.toSorted((a, b) => b.score - a.score || a.item - b.item)[0]?.item;

describe('words and meaning together', () => {
  it('SS-07 find what only one of them finds, and trust most what both find', () => {
    const matches = fuseMatches(words(0.4, 0, 0.4, ...background.map(() => 0)), meanings(0.1, 0.5, 0.5, ...background));
    const [onlyWords, onlyMeaning, both] = [0, 1, 2].map((at) => matches.find(({ item }) => item === at));
    expect(onlyWords?.score).toBeCloseTo(0.4, 2);
    expect(onlyMeaning?.score).toBeGreaterThan(0.3);
    expect(both?.score).toBeGreaterThan(Math.max(onlyWords?.score ?? 1, onlyMeaning?.score ?? 1));
    expect([onlyWords?.chunk, onlyMeaning?.chunk]).toEqual([1, 2]);
  });

  it('SS-07 stay with the words when all meanings are alike', () => {
    const alike = Array.from({ length: 40 }, (_, at) => 0.9 + 0.01 * Math.sin(at * 2.4));
    const scores = alike.map((_, item) => (item === 7 ? 0.25 : item === 8 ? 0.2 : 0));
    const matches = fuseMatches(words(...scores), meanings(...alike));
    expect(best(matches)).toBe(7);
    expect(Math.max(...matches.filter(({ item }) => item > 8).map(({ score }) => score))).toBeLessThan(0.05);
    const same = fuseMatches(words(...scores), meanings(...alike.map(() => 0.9)));
    expect(same.map(({ item }) => item)).toEqual([7, 8]);
  });

  it('SS-07 stay with a clear meaning when words mislead', () => {
    const scores = background.map((_, item) => (item === 3 ? 0.25 : 0));
    const similarities = background.map((value, item) => (item === 9 ? 0.6 : value));
    expect(best(fuseMatches(words(...scores), meanings(...similarities)))).toBe(9);
  });

  it('SS-07 give scores in 0…1, also where nothing can be told', () => {
    for (const similarities of [[], [1], [-1], [0.5, 0.5], [Number.MIN_VALUE, 1], [...background, 1, -1]]) {
      const matches = fuseMatches(words(...similarities.map((_, at) => at % 2)), meanings(...similarities));
      for (const { score } of matches) expect(score >= 0 && score <= 1).toBe(true);
    }
    expect(fuseMatches(words(0, 0.5), { matches: [], firsts: [] })).toEqual([{ item: 1, chunk: 1, score: 0.5 }]);
  });

  it('SS-07 judge among few items by what is usual', () => {
    const probabilityOf = prominence(meanings(0.55, 0.1));
    expect(probabilityOf(0.55)).toBeGreaterThan(0.3);
    expect(probabilityOf(0.1)).toBeLessThan(0.05);
  });

  it.each([
    [[0.5, 0.5]],
    [[0.55, 0.5, 0.1]],
    [[0.5, 0.5, 0.1, 0.05, 0.12]],
    [[0.6, 0.5, 0.1, 0.15, 0.2, 0.05, 0.1, 0.12]],
  ])('SS-07 find both of two that stand out of few: %j', (similarities) => {
    expect(selectedOf(similarities).toSorted()).toEqual([0, 1]);
  });

  it('SS-07 select the same with models whose similarities are all high, among few items and among many', () => {
    const high = (similarity: number): number => 0.7 + 0.3 * similarity;
    for (const similarities of [[0.6], [0.1, 0.6], [0.1, 0.6, 0.2, 0.05], [0.1, 0.6, ...background]]) {
      const expected = [similarities.indexOf(0.6)];
      expect(selectedOf(similarities)).toEqual(expected);
      expect(selectedOf(similarities, high)).toEqual(expected);
    }
  });

  it('SS-07 find one of a few long items, whose best chunks are all nearer than single chunks are', () => {
    const matches = [0.62, 0.3, 0.34, 0.28, 0.36, 0.31, 0.33, 0.29].map((score, item) => ({ item, chunk: 2, score }));
    const firsts = [0.2, 0.12, 0.16, 0.1, 0.18, 0.06, 0.14, 0.09, ...usual];
    const selected = rankMatches(matches, selectionByMeaning({}, { matches, firsts }));
    expect(selected.map(({ item }) => item)).toEqual([0]);
  });

  it('SS-05 take what is usual from the items if they are many', () => {
    const matches = Array.from({ length: 300 }, (_, item) => {
      return { item, chunk: 2, score: item === 0 ? 0.56 : 0.42 + 0.06 * Math.sin(item * 2.4) };
    });
    const firsts = matches.map(({ score }) => score - 0.24);
    expect(rankMatches(matches, selectionByMeaning({}, { matches, firsts }))).toEqual([]);
    expect(
      rankMatches(matches.slice(0, 5), selectionByMeaning({}, { matches: matches.slice(0, 5), firsts })),
    ).toHaveLength(1);
  });

  it('SS-05 select nothing if the best is no nearer to the question than others of its kind', () => {
    const similarities = [...background, 0.28, 0.3, 0.32, 0.34, 0.36];
    expect(selectedOf(similarities)).toEqual([]);
  });

  it('SS-05 select nothing with a model that finds everything alike, however alike', () => {
    for (const similarity of [-0.5, 0, 0.5, 1]) expect(selectedOf([1, 2, 3], () => similarity)).toEqual([]);
  });

  it('SS-05 trust no difference between very high similarities that is too small', () => {
    const high = (similarity: number): number => 0.9 + 0.02 * similarity;
    expect(selectedOf([2, 0.1, 0.2], high)).toEqual([]);
    expect(selectedOf([3.6, 0.1, 0.2], high)).toEqual([0]);
  });

  it('SS-05 ask more of the nearest of many, because chance explains more', () => {
    const others = (count: number) => Array.from({ length: count }, (_, at) => 0.12 + 0.12 * Math.sin(at * 2.4));
    expect(selectedOf([0.53, ...others(10)])).toEqual([0]);
    expect(selectedOf([0.53, ...others(400)])).toEqual([]);
    expect(selectedOf([0.62, ...others(400)])).toEqual([0]);
  });

  it('SS-05 leave out what is far less probable than the best, as words alone do', () => {
    const scores = background.map((_, item) => (item === 0 ? 0.95 : item < 3 ? 0.6 : 0));
    const matches = fuseMatches(words(...scores), meanings(...background));
    expect(rankMatches(matches, selectionOf({})).map(({ item }) => item)).toEqual([0]);
  });
});
