/** Joins words and meaning (SS-07, mode `hybrid`). */
import type { KeywordScore } from './keyword-scores.ts';
import type { ChunkMatch } from './search.ts';

/**
 * One match for each item that either engine found. If both found it, its probability is higher. `meanings` has the
 * best chunk of every item: a similarity counts by how far it stands out from the others, so a model that finds
 * everything alike adds almost nothing.
 */
export function fuseMatches(words: readonly KeywordScore[], meanings: readonly ChunkMatch[]): ChunkMatch[] {
  const meaningOf: (ChunkMatch | undefined)[] = Array.from({ length: words.length });
  for (const match of meanings) meaningOf[match.item] = match;
  const probabilityOf = prominence(meanings.map(({ score }) => score));
  const fused: ChunkMatch[] = [];
  for (const [item, word] of words.entries()) {
    const meaning = meaningOf[item];
    const byMeaning = meaning === undefined ? 0 : probabilityOf(meaning.score);
    const score = 1 - (1 - word.score) * (1 - byMeaning);
    if (score > 0) fused.push({ item, chunk: meaning && byMeaning > word.score ? meaning.chunk : word.passage, score });
  }
  return fused;
}

/**
 * Imagined similarities that are added to the others. With only a few items, half of which may be relevant, no usual
 * similarity could be determined.
 */
const usualSimilarities = [0.12, 0.2, 0.04, 0.16, 0.08, 0.24, 0, 0.14];

/**
 * How many spreads above the best chance result a similarity counts half, and how gradually. Chosen with `npm run
 * bench:relevance`: no worse than words alone with a useless model, and no worse than meaning alone with a good one.
 */
const halfAt = 1;
const softness = 0.5;
/** A similarity that is a third above the usual one counts as certain. */
const gain = 3;

/**
 * Maps a similarity to 0…1: how far it is above the usual one, beyond what the best of so many would reach by chance.
 * The usual one is the median, and the spread comes from the quartiles, which a few really similar items do not change.
 */
export function prominence(similarities: readonly number[]): (similarity: number) => number {
  const sorted = Float64Array.from([...similarities, ...usualSimilarities]).sort();
  const usual = quantile(sorted, 0.5);
  const spread = Math.max(0.005, (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.35);
  const chance = expectedBest(sorted.length);
  return (similarity) => {
    const above = (similarity - usual) / spread - chance - halfAt;
    return Math.min(1, gain * Math.max(0, similarity - usual)) / (1 + Math.exp(-above / softness));
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
