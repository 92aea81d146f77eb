import type { ChunkMatch, SemanticMatches } from '../../src/search/search.ts';

/** Of a search by meaning. Throws what prevented it. */
export function nearest(found: SemanticMatches): ChunkMatch | undefined {
  if (!found.ok) throw new Error(found.detail);
  return found.matches.toSorted((a, b) => b.score - a.score)[0];
}
