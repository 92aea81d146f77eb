import type { ChunkMatch } from './search.ts';

/**
 * The best `topK` chunks, best first, with at most `perItem` chunks of one item. `scores`: the scores of all chunks in
 * order. `chunks`: the number of chunks of each item. Equal scores keep the order of the items.
 */
export function topMatches(
  scores: Float32Array,
  chunks: readonly number[],
  { topK, perItem = topK }: { topK: number; perItem?: number },
): ChunkMatch[] {
  // Nearly all items have a chunk among the best then. Inserting each at its place would take quadratic time.
  const isSortedLater = topK >= chunks.length;
  const best: ChunkMatch[] = [];
  let start = 0;
  let floor = Number.NEGATIVE_INFINITY;
  for (let item = 0; item < chunks.length; item += 1) {
    const count = chunks[item] as number;
    // Most items have no chunk among the best, so the list is created only when it is needed.
    let own: ChunkMatch[] | undefined;
    for (let chunk = 0; chunk < count; chunk += 1) {
      const score = scores[start + chunk] as number;
      if (score <= floor) continue;
      own ??= [];
      insert(own, { item, chunk, score: Math.max(-1, Math.min(1, score)) }, perItem);
    }
    start += count;
    if (own === undefined) continue;
    for (const match of own)
      if (isSortedLater) best.push(match);
      else insert(best, match, topK);
    if (!isSortedLater && best.length >= topK) floor = best.at(-1)?.score ?? floor;
  }
  return isSortedLater ? sorted(best).slice(0, topK) : best;
}

/** Max places: a number has room for the bits of a score and for this many places. */
const places = 2 ** 22;

/**
 * Sorts in descending order; equal scores keep their order. Sorts numbers that contain score and place, which takes a
 * fraction of the time of comparing objects.
 */
function sorted(matches: readonly ChunkMatch[]): ChunkMatch[] {
  const scores = new Float32Array(matches.length);
  for (const [at, { score }] of matches.entries()) scores[at] = score;
  const bits = new Int32Array(scores.buffer);
  const keys = new Float64Array(matches.length);
  for (let at = 0; at < keys.length; at += 1) {
    const bit = bits[at] as number;
    // The bits of positive floats, read as integers, have the same order as the floats. Those of negative floats
    // without the sign have the opposite order.
    keys[at] = (bit < 0 ? bit & 0x7fffffff : -bit) * places + at;
  }
  keys.sort();
  const best: ChunkMatch[] = [];
  for (const key of keys) best.push(matches[key - Math.floor(key / places) * places] as ChunkMatch);
  return best;
}

/** Keeps `list` in descending order and no longer than `max`. */
function insert(list: ChunkMatch[], match: ChunkMatch, max: number): void {
  if (list.length >= max && match.score <= (list.at(-1)?.score ?? Number.POSITIVE_INFINITY)) return;
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] as ChunkMatch).score >= match.score) low = middle + 1;
    else high = middle;
  }
  list.splice(low, 0, match);
  if (list.length > max) list.pop();
}
