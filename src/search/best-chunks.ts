import type { MeaningMatch } from './search.ts';

/**
 * The best chunk of each item that has one, in the order of the items. `scores`: the scores of all chunks in order.
 * `counts`: the number of chunks of each item. Of equal scores, the first counts.
 */
export function bestChunks(scores: Float32Array, counts: readonly number[]): MeaningMatch[] {
  const within = (score: number): number => Math.max(-1, Math.min(1, score));
  const best: MeaningMatch[] = [];
  let start = 0;
  for (const [item, count] of counts.entries()) {
    let at = start;
    for (let next = start + 1; next < start + count; next += 1)
      if ((scores[next] as number) > (scores[at] as number)) at = next;
    if (count > 0) {
      const [score, first] = [scores[at] as number, scores[start] as number];
      best.push({ item, chunk: at - start, score: within(score), first: within(first) });
    }
    start += count;
  }
  return best;
}
