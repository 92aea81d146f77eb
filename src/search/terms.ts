/** The terms of a text: words without case and English endings, identifiers whole and in parts (SS-07). */
import { stemmer } from 'stemmer';
import { createKnownCompounds } from './compounds.ts';

/** A longer run of letters is not a word. Only its beginning counts. */
const maxTermLength = 40;

const compounds = /[\p{L}\p{M}\p{N}]+(?:[-_./][\p{L}\p{M}\p{N}]+)*/gu;
const apostrophes = /(?<=\p{L})['’](?=\p{L})/gu;
const parts = /\p{N}+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}/gu;
/** The same as `parts` for a compound in ASCII. Takes a third of the time. */
const asciiParts = /[0-9]+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]/gu;
const ascii = /^[\0-\x7f]*$/u;
/**
 * Splits a text into other text and runs of the scripts that have no spaces between words: every second piece is a run.
 */
export const unspacedRun = /([\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]+)/u;

/** Words that are in most questions, whatever they are about. */
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
 * parts and then itself. Text without spaces between words gives its pairs of characters. Adds to `identifiers`, for
 * each identifier, the index of its first part (`from`) and of the identifier itself (`whole`).
 */
export function termsOf(text: string, identifiers?: { from: number; whole: number }[]): string[] {
  const terms: string[] = [];
  for (const [compound] of foldCharacters(text).matchAll(compounds))
    for (const given of readCompound(compound)) {
      for (const term of given.terms) terms.push(term);
      if (given.isIdentifier) identifiers?.push({ from: terms.length - given.terms.length, whole: terms.length - 1 });
    }
  return terms;
}

/** The hashes of the same terms, in a fraction of the time. The next call overwrites them. */
export function hashesOf(text: string): Float64Array {
  return hashesOfCompounds(foldCharacters(text));
}

const hashesOfCompounds = createKnownCompounds((compound) =>
  readCompound(compound).flatMap(({ terms }) => terms.map(hashOfTerm)),
);

function foldCharacters(text: string): string {
  return text.normalize('NFKC').replaceAll(apostrophes, '');
}

/**
 * A 53-bit hash of a term, so that documents do not keep words. Among a million different words, two have the same hash
 * with a probability of 1 to 18,000.
 */
export function hashOfTerm(term: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let at = 0; at < term.length; at += 1) {
    const code = term.charCodeAt(at);
    low = Math.imul(low ^ code, 0x9e3779b1);
    high = Math.imul(high ^ code, 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

/** `isIdentifier`: the last term is the whole identifier, and the others are its parts. */
type Given = Readonly<{ terms: readonly string[]; isIdentifier: boolean }>;

function readCompound(compound: string): Given[] {
  if (ascii.test(compound)) return [readSpaced(compound, asciiParts)];
  // In text without spaces, a word in other letters does not form an identifier with its neighbours: `如何连接PLC`.
  return compound
    .split(unspacedRun)
    .map((piece, at) => (at % 2 === 0 ? readSpaced(piece, parts) : { terms: pairsOf(piece), isIdentifier: false }));
}

function readSpaced(compound: string, partsOf: RegExp): Given {
  const terms: string[] = [];
  const found = compound.match(partsOf) ?? [];
  for (const part of found) addWord(part, terms);
  if (found.length === 1 || terms.length === 0) return { terms, isIdentifier: false };
  // Everything except the signs between the parts.
  const whole = termOf(found.join(''));
  if (whole !== '') terms.push(whole);
  return { terms, isIdentifier: whole !== '' };
}

/**
 * The terms of words. Words in identifiers are mostly words of the text too. Whole identifiers rarely repeat, so they
 * are not kept.
 */
const knownTerms = new Map<string, string>();
const maxKnownTerms = 20_000;

function addWord(word: string, terms: string[]): void {
  let term = knownTerms.get(word);
  if (term === undefined) {
    term = termOf(word);
    if (knownTerms.size === maxKnownTerms) knownTerms.clear();
    if (word.length <= maxTermLength) knownTerms.set(copyOf(word), copyOf(term));
  }
  if (term !== '') terms.push(term);
}

/** Empty for a stop word. */
function termOf(word: string): string {
  const lower = word.slice(0, maxTermLength).toWellFormed().toLowerCase();
  if (stopWords.has(lower)) return '';
  return /^[a-z]{3,}$/u.test(lower) ? stemmer(lower) : lower;
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return [run];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

/** Copies a slice, because a slice keeps its whole text in memory. V8 copies short slices itself. */
function copyOf(part: string): string {
  return part.length < 13 ? part : Buffer.from(part).toString();
}
