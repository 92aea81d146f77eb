/** What a similarity says, alone and together with words (SS-07, modes `semantic` and `hybrid`). */
import type { KeywordScore } from './keyword-scores.ts';
import { type Selection, selectionOf } from './rank.ts';
import type { ChunkMatch } from './search.ts';
import type { SearchOptions } from './search-options.ts';

/**
 * The best chunk of every item, with its similarity to the question. `firsts`: the similarities of the first chunks of the
 * items and of the background.
 */
export type Meanings = { matches: readonly ChunkMatch[]; firsts: readonly number[] };

/**
 * One match for each item that either engine found. If both found it, its probability is higher. A similarity counts by
 * how far it stands out from all others, so a model that finds everything alike adds almost nothing.
 */
export function fuseMatches(words: readonly KeywordScore[], meanings: Meanings): ChunkMatch[] {
  const probabilityOf = prominence(meanings);
  const fused = words.map(({ score, passage }, item): ChunkMatch => ({ item, chunk: passage, score }));
  for (const { item, chunk, score } of meanings.matches) {
    const byMeaning = probabilityOf(score);
    const word = fused[item] ?? { chunk, score: 0 };
    const both = 1 - (1 - word.score) * (1 - byMeaning);
    fused[item] = { item, chunk: byMeaning > word.score ? chunk : word.chunk, score: both };
  }
  return fused.filter(({ score }) => score > 0);
}

/**
 * For scores that are similarities: what is probable enough for the preset is selected, unless `minScore` is given. No
 * number of a similarity could say that, because models differ in which ones are usual.
 */
export function selectionByMeaning(options: SearchOptions, meanings: Meanings): Selection {
  const selection = selectionOf(options);
  if (options.minScore !== undefined) return selection;
  const probabilityOf = prominence(meanings);
  return { ...selection, minOfBest: 0, minScore: firstAbove(selection.minScore, probabilityOf) };
}

/** The least similarity from 0 whose probability is high enough, to six digits, or one above 1 if there is none. */
function firstAbove(probability: number, probabilityOf: (similarity: number) => number): number {
  const step = 1e-6;
  let low = -step;
  let high = 1 + step;
  while (high - low > step) {
    const middle = (low + high) / 2;
    if (probabilityOf(middle) >= probability) high = middle;
    else low = middle;
  }
  return Math.max(0, high);
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

/** With so many items, they say as much about what is usual as the first chunks do. */
const equalItems = 50;

/**
 * Maps a similarity to the probability that its item is meant: by how near it is to that of the same text, if it is
 * further above the usual one than the best of so many would be by chance. So it does not matter whether all
 * similarities of a model are high. The best of many chunks is nearer than a single one, so many items say themselves
 * what is usual. Among few, some may be meant, and their first chunks and the background say it.
 */
export function prominence({ matches, firsts }: Meanings): (similarity: number) => number {
  const ofItems = levelOf(matches.map(({ score }) => score));
  const ofChunks = levelOf(firsts);
  const share = matches.length / (matches.length + equalItems);
  const usual = share * ofItems.usual + (1 - share) * ofChunks.usual;
  const spread = share * ofItems.spread + (1 - share) * ofChunks.spread;
  const chance = expectedBest(Math.max(8, firsts.length));
  return (similarity) => {
    const above = Math.max(0, similarity - usual);
    const nearness = above / Math.max(above, 1 - usual, Number.EPSILON);
    const evidence = Math.min(nearness / halfNear, above / halfAbove);
    const byChance = Math.exp(-(above / spread - chance - halfAt) / softness);
    return evidence ** 2 / (1 + evidence ** 2) / (1 + byChance);
  };
}

/** Of more similarities, an evenly spaced part is sorted, which says the same. */
const maxSorted = 1_000;

/** The median, and the standard deviation by the quartiles. A few really similar items change neither. */
function levelOf(similarities: readonly number[]): { usual: number; spread: number } {
  const step = Math.ceil(similarities.length / maxSorted);
  const sorted = Float64Array.from(step > 1 ? similarities.filter((_, at) => at % step === 0) : similarities).sort();
  const range = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  return { usual: quantile(sorted, 0.5), spread: Math.max(0.005, range / 1.35) };
}

/** The expected maximum of `count` normally distributed numbers, in standard deviations, for eight and more. */
function expectedBest(count: number): number {
  const root = Math.sqrt(2 * Math.log(count));
  return root - (Math.log(Math.log(count)) + Math.log(4 * Math.PI)) / (2 * root);
}

function quantile(sorted: Float64Array, part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
