/** Joins words and meaning (SS-07, mode `hybrid`). */
import type { KeywordScore } from './keyword-scores.ts';
import { type Selection, selectionOf } from './rank.ts';
import type { ChunkMatch } from './search.ts';
import type { SearchOptions } from './search-options.ts';

/** The best chunk of every item, with its similarity to the question. `usual`: the similarities of the background. */
export type Meanings = { matches: readonly ChunkMatch[]; usual: readonly number[] };

/**
 * One match for each item that either engine found. If both found it, its probability is higher. A similarity counts by
 * how far it stands out from all others, so a model that finds everything alike adds almost nothing.
 */
export function fuseMatches(words: readonly KeywordScore[], meanings: Meanings): ChunkMatch[] {
  const probabilityOf = prominence(similaritiesOf(meanings));
  const fused = new Map(words.map(({ score, passage }, item) => [item, { item, chunk: passage, score }]));
  for (const { item, chunk, score } of meanings.matches) {
    const byMeaning = probabilityOf(score);
    const word = fused.get(item) ?? { chunk, score: 0 };
    const both = 1 - (1 - word.score) * (1 - byMeaning);
    fused.set(item, { item, chunk: byMeaning > word.score ? chunk : word.chunk, score: both });
  }
  return [...fused.values()].filter(({ score }) => score > 0);
}

/**
 * For scores that are similarities: what is probable enough for the preset is selected, unless `minScore` is given. No
 * number of a similarity could say that, because models differ in which ones are usual.
 */
export function selectionByMeaning(options: SearchOptions, meanings: Meanings): Selection {
  const selection = selectionOf(options);
  if (options.minScore !== undefined) return selection;
  const probabilityOf = prominence(similaritiesOf(meanings));
  return { ...selection, minOfBest: 0, minScore: firstAbove(selection.minScore, probabilityOf) };
}

const similaritiesOf = ({ matches, usual }: Meanings): number[] => [...matches.map(({ score }) => score), ...usual];

/** The least similarity whose probability is high enough, to six digits, or 1 if there is none. */
function firstAbove(probability: number, probabilityOf: (similarity: number) => number): number {
  let low = -1;
  let high = 1;
  while (high - low > 1e-6) {
    const middle = (low + high) / 2;
    if (probabilityOf(middle) >= probability) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * How many spreads above the best chance result a similarity counts half, and how gradually. Chosen, as the two numbers
 * below, with `npm run bench:relevance` and with real models: no worse than words alone with a useless model, no worse
 * than meaning alone with a good one, and with both few more unrelated questions that select something.
 */
const halfAt = 0.5;
const softness = 0.5;
/** A similarity counts half if it is a third of the way from the usual one to 1, that of the same text. */
const halfNear = 1 / 3;
/** It also counts half at most if it is no more than this above the usual one. Nearer ones cannot be told apart. */
const halfAbove = 0.06;

/**
 * Maps a similarity to the probability that its item is meant: by how near it is to that of the same text, if it is
 * further above the usual one than the best of so many would be by chance. The usual one is the median, and the spread
 * comes from the quartiles, which a few really similar items do not change. So it does not matter whether all
 * similarities of a model are high.
 */
export function prominence(similarities: readonly number[]): (similarity: number) => number {
  const sorted = Float64Array.from(similarities).sort();
  const usual = quantile(sorted, 0.5);
  const spread = Math.max(0.005, (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.35);
  const chance = expectedBest(Math.max(8, sorted.length));
  return (similarity) => {
    const above = Math.max(0, similarity - usual);
    const nearness = above / Math.max(above, 1 - usual, Number.EPSILON);
    const evidence = Math.min(nearness / halfNear, above / halfAbove);
    const byChance = Math.exp(-(above / spread - chance - halfAt) / softness);
    return evidence ** 2 / (1 + evidence ** 2) / (1 + byChance);
  };
}

/** The expected maximum of `count` normally distributed numbers, in standard deviations, for eight and more. */
function expectedBest(count: number): number {
  const root = Math.sqrt(2 * Math.log(count));
  return root - (Math.log(Math.log(count)) + Math.log(4 * Math.PI)) / (2 * root);
}

function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
