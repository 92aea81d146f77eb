/** Search over items by meaning, by words, or both (management document, "Search Implementation"; SS-05 … SS-07, RQ-02). */
import type { SemanticStatus } from '../context/resolve-result.ts';
import type { Logger } from '../ports.ts';
import { chunkItem } from './chunk.ts';
import { fuseMatches } from './fuse.ts';
import { createKeywordIndex } from './keyword-index.ts';
import type { KeywordScore } from './keyword-scores.ts';
import { placesPerItem, rankMatches, type Selection, selectionOf } from './rank.ts';
import type { SearchItem } from './search-item.ts';
import type { SearchMode, SearchOptions } from './search-options.ts';

/** The place of a chunk: `item` is an index into the items that were asked about, `chunk` one into `chunkItem`. */
export type ChunkMatch = { item: number; chunk: number; score: number };

/**
 * Search by meaning. `score` is the cosine similarity. The best `topK` chunks, best first, and of one item no more than
 * `perItem`. It never rejects: what prevents it is said in `detail`, for people, as a whole sentence. Without items it
 * only says whether there could be an answer, and starts nothing.
 */
export type SemanticIndex = {
  match(
    query: string,
    items: readonly SearchItem[],
    options: { topK: number; perItem?: number },
  ): Promise<SemanticMatches>;
};
export type SemanticMatches = { ok: true; matches: ChunkMatch[] } | { ok: false; detail: string };

/** `chunk` is the best of the item; `engine` the one that made `score`, which lies in 0…1. */
export type SearchResult = {
  item: SearchItem;
  score: number;
  engine: SearchMode;
  chunk: { index: number; text: string };
};

/** `semantic` says what was searched with, and why not otherwise. */
export type SearchAnswer = { results: SearchResult[]; semantic: SemanticStatus };

export type Search = Readonly<{
  /** The relevant items, best first. Never rejects because one way of searching is not available (RQ-02). */
  search(query: string, items: readonly SearchItem[], options?: SearchOptions): Promise<SearchAnswer>;
}>;

const noModel = 'There is no model to compare meanings with.';

/** Without a `semanticIndex` words alone are compared. */
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

  const answer = async (query: string, items: readonly SearchItem[], options: SearchOptions): Promise<SearchAnswer> => {
    const mode = options.mode ?? 'hybrid';
    const show = (engine: SearchMode, matches: readonly ChunkMatch[]): SearchResult[] =>
      rankMatches(matches, selectionOf(options, engine)).map((match) => showMatch(match, items, engine));
    if (mode === 'semantic') {
      const meanings = await matchMeanings(query, items, selectionOf(options, mode));
      if (meanings.ok) return { results: show(mode, meanings.matches), semantic: { status: 'ready', engine: mode } };
      const results = show('keyword', wordMatches(await keywordIndex.score(query, items)));
      return { results, semantic: byWordsInstead(meanings.detail) };
    }
    // What stands out can only be told from all others.
    const everything = { topK: items.length, topN: items.length, includeScore: 0, minScore: 0 };
    const [words, meanings] = await Promise.all([
      keywordIndex.score(query, items),
      mode === 'hybrid' ? matchMeanings(query, items, everything) : undefined,
    ]);
    if (meanings?.ok)
      return { results: show(mode, fuseMatches(words, meanings.matches)), semantic: { status: 'ready', engine: mode } };
    const results = show('keyword', wordMatches(words));
    if (meanings === undefined) return { results, semantic: { status: 'ready', engine: 'keyword' } };
    return { results, semantic: byWordsInstead(meanings.detail) };
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

function byWordsInstead(reason: string): SemanticStatus {
  return { status: 'degraded', engine: 'keyword', detail: `${reason} Only words were compared.` };
}

function wordMatches(scores: readonly KeywordScore[]): ChunkMatch[] {
  return scores.flatMap(({ score, passage }, item) => (score > 0 ? [{ item, chunk: passage, score }] : []));
}

function showMatch(match: ChunkMatch, items: readonly SearchItem[], engine: SearchMode): SearchResult {
  const item = items[match.item] as SearchItem;
  const text = chunkItem(item)[match.chunk] ?? '';
  return { item, score: Math.max(0, Math.min(1, match.score)), engine, chunk: { index: match.chunk, text } };
}
