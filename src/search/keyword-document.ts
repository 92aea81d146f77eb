/** Counts the words of one document (SS-07), which has a name, a description and passages. */
import type { Pause } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';
import { createTermCounter } from './term-counter.ts';

const limits = fixedLimits.search;

/** The counted terms of one document. `weight` is about its size in bytes. */
export type CountedDocument = Readonly<{
  /** The hashes of the terms, from `hashOfTerm`, in ascending order. */
  terms: Float64Array;
  /** Where in `postings` each term begins. */
  places: Uint32Array;
  /**
   * For each term: how often it is in the name, how often in the description, and the number of passages that have it.
   * Then for each of these passages: its number, and how often the term is in it.
   */
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
  const counter = spare ?? createTermCounter();
  spare = undefined;
  const nameLength = counter.countField(document.name.slice(0, limits.fieldCharacters), 'name');
  const descriptionLength = counter.countField(document.description.slice(0, limits.fieldCharacters), 'description');
  const passageLengths = new Uint16Array(document.passages.length);
  let bodyLength = 0;
  for (const [passage, text] of document.passages.entries()) {
    let length = 0;
    for (let at = 0; at === 0 || at < text.length; at += maxPieceLength) {
      const piece = text.length <= maxPieceLength ? text : text.slice(at, at + maxPieceLength);
      length += counter.countPassage(piece, passage);
      const turn = pause();
      if (turn) await turn;
    }
    passageLengths[passage] = Math.min(length, 0xffff);
    bodyLength += length;
  }
  const counted = counter.take();
  spare = counter;
  return { ...counted, nameLength, descriptionLength, bodyLength, passageLengths };
}

/** The counter of the last document. A second one is created only if two documents are counted at the same time. */
let spare: ReturnType<typeof createTermCounter> | undefined;

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
