import type { ChunkMatch } from './search.ts';

/**
 * The best `topK` chunks, best first, of one item no more than `perItem`. `scores` are those of all chunks in order;
 * `chunks` says how many each item has. Equal scores keep the order of the items.
 */
export function topMatches(
  scores: Float32Array,
  chunks: readonly number[],
  { topK, perItem = topK }: { topK: number; perItem?: number },
): ChunkMatch[] {
  const best: ChunkMatch[] = [];
  let start = 0;
  let floor = Number.NEGATIVE_INFINITY;
  for (let item = 0; item < chunks.length; item += 1) {
    const count = chunks[item] as number;
    // Nearly all items have nothing among the best; nothing is made for these.
    let own: ChunkMatch[] | undefined;
    for (let chunk = 0; chunk < count; chunk += 1) {
      const score = scores[start + chunk] as number;
      if (score <= floor) continue;
      own ??= [];
      insert(own, { item, chunk, score: Math.max(-1, Math.min(1, score)) }, perItem);
    }
    start += count;
    if (own === undefined) continue;
    for (const match of own) insert(best, match, topK);
    if (best.length >= topK) floor = best.at(-1)?.score ?? floor;
  }
  return best;
}

/** Keeps `list` in descending order and no longer than `most`. */
function insert(list: ChunkMatch[], match: ChunkMatch, most: number): void {
  if (list.length >= most && match.score <= (list.at(-1)?.score ?? Number.POSITIVE_INFINITY)) return;
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as ChunkMatch).score >= match.score) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, match);
  if (list.length > most) list.pop();
}
