/** What the words of one document count (SS-07): for anything that has a name, a description and passages. */
import type { Pause } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { termsOf } from './terms.ts';

const limits = fixedLimits.search;

/** What the terms of one document count. `weight` is about the bytes it takes, its terms included. */
export type CountedDocument = Readonly<{
  /** For each term: times in the name, in the description, number of passages, then passage and times. */
  postings: Uint16Array;
  nameLength: number;
  descriptionLength: number;
  bodyLength: number;
  /** How many different ones. */
  terms: number;
  passageLengths: Uint16Array;
  weight: number;
}>;

/** `offsets` says where in `postings` a term begins. */
export type IndexedDocument = CountedDocument & { readonly offsets: ReadonlyMap<string, number> };

/** Longer passages, such as files of one line, are counted in pieces; a word at which they are cut is two. */
const maxPieceLength = 16_384;

/** Counts terms passage by passage; `pause` is awaited between passages, and between the pieces of one. */
export async function indexDocument(
  document: { name: string; description: string; passages: readonly string[] },
  pause: Pause = () => undefined,
): Promise<IndexedDocument> {
  const counts = new Map<string, number[]>();
  const entryOf = (term: string): number[] | undefined => {
    const known = counts.get(term);
    if (known !== undefined || counts.size >= limits.documentTerms) return known;
    const entry = [0, 0];
    counts.set(term, entry);
    return entry;
  };
  const countField = (text: string, field: 0 | 1): number => {
    const terms = termsOf(text.slice(0, limits.fieldCharacters));
    for (const term of terms) {
      const entry = entryOf(term);
      if (entry) entry[field] = (entry[field] ?? 0) + 1;
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
        const entry = entryOf(term);
        if (entry === undefined) continue;
        if (entry.length > 2 && entry.at(-2) === passage) entry.push((entry.pop() ?? 0) + 1);
        else entry.push(passage, 1);
      }
      const waiting = pause();
      if (waiting) await waiting;
    }
    passageLengths[passage] = Math.min(length, 0xffff);
    bodyLength += length;
  }
  const offsets = new Map<string, number>();
  const flat: number[] = [];
  for (const [term, entry] of counts) {
    offsets.set(term, flat.length);
    flat.push(entry[0] ?? 0, entry[1] ?? 0, (entry.length - 2) / 2);
    for (let at = 2; at < entry.length; at += 1) flat.push(Math.min(entry[at] ?? 0, 0xffff));
  }
  const weight = 300 + counts.size * 60 + flat.length * 2;
  const postings = Uint16Array.from(flat);
  const lengths = { nameLength, descriptionLength, bodyLength, passageLengths };
  return { offsets, postings, terms: offsets.size, ...lengths, weight };
}
