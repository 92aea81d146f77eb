/** Search over items by meaning, by words, or both (SS-05 … SS-07, RQ-02). */
import type { OfferedPart } from '../context/offered-part.ts';
import type { SemanticStatus } from '../context/resolve-result.ts';
import { createPause } from '../pace/turns.ts';
import { noModel } from '../ports/embedding-model.ts';
import type { Logger } from '../ports/ports.ts';
import type { Reason } from '../warnings.ts';
import { background } from './background.ts';
import { chunkItem } from './chunk.ts';
import { fuseMatches, type Meanings, selectionByMeaning } from './fuse.ts';
import { createKeywordIndex } from './keyword-index.ts';
import type { KeywordScore } from './keyword-scores.ts';
import { offerItem } from './offer.ts';
import {
  bestScore,
  isBestByFar,
  type Rejection,
  rankMatches,
  rejectMatches,
  type Selection,
  scoreThreshold,
  selectionOf,
} from './rank.ts';
import type { SearchItem } from './search-item.ts';
import type { SearchMode, SearchOptions } from './search-options.ts';

/** A chunk of an item: `item` is an index into the searched items, `chunk` an index into `chunkItem`. */
export type ChunkMatch = { item: number; chunk: number; score: number };

/** `score`: the cosine similarity. `first`: that of the first chunk of the item, whatever it is. */
export type MeaningMatch = ChunkMatch & { first: number };

/**
 * Search by meaning. Returns the best chunk of each item, in the order of the items.
 * `detail` says in a sentence what prevented it; only an unexpected error rejects. Without items it only says whether
 * search is possible, and starts nothing. It waits at most `waitMs` for missing vectors.
 */
export type SemanticIndex = {
  match(query: string, items: readonly SearchItem[], options?: { waitMs?: number }): Promise<SemanticMatches>;
};
export type SemanticMatches = { ok: true; matches: MeaningMatch[] } | { ok: false; detail: string };

type FoundMeanings = ({ ok: true } & Meanings) | { ok: false; detail: string };

/**
 * `chunk`: the best one of the item. `engine`: the engine of `score`, which is between 0 and 1. `part`: the part to
 * deliver, if not all.
 */
export type SearchResult = {
  item: SearchItem;
  score: number;
  engine: SearchMode;
  chunk: { index: number; text: string };
  part?: OfferedPart | undefined;
};

/** An item that was not selected. `reason.code` is a `Rejection`. */
export type RejectedResult = SearchResult & { reason: Reason };

/** `semantic`: the engine, or why search was not possible. `rejected`: present if it was requested. */
export type SearchAnswer = { results: SearchResult[]; rejected?: RejectedResult[]; semantic: SemanticStatus };

/**
 * `rejected`: max number of items to return that were not selected, best first. `isWhole`: if parts are chosen, the
 * items that are delivered whole, however long they are.
 */
type AskedOptions = SearchOptions & {
  rejected?: number | undefined;
  isWhole?: ((item: SearchItem) => boolean) | undefined;
};

export type Search = Readonly<{
  /** The relevant items, best first. Never rejects because one way of searching is not available (RQ-02). */
  search(query: string, items: readonly SearchItem[], options?: AskedOptions): Promise<SearchAnswer>;
}>;

/** Without a `semanticIndex`, only words are compared. */
export function createSearch(parts: { semanticIndex?: SemanticIndex; logger?: Logger } = {}): Search {
  const { semanticIndex, logger } = parts;
  const keywordIndex = createKeywordIndex();

  const matchMeanings = async (query: string, items: readonly SearchItem[]): Promise<FoundMeanings> => {
    if (semanticIndex === undefined) return { ok: false, detail: noModel };
    try {
      const found = await semanticIndex.match(query, items.length === 0 ? items : [...items, ...background]);
      if (!found.ok) return found;
      const matches = found.matches.filter(({ item }) => item < items.length);
      return { ok: true, matches, firsts: found.matches.map(({ first }) => first) };
    } catch (error) {
      logger?.error({ err: error }, 'search by meaning failed');
      return { ok: false, detail: 'Search by meaning failed unexpectedly.' };
    }
  };

  const answer = async (query: string, items: readonly SearchItem[], options: AskedOptions): Promise<SearchAnswer> => {
    const mode = options.mode ?? 'hybrid';
    const show = (engine: SearchMode, matches: readonly ChunkMatch[], selection = selectionOf(options)) =>
      showMatches({ query, items, options, engine, matches, selection });
    const [words, meanings] = await Promise.all([
      mode === 'semantic' ? [] : keywordIndex.score(query, items),
      mode === 'keyword' ? undefined : matchMeanings(query, items),
    ]);
    if (meanings?.ok) {
      const shown =
        mode === 'semantic'
          ? await show(mode, meanings.matches, selectionByMeaning(options, meanings))
          : await show(mode, fuseMatches(words, meanings));
      return { ...shown, semantic: { status: 'ready', engine: mode } };
    }
    const scores = mode === 'semantic' ? await keywordIndex.score(query, items) : words;
    return {
      ...(await show('keyword', wordMatches(scores))),
      semantic: meanings ? byWordsInstead(meanings.detail) : { status: 'ready', engine: 'keyword' },
    };
  };

  return {
    async search(query, items, options = {}) {
      try {
        return await answer(query, items, options);
      } catch (error) {
        logger?.error({ err: error }, 'search failed');
        const detail = 'Search failed unexpectedly; nothing was selected.';
        return { results: [], semantic: { status: 'unavailable', engine: 'none', detail } };
      }
    },
  };
}

type Shown = {
  query: string;
  items: readonly SearchItem[];
  options: AskedOptions;
  engine: SearchMode;
  matches: readonly ChunkMatch[];
  selection: Selection;
};

async function showMatches(shownOf: Shown): Promise<Omit<SearchAnswer, 'semantic'>> {
  const { query, items, options, engine, matches, selection } = shownOf;
  const selected = rankMatches(matches, selection);
  const shown = selected.map((match) => showMatch(match, items, engine));
  const best = isBestByFar(matches, selection) ? shown[0] : undefined;
  const results = await offerParts(query, shown, ({ item }) => item === best?.item || options.isWhole?.(item));
  if (!options.rejected) return { results };
  const isSimilarity = engine === 'semantic' && options.minScore === undefined;
  const words = isSimilarity ? ', where similarities stand out' : ' (minScore)';
  const least = { ...selection, best: bestScore(matches), words };
  const rejected = rejectMatches(matches, selected, selection)
    .slice(0, options.rejected)
    .map(({ match, rejection }): RejectedResult => {
      const reason: Reason = { code: rejection, detail: wordsOfRejection(rejection, match.score, least) };
      return { ...showMatch(match, items, engine), reason };
    });
  return { results, rejected };
}

async function offerParts(
  query: string,
  results: readonly SearchResult[],
  isWhole: (result: SearchResult) => boolean | undefined,
): Promise<SearchResult[]> {
  const pause = createPause();
  const offered: SearchResult[] = [];
  for (const result of results) {
    // If `isWhole` returns undefined, no parts are chosen, and the item is whole.
    if (isWhole(result) ?? true) offered.push(result);
    else offered.push({ ...result, part: offerItem(query, result.item) });
    const turn = pause();
    if (turn) await turn;
  }
  return offered;
}

function byWordsInstead(reason: string): SemanticStatus {
  return { status: 'degraded', engine: 'keyword', detail: `${reason} Only words were compared.` };
}

/** Which number the item missed, and by how much. `words`: what `minScore` is. */
function wordsOfRejection(
  rejection: Rejection,
  score: number,
  selection: Selection & { best: number; words: string },
): string {
  const { topK, topN, includeScore, minScore, enough, best, words } = selection;
  const below = (threshold: number): string =>
    `the score, ${twoDigits(score)}, is ${twoDigits(threshold - score)} below ${twoDigits(threshold)}`;
  if (rejection === 'beyond_top_k') return `only the best ${topK} are considered (topK)`;
  if (rejection === 'beyond_top_n')
    return `the best ${topN} are selected (topN), and ${below(includeScore)} (includeScore)`;
  const least = scoreThreshold(best, selection);
  if (least === enough) return `${below(enough)} (includeScore)`;
  if (minScore > 1) return 'no similarity can stand out, because all are alike or too different';
  if (least <= minScore) return `${below(minScore)}${words}`;
  return `${below(least)}, which is ${100 * selection.minOfBest} % of the evidence for the best one (${twoDigits(best)})`;
}

/** Never shows a difference as 0. */
function twoDigits(number: number): string {
  return number > 0 && number < 0.005 ? 'less than 0.01' : String(Number(number.toFixed(2)));
}

function wordMatches(scores: readonly KeywordScore[]): ChunkMatch[] {
  const matches: ChunkMatch[] = [];
  for (const [item, { score, passage }] of scores.entries())
    if (score > 0) matches.push({ item, chunk: passage, score });
  return matches;
}

function showMatch(match: ChunkMatch, items: readonly SearchItem[], engine: SearchMode): SearchResult {
  const item = items[match.item] as SearchItem;
  const text = chunkItem(item)[match.chunk] ?? '';
  return { item, score: Math.max(0, Math.min(1, match.score)), engine, chunk: { index: match.chunk, text } };
}
