/** Search over items by meaning, by words, or both (SS-05 … SS-07, RQ-02). */
import type { OfferedPart } from '../context/offered-part.ts';
import type { SemanticStatus } from '../context/resolve-result.ts';
import { createPause } from '../pace/turns.ts';
import { noModel } from '../ports/embedding-model.ts';
import type { Logger } from '../ports/ports.ts';
import type { Reason } from '../warnings.ts';
import { chunkItem } from './chunk.ts';
import { fuseMatches } from './fuse.ts';
import { createKeywordIndex } from './keyword-index.ts';
import type { KeywordScore } from './keyword-scores.ts';
import { offerItem } from './offer.ts';
import {
  bestScore,
  isBestByFar,
  placesPerItem,
  type Rejection,
  rankMatches,
  rejectMatches,
  type Selection,
  scoreThreshold,
  selectionOf,
} from './rank.ts';
import type { SearchItem } from './search-item.ts';
import type { SearchMode, SearchOptions } from './search-options.ts';

/** A chunk: `item` is an index into the searched items, `chunk` an index into `chunkItem`. */
export type ChunkMatch = { item: number; chunk: number; score: number };

/**
 * Search by meaning. `score` is the cosine similarity. Returns the best `topK` chunks, best first, at most `perItem` of
 * one item. `detail` says in a sentence what prevented it; only an unexpected error rejects. Without items it only says
 * whether search is possible, and starts nothing. It waits at most `waitMs` for missing vectors.
 */
export type SemanticIndex = {
  match(
    query: string,
    items: readonly SearchItem[],
    options: { topK: number; perItem?: number; waitMs?: number },
  ): Promise<SemanticMatches>;
};
export type SemanticMatches = { ok: true; matches: ChunkMatch[] } | { ok: false; detail: string };

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

  const matchMeanings = async (
    query: string,
    items: readonly SearchItem[],
    selection: Selection,
  ): Promise<SemanticMatches> => {
    if (semanticIndex === undefined) return { ok: false, detail: noModel };
    try {
      return await semanticIndex.match(query, items, { ...selection, perItem: placesPerItem(selection) });
    } catch (error) {
      logger?.error({ err: error }, 'search by meaning failed');
      return { ok: false, detail: 'Search by meaning failed unexpectedly.' };
    }
  };

  const answer = async (query: string, items: readonly SearchItem[], options: AskedOptions): Promise<SearchAnswer> => {
    const mode = options.mode ?? 'hybrid';
    const maxRejected = options.rejected ?? 0;
    /** `all`: a match of every item that could be rejected. */
    const show = async (engine: SearchMode, matches: readonly ChunkMatch[], all = matches) => {
      const selection = selectionOf(options, engine);
      const selected = rankMatches(matches, selection);
      const shown = selected.map((match) => showMatch(match, items, engine));
      const best = isBestByFar(all, selection) ? shown[0] : undefined;
      const results = await offerParts(query, shown, ({ item }) => item === best?.item || options.isWhole?.(item));
      if (maxRejected === 0) return { results };
      const rejected = rejectMatches(all, selected, selection).slice(0, maxRejected);
      const least = { ...selection, best: bestScore(all) };
      return {
        results,
        rejected: rejected.map(({ match, rejection }): RejectedResult => {
          const reason: Reason = { code: rejection, detail: wordsOfRejection(rejection, match.score, least) };
          return { ...showMatch(match, items, engine), reason };
        }),
      };
    };
    // These numbers select everything, because an item stands out only in comparison with all others.
    const everything = { topK: items.length, topN: items.length, includeScore: 0, minScore: 0, minOfBest: 0 };
    if (mode === 'semantic') {
      const meanings = await matchMeanings(query, items, selectionOf(options, mode));
      if (meanings.ok) {
        const all = maxRejected === 0 ? meanings : await matchMeanings(query, items, everything);
        return {
          ...(await show(mode, meanings.matches, all.ok ? all.matches : meanings.matches)),
          semantic: { status: 'ready', engine: mode },
        };
      }
      const shown = await show('keyword', wordMatches(await keywordIndex.score(query, items)));
      return { ...shown, semantic: byWordsInstead(meanings.detail) };
    }
    const [words, meanings] = await Promise.all([
      keywordIndex.score(query, items),
      mode === 'hybrid' ? matchMeanings(query, items, everything) : undefined,
    ]);
    if (meanings?.ok)
      return {
        ...(await show(mode, fuseMatches(words, meanings.matches))),
        semantic: { status: 'ready', engine: mode },
      };
    const shown = await show('keyword', wordMatches(words));
    if (meanings === undefined) return { ...shown, semantic: { status: 'ready', engine: 'keyword' } };
    return { ...shown, semantic: byWordsInstead(meanings.detail) };
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
    const waiting = pause();
    if (waiting) await waiting;
  }
  return offered;
}

function byWordsInstead(reason: string): SemanticStatus {
  return { status: 'degraded', engine: 'keyword', detail: `${reason} Only words were compared.` };
}

/** Which number the item missed, and by how much. */
function wordsOfRejection(rejection: Rejection, score: number, selection: Selection & { best: number }): string {
  const { topK, topN, includeScore, minScore, best } = selection;
  const below = (threshold: number): string =>
    `the score, ${twoDigits(score)}, is ${twoDigits(threshold - score)} below ${twoDigits(threshold)}`;
  if (rejection === 'beyond_top_k') return `the best ${topK} chunks are of other items (topK)`;
  if (rejection === 'beyond_top_n')
    return `the best ${topN} are selected (topN), and ${below(includeScore)} (includeScore)`;
  const least = scoreThreshold(best, selection);
  if (least <= minScore) return `${below(minScore)} (minScore)`;
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
