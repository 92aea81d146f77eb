/** Counts the words of one document (SS-07): of anything that has a name, a description and passages. */
import type { Pause } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { termsOf } from './terms.ts';

const limits = fixedLimits.search;

/** The counted terms of one document. `weight` is about its size in bytes. */
export type CountedDocument = Readonly<{
  /** As `hashOfTerm` gives them, ascending. */
  terms: Float64Array;
  /** Where in `postings` each term begins. */
  places: Uint32Array;
  /** For each term: times in the name, in the description, number of passages, then passage and times. */
  postings: Uint16Array;
  nameLength: number;
  descriptionLength: number;
  bodyLength: number;
  passageLengths: Uint16Array;
  weight: number;
}>;

/** Longer passages, such as files of one line, are counted in pieces. A word that is cut counts as two. */
const maxPieceLength = 16_384;

/** Counts terms passage by passage; `pause` is awaited between passages, and between the pieces of one. */
export async function indexDocument(
  document: { name: string; description: string; passages: readonly string[] },
  pause: Pause = () => undefined,
): Promise<CountedDocument> {
  const counts = new Map<string, number[]>();
  const countField = (text: string, field: 0 | 1): number => {
    const terms = termsOf(text.slice(0, limits.fieldCharacters));
    for (const term of terms) {
      const entry = counts.get(term);
      if (entry !== undefined) entry[field] = (entry[field] as number) + 1;
      else if (counts.size < limits.documentTerms) counts.set(term, field === 0 ? [1, 0] : [0, 1]);
    }
    return terms.length;
  };
  const nameLength = countField(document.name, 0);
  const descriptionLength = countField(document.description, 1);
  const passageLengths = new Uint16Array(document.passages.length);
  let bodyLength = 0;
  for (const [passage, text] of document.passages.entries()) {
    let length = 0;
    for (let at = 0; at === 0 || at < text.length; at += maxPieceLength) {
      const terms = termsOf(text.slice(at, at + maxPieceLength));
      length += terms.length;
      for (const term of terms) {
        const entry = counts.get(term);
        if (entry === undefined) {
          // Most have no more than this: an array that grows takes room for many.
          if (counts.size < limits.documentTerms) counts.set(term, [0, 0, passage, 1]);
          continue;
        }
        const last = entry.length - 1;
        if (last > 2 && entry[last - 1] === passage) entry[last] = (entry[last] as number) + 1;
        else entry.push(passage, 1);
      }
      const waiting = pause();
      if (waiting) await waiting;
    }
    passageLengths[passage] = Math.min(length, 0xffff);
    bodyLength += length;
  }
  return { ...flatten(counts), nameLength, descriptionLength, bodyLength, passageLengths };
}

function flatten(
  counts: ReadonlyMap<string, readonly number[]>,
): Pick<CountedDocument, 'terms' | 'places' | 'postings' | 'weight'> {
  const entries = new Map<number, readonly number[]>();
  let length = 0;
  for (const [term, entry] of counts) {
    entries.set(hashOfTerm(term), entry);
    length += entry.length + 1;
  }
  const terms = Float64Array.from(entries.keys()).sort();
  const places = new Uint32Array(terms.length);
  const postings = new Uint16Array(length);
  let end = 0;
  for (const [at, term] of terms.entries()) {
    const entry = entries.get(term) as readonly number[];
    places[at] = end;
    postings[end++] = Math.min(entry[0] as number, 0xffff);
    postings[end++] = Math.min(entry[1] as number, 0xffff);
    postings[end++] = entry.length / 2 - 1;
    for (let of = 2; of < entry.length; of += 1) postings[end++] = Math.min(entry[of] as number, 0xffff);
  }
  return { terms, places, postings, weight: 300 + 12 * terms.length + 2 * length };
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

/**
 * The place of a term in the postings of a document, or -1. Hashes are evenly spread, so the search starts at the
 * expected place and doubles its steps. It reads little memory for each of thousands of documents.
 */
export function placeOf({ terms, places }: CountedDocument, hash: number): number {
  let first = 0;
  let end = terms.length;
  const near = Math.floor((hash / 2 ** 53) * end);
  if ((terms[near] as number) < hash) {
    first = near + 1;
    for (let step = 1; first + step < end; step *= 2) {
      if ((terms[first + step] as number) > hash) end = first + step;
      else first += step;
    }
  } else {
    end = near + 1;
    for (let step = 1; end - step > first; step *= 2) {
      if ((terms[end - step] as number) < hash) first = end - step;
      else end -= step - 1;
    }
  }
  while (first < end) {
    const middle = (first + end) >>> 1;
    if ((terms[middle] as number) < hash) first = middle + 1;
    else end = middle;
  }
  return terms[first] === hash ? (places[first] as number) : -1;
}
