/** The words of a question (SS-07). */
import { once } from '../pace/once-for-each.ts';
import { fixedLimits } from '../settings.ts';
import { termsOf, unspacedRun } from './terms.ts';

const limits = fixedLimits.search;

/** Created when it is needed, because it reads a dictionary, and most questions do not need it. */
const segmenter = once(() => new Intl.Segmenter('zh', { granularity: 'word' }));
/** Words that are in most questions, whatever they are about. */
const saysNothing = new Set(
  `如何 怎么 怎麼 怎样 怎樣 什么 什麼 为什么 為什麼 哪里 哪裡 哪儿 哪兒 哪个 哪個 哪些 是否 可以 我们 我們 这个 這個 那个 那個 请问 請問 どこ どう どの なぜ なに する して した ます です
  いる ある この その こと もの ください`.split(/\s+/u),
);
const ofGrammar = /^[\p{sc=Hira}的了在是和与或及把被将对从到于为有不也都就要会能可这那哪吗呢吧啊]$/u;

/**
 * `terms`: each term once. Of a very long question, only those at its beginning and its end. `wholes`: for each term,
 * the place in `terms` of the identifier that it is a part of, or its own place.
 */
export type Question = Readonly<{ terms: readonly string[]; wholes: readonly number[] }>;

export function readQuestion(query: string): Question {
  const half = limits.queryCharacters / 2;
  const text = query.length <= limits.queryCharacters ? query : `${query.slice(0, half)} ${query.slice(-half)}`;
  const identifiers: { from: number; whole: number }[] = [];
  const all = termsOf(separateWords(text), identifiers);
  const wholeAt = all.map((term) => term);
  for (const { from, whole } of identifiers) wholeAt.fill(all[whole] as string, from, whole);
  const wholeOf = new Map<string, string>();
  // A part of an identifier that is also a separate word counts as its own whole.
  for (const [at, term] of all.entries()) if (wholeOf.get(term) !== term) wholeOf.set(term, wholeAt[at] as string);
  const terms = bothEnds([...wholeOf.keys()]);
  const places = new Map(terms.map((term, place) => [term, place]));
  return { terms, wholes: terms.map((term, place) => places.get(wholeOf.get(term) as string) ?? place) };
}

/**
 * Separates the words of text without spaces. Otherwise two characters, of which one ends a word and the other begins
 * the next one, would be a term that hardly any text has. A single character belongs to the word before it.
 */
function separateWords(text: string): string {
  const pieces = text.normalize('NFKC').split(unspacedRun);
  return pieces.map((piece, at) => (at % 2 === 0 ? piece : ` ${wordsOf(piece).join(' ')} `)).join('');
}

function wordsOf(run: string): string[] {
  const kept: string[] = [];
  for (const { segment } of segmenter().segment(run)) {
    if (saysNothing.has(segment) || ofGrammar.test(segment)) kept.push('');
    else if ([...segment].length === 1) kept.push(`${kept.pop() ?? ''}${segment}`);
    else kept.push(segment);
  }
  return kept;
}

export function queryTerms(query: string): readonly string[] {
  return readQuestion(query).terms;
}

function bothEnds(terms: readonly string[]): readonly string[] {
  if (terms.length <= limits.queryTerms) return terms;
  return [...terms.slice(0, limits.queryTerms / 2), ...terms.slice(-limits.queryTerms / 2)];
}
