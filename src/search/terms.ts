/** The terms of a text: words without case and English endings, identifiers whole and in parts (SS-07). */
import { stemmer } from 'stemmer';
import { copyOf, createKnownCompounds } from './compounds.ts';

/** A longer run of letters is not a word. Only its beginning counts. */
const maxTermLength = 40;

const apostrophes = /(?<=\p{L})['’](?=\p{L})/gu;
const parts =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]+|\p{N}+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}/gu;
/** The same for a compound in ASCII, in a third of the time. */
const asciiParts = /[0-9]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]/gu;
const ascii = /^[\0-\x7f]*$/u;
const unspaced = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;
const plainWord = /^[A-Za-z]?[a-z]*$/u;

/** Words that are frequent in all questions. */
const stopWords = new Set(
  `a about all also am an and any are arent as at be because been before being between both but by can cannot cant could did do
  does doesnt doing dont each either else etc for from get gets give given go got had has have having he help her here hers him
  his how i id if ill im in into is isnt it its ive just let lets like make me mine more most much must my need needs no nor not
  now of off on once one only or other our ours out over own please put same say see shall she should shouldnt so some such than
  thank thanks that thats the their theirs them then there these they thing things this those through to too under until up upon
  us use used using very want wants was way we well were what whats when where which while who whom whose why will with within
  without wont would yes yet you your yours`.split(/\s+/u),
);

/**
 * The terms in order, repeated as often as they occur. An identifier such as `maxRetryCount` or `retry-count` gives its
 * parts and itself; text without spaces between words gives its pairs of characters. `identifiers` is told where the
 * terms of each identifier begin, and at which one they end, which is itself.
 */
export function termsOf(text: string, identifiers?: { from: number; whole: number }[]): string[] {
  const terms: string[] = [];
  compounds.each(text.normalize('NFKC').replaceAll(apostrophes, ''), (given) => {
    for (const term of given.terms) terms.push(term);
    if (given.isIdentifier) identifiers?.push({ from: terms.length - given.terms.length, whole: terms.length - 1 });
  });
  return terms;
}

/** `isIdentifier`: the last term is all of it, the others are its parts. */
type Given = Readonly<{ terms: readonly string[]; isIdentifier: boolean }>;

/** Longer compounds, or compounds with more parts, rarely occur twice, and would take the memory of many. */
const longestKnown = 32;
const maxKnownTerms = 6;

const compounds = createKnownCompounds<Given>((compound) => {
  const given = readCompound(compound);
  if (compound.length > longestKnown || given.terms.length > maxKnownTerms) return { given, isKept: false };
  return { given: { ...given, terms: given.terms.map(copyOf) }, isKept: true };
});

function readCompound(compound: string): Given {
  const terms: string[] = [];
  if (plainWord.test(compound)) {
    addWord(compound, terms);
    return { terms, isIdentifier: false };
  }
  const found = compound.match(ascii.test(compound) ? asciiParts : parts) ?? [];
  for (const part of found) {
    if (plainWord.test(part)) terms.push(...compounds.of(part).terms);
    else if (unspaced.test(part)) addPairs(part, terms);
    else addWord(part, terms);
  }
  if (found.length === 1 || terms.length === 0) return { terms, isIdentifier: false };
  const before = terms.length;
  addWord(compound.replaceAll(/[-_./]/gu, ''), terms);
  return { terms, isIdentifier: terms.length > before };
}

function addWord(word: string, terms: string[]): void {
  const lower = word.length > maxTermLength ? wellFormed(word).toLowerCase() : word.toLowerCase();
  if (!stopWords.has(lower)) terms.push(/^[a-z]{3,}$/u.test(lower) ? stemmer(lower) : lower);
}

function wellFormed(word: string): string {
  return word.slice(0, maxTermLength).toWellFormed();
}

function addPairs(run: string, terms: string[]): void {
  const characters = [...run];
  if (characters.length === 1) terms.push(run);
  for (let at = 1; at < characters.length; at += 1) terms.push(`${characters[at - 1]}${characters[at]}`);
}
