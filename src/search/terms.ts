/** The terms of a text: words without case and English endings, identifiers whole and in parts (SS-07). */
import { stemmer } from 'stemmer';

/** A longer run of letters is no word; its beginning stands for it. */
const maxTermLength = 40;

/** The patterns are this module's own, and each is linear: what may follow a run never belongs to it. */
const compounds = /[\p{L}\p{M}\p{N}]+(?:[-_./][\p{L}\p{M}\p{N}]+)*/gu;
const apostrophes = /(?<=\p{L})['’](?=\p{L})/gu;
const parts =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]+|\p{N}+|\p{Lu}+(?!\p{Ll})|\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{Lt}\p{M}]+|\p{Lu}/gu;
const unspaced = /^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u;
const plainWord = /^[A-Za-z]?[a-z]*$/u;

/** Words that a question is full of whatever it is about. */
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
export function termsOf(text: string, identifiers: { from: number; whole: number }[] = []): string[] {
  const terms: string[] = [];
  const folded = text.normalize('NFKC').replaceAll(apostrophes, '');
  for (const [compound] of folded.matchAll(compounds)) {
    if (plainWord.test(compound)) {
      addWord(compound, terms);
      continue;
    }
    const before = terms.length;
    let count = 0;
    for (const [part] of compound.matchAll(parts)) {
      count += 1;
      if (unspaced.test(part)) addPairs(part, terms);
      else addWord(part, terms);
    }
    if (count === 1 || terms.length === before) continue;
    const whole = terms.length;
    addWord(compound.replaceAll(/[-_./]/gu, ''), terms);
    if (terms.length > whole) identifiers.push({ from: before, whole });
  }
  return terms;
}

function addWord(word: string, terms: string[]): void {
  const lower = word.length > maxTermLength ? wellFormed(word).toLowerCase() : word.toLowerCase();
  if (!stopWords.has(lower)) terms.push(stemOf(lower));
}

function wellFormed(word: string): string {
  return word.slice(0, maxTermLength).toWellFormed();
}

function addPairs(run: string, terms: string[]): void {
  const characters = [...run];
  if (characters.length === 1) terms.push(run);
  for (let at = 1; at < characters.length; at += 1) terms.push(`${characters[at - 1]}${characters[at]}`);
}

/** Stems are asked for far more often than there are words. */
const stems = new Map<string, string>();
const maxStems = 50_000;

function stemOf(word: string): string {
  if (!/^[a-z]{3,}$/u.test(word)) return word;
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (stems.size >= maxStems) stems.clear();
  const stem = stemmer(word);
  stems.set(word, stem);
  return stem;
}
