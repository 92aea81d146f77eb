/** The words of a question (SS-07). */
import { fixedLimits } from '../settings.ts';
import { termsOf } from './terms.ts';

const limits = fixedLimits.search;

/**
 * The terms, each once. Of a very long question, those at its beginning and its end. `wholes`: for each term, the place
 * of the identifier that it is a part of, or its own place.
 */
export type Question = Readonly<{ terms: readonly string[]; wholes: readonly number[] }>;

export function readQuestion(query: string): Question {
  const half = limits.queryCharacters / 2;
  const text = query.length <= limits.queryCharacters ? query : `${query.slice(0, half)} ${query.slice(-half)}`;
  const identifiers: { from: number; whole: number }[] = [];
  const all = termsOf(text, identifiers);
  const wholeAt = all.map((term) => term);
  for (const { from, whole } of identifiers) wholeAt.fill(all[whole] as string, from, whole);
  const wholeOf = new Map<string, string>();
  // What also stands alone is asked for by itself.
  for (const [at, term] of all.entries()) if (wholeOf.get(term) !== term) wholeOf.set(term, wholeAt[at] as string);
  const terms = bothEnds([...wholeOf.keys()]);
  const places = new Map(terms.map((term, place) => [term, place]));
  return { terms, wholes: terms.map((term, place) => places.get(wholeOf.get(term) as string) ?? place) };
}

export function queryTerms(query: string): readonly string[] {
  return readQuestion(query).terms;
}

function bothEnds(terms: readonly string[]): readonly string[] {
  if (terms.length <= limits.queryTerms) return terms;
  return [...terms.slice(0, limits.queryTerms / 2), ...terms.slice(-limits.queryTerms / 2)];
}
