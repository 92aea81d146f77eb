/** Words and meaning together (SS-07, mode `hybrid`). */
import type { KeywordScore } from './keyword-scores.ts';
import type { ChunkMatch } from './search.ts';

/**
 * One match for each item that either engine found. What both find is more probable than what one finds; how far a
 * similarity counts depends on how far it stands out of all similarities, so that a model that finds everything alike
 * adds nothing.
 */
export function fuseMatches(words: readonly KeywordScore[], meanings: readonly ChunkMatch[]): ChunkMatch[] {
  const bestMeanings = new Map<number, ChunkMatch>();
  for (const match of meanings)
    if (match.score > (bestMeanings.get(match.item)?.score ?? -2)) bestMeanings.set(match.item, match);
  const standsOut = prominence([...bestMeanings.values()].map(({ score }) => score));
  return words.flatMap((word, item) => {
    const meaning = bestMeanings.get(item);
    const byMeaning = meaning === undefined ? 0 : standsOut(meaning.score);
    if (word.score === 0 && byMeaning === 0) return [];
    const score = 1 - (1 - word.score) * (1 - byMeaning);
    return [{ item, chunk: meaning && byMeaning > word.score ? meaning.chunk : word.passage, score }];
  });
}

/** From a similarity to 0…1: by how much it is above what the best of so many would be by chance. */
export function prominence(similarities: readonly number[]): (similarity: number) => number {
  const count = similarities.length;
  const sorted = similarities.toSorted((a, b) => a - b);
  const middle = quantile(sorted, 0.5);
  const spread = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.35;
  if (count < 2 || spread <= 0) return (similarity) => Math.max(0, similarity) * 0.5;
  const chance = Math.sqrt(2 * Math.log(count));
  return (similarity) => {
    const above = (similarity - middle) / spread - chance;
    return above <= 0 ? 0 : (above / (above + chance)) * Math.max(0, Math.min(1, similarity));
  };
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
