/** Selects the best matches (SS-05, SS-06). */
import type { ChunkMatch } from './search.ts';
import { definedOptions, type SearchOptions } from './search-options.ts';

/** `SearchOptions` with all values set. */
export type SearchNumbers = Readonly<{ topK: number; topN: number; includeScore: number; minScore: number }>;
/** `minOfBest` and `enough`: see `scoreThreshold`. */
export type Selection = SearchNumbers & Readonly<{ minOfBest: number; enough: number }>;

type Preset = NonNullable<SearchOptions['preset']>;

/** `minScore` was chosen with `npm run bench:relevance`. */
const presets = {
  aggressive: { topK: 40, topN: 10, includeScore: 0.6, minScore: 0.4 },
  normal: { topK: 20, topN: 5, includeScore: 0.7, minScore: 0.5 },
  conservative: { topK: 10, topN: 3, includeScore: 0.8, minScore: 0.65 },
} as const satisfies Record<Preset, SearchNumbers>;
/** Items with a smaller share of the best item's evidence are not selected. */
const usualMinOfBest = 0.85;
/** If all others have less than this share, the best one is better by far. */
const minNear = 0.75;

/**
 * The values of the preset, replaced by explicit ones. With an explicit `minScore`, nothing else limits what is
 * selected. Without it, an explicit `includeScore` is enough.
 */
export function selectionOf(options: SearchOptions): Selection {
  const { topK, topN, includeScore, minScore } = { ...presets[options.preset ?? 'normal'], ...definedOptions(options) };
  const numbers = { topK, topN, includeScore, minScore, minOfBest: 0, enough: Number.POSITIVE_INFINITY };
  if (options.minScore !== undefined) return numbers;
  return { ...numbers, minOfBest: usualMinOfBest, enough: options.includeScore ?? numbers.enough };
}

/**
 * The lowest score that is selected, given the best score: it reaches `minScore`, and has `minOfBest` of the best one's
 * evidence. Or it reaches `enough`. A score is a probability, whose odds are the square of the evidence.
 */
export function scoreThreshold(
  best: number,
  { minScore, minOfBest, enough }: Pick<Selection, 'minScore' | 'minOfBest' | 'enough'>,
): number {
  const odds = (minOfBest ** 2 * best) / (1 - Math.min(best, 1 - Number.EPSILON));
  return Math.min(enough, Math.max(minScore, odds / (1 + odds)));
}

/** Whether the best item is certainly selected and all others are worse by far. */
export function isBestByFar(matches: readonly ChunkMatch[], { includeScore }: Selection): boolean {
  const best = bestScore(matches);
  const first = matches.find(({ score }) => score === best);
  const second = bestScore(matches.filter((match) => match !== first));
  return best >= includeScore && second < scoreThreshold(best, { minScore: 0, minOfBest: minNear, enough: 1 });
}

/**
 * The selected matches, best first; `matches` has at most one of each item. Items with equal scores keep their order.
 * Among the best `topK`, all items with at least `includeScore` are selected, then others up to `topN`, and none below
 * `scoreThreshold`.
 */
export function rankMatches(matches: readonly ChunkMatch[], selection: Selection): ChunkMatch[] {
  const { topK, topN, includeScore } = selection;
  const least = scoreThreshold(bestScore(matches), selection);
  const considered = matches.filter(({ score }) => score >= least).sort(compareMatches);
  return considered.slice(0, topK).filter(({ score }, index) => score >= includeScore || index < topN);
}

/** Why an item was not selected. */
export type Rejection = 'below_min_score' | 'beyond_top_n' | 'beyond_top_k';

/** The matches that `rankMatches` left out, best first, and why. */
export function rejectMatches(
  matches: readonly ChunkMatch[],
  selected: readonly ChunkMatch[],
  selection: Selection,
): { match: ChunkMatch; rejection: Rejection }[] {
  const taken = new Set(selected.map(({ item }) => item));
  const others = matches.filter(({ item }) => !taken.has(item)).sort(compareMatches);
  const isFull = selected.length >= selection.topN;
  const least = scoreThreshold(bestScore(matches), selection);
  return others.map((match) => {
    const { score } = match;
    if (score < least) return { match, rejection: 'below_min_score' };
    return { match, rejection: isFull && score < selection.includeScore ? 'beyond_top_n' : 'beyond_top_k' };
  });
}

export function bestScore(matches: readonly ChunkMatch[]): number {
  return matches.reduce((best, { score }) => Math.max(best, score), 0);
}

function compareMatches(a: ChunkMatch, b: ChunkMatch): number {
  return b.score - a.score || a.item - b.item;
}
