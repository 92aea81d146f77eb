/** Selects the best matches (SS-05, SS-06). */
import type { ChunkMatch } from './search.ts';
import type { SearchMode, SearchOptions } from './search-options.ts';

/** `SearchOptions` with all values set. */
export type SearchNumbers = Readonly<{ topK: number; topN: number; includeScore: number; minScore: number }>;
/** `minOfBest`: see `scoreThreshold`. */
export type Selection = SearchNumbers & { readonly minOfBest: number };

type Preset = NonNullable<SearchOptions['preset']>;

const amounts = {
  aggressive: { topK: 40, topN: 10, includeScore: 0.6 },
  normal: { topK: 20, topN: 5, includeScore: 0.7 },
  conservative: { topK: 10, topN: 3, includeScore: 0.8 },
} as const;

/** Chosen with `npm run bench:relevance`. The numbers of `semantic` are the usual ones for the model. */
const minScores: Record<SearchMode, Record<Preset, number>> = {
  keyword: { aggressive: 0.4, normal: 0.5, conservative: 0.65 },
  semantic: { aggressive: 0.25, normal: 0.35, conservative: 0.45 },
  hybrid: { aggressive: 0.4, normal: 0.5, conservative: 0.65 },
};
/** Items with a smaller share of the best item's evidence are not selected. */
const usualMinOfBest = 0.85;
/** If all others have less than this share, the best one is better by far. */
const minNear = 0.75;

/**
 * The values of the preset for the engine, replaced by explicit ones. With an explicit `minScore`, no share of the best
 * item's evidence is needed.
 */
export function selectionOf(options: SearchOptions, engine: SearchMode): Selection {
  const preset = options.preset ?? 'normal';
  const { topK, topN, includeScore } = { ...amounts[preset], ...defined(options) };
  const minOfBest = options.minScore === undefined && engine === 'keyword' ? usualMinOfBest : 0;
  return { topK, topN, includeScore, minScore: options.minScore ?? minScores[engine][preset], minOfBest };
}

/**
 * The lowest score that is selected, given the best score. A score is a probability, whose odds are the square of the
 * evidence.
 */
export function scoreThreshold(
  best: number,
  { minScore, minOfBest }: Pick<Selection, 'minScore' | 'minOfBest'>,
): number {
  const odds = (minOfBest ** 2 * best) / (1 - Math.min(best, 1 - Number.EPSILON));
  return Math.max(minScore, odds / (1 + odds));
}

/** Whether the best item is certainly selected and all others are worse by far. */
export function isBestByFar(matches: readonly ChunkMatch[], { includeScore }: Selection): boolean {
  const best = bestScore(matches);
  const first = matches.find(({ score }) => score === best)?.item;
  const second = bestScore(matches.filter(({ item }) => item !== first));
  return best >= includeScore && second < scoreThreshold(best, { minScore: 0, minOfBest: minNear });
}

function defined(options: SearchOptions): Partial<SearchNumbers> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Max places among the `topK` for one item, so that there is room for `topN` items. */
export function placesPerItem({ topK, topN }: Pick<Selection, 'topK' | 'topN'>): number {
  return Math.max(1, Math.ceil(topK / Math.max(1, topN)));
}

/**
 * The best chunk of each selected item, best first. Items with equal scores keep their order. Among the best `topK`
 * chunks, all items with at least `includeScore` are selected, then others up to `topN`, and none below
 * `scoreThreshold`.
 */
export function rankMatches(matches: readonly ChunkMatch[], selection: Selection): ChunkMatch[] {
  const maxPlaces = placesPerItem(selection);
  const places = new Map<number, number>();
  const best: ChunkMatch[] = [];
  let considered = 0;
  const least = scoreThreshold(bestScore(matches), selection);
  for (const match of matches.filter(({ score }) => score >= least).sort(compareMatches)) {
    if (considered === selection.topK) break;
    const taken = places.get(match.item) ?? 0;
    if (taken >= maxPlaces) continue;
    places.set(match.item, taken + 1);
    considered += 1;
    if (taken === 0) best.push(match);
  }
  return best.filter(({ score }, index) => score >= selection.includeScore || index < selection.topN);
}

/** Why an item was not selected. */
export type Rejection = 'below_min_score' | 'beyond_top_n' | 'beyond_top_k';

/** The best chunk of each item that `rankMatches` left out, best first, and why. */
export function rejectMatches(
  matches: readonly ChunkMatch[],
  selected: readonly ChunkMatch[],
  selection: Selection,
): { match: ChunkMatch; rejection: Rejection }[] {
  const seen = new Set(selected.map(({ item }) => item));
  const best = [...matches].sort(compareMatches).filter(({ item }) => seen.size < seen.add(item).size);
  const isFull = selected.length >= selection.topN;
  const least = scoreThreshold(bestScore(matches), selection);
  return best.map((match) => {
    const { score } = match;
    if (score < least) return { match, rejection: 'below_min_score' };
    return { match, rejection: isFull && score < selection.includeScore ? 'beyond_top_n' : 'beyond_top_k' };
  });
}

export function bestScore(matches: readonly ChunkMatch[]): number {
  return matches.reduce((best, { score }) => Math.max(best, score), 0);
}

function compareMatches(a: ChunkMatch, b: ChunkMatch): number {
  return b.score - a.score || a.item - b.item || a.chunk - b.chunk;
}
