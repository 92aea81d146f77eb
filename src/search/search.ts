/** Search over items by meaning, by words, or both (management document, "Search Implementation"; SS-05 … SS-07, RQ-02). */
import type { SemanticStatus } from '../context/resolve-result.ts';
import type { SearchItem } from './search-item.ts';
import type { SearchMode, SearchOptions } from './search-options.ts';

/** The place of a chunk: `item` is an index into the items that were asked about, `chunk` one into `chunkItem`. */
export type ChunkMatch = { item: number; chunk: number; score: number };

/**
 * Search by meaning. `score` is the cosine similarity. The best `topK` chunks, best first, and of one item no more than
 * `perItem`. It never rejects: what prevents it is said in `detail`, for people, as a whole sentence.
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

/** Without a `semanticIndex` words alone are compared. */
export function createSearch(_parts: { semanticIndex?: SemanticIndex } = {}): Search {
  return {
    async search() {
      const detail = 'Nothing can be searched yet.';
      return { results: [], semantic: { status: 'unavailable', engine: 'none', detail } };
    },
  };
}
