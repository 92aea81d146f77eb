// Long because counting and scoring read and write the same packed lists.
/**
 * Relevance by words: BM25 over weighted fields, for anything that has a name, a description and passages (SS-07).
 * What a document says is counted once; a question then costs a look-up per term and document.
 */
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
  passageLengths: Uint16Array;
  weight: number;
}>;

/** `offsets` says where in `postings` a term begins. */
export type IndexedDocument = CountedDocument & { readonly offsets: ReadonlyMap<string, number> };

/** `score` lies in 0…1: the part of what the question asks for that is there. `passage` is the best one. */
export type KeywordScore = { score: number; passage: number };

type KeywordTuning = Readonly<{
  nameWeight: number;
  descriptionWeight: number;
  bodyWeight: number;
  /** Of passages that fit, how much the whole document counts: 0 only the passage, 1 only the document. */
  wholeShare: number;
  saturation: number;
  lengthEffect: number;
  /** Documents in which a term is imagined to be missing, so that among few documents each word still tells something. */
  imaginedDocuments: number;
  /** Of the words of a question that no document has, at most so many count as missing: a message is not only a question. */
  unknownTerms: number;
}>;

/** Chosen with `npm run bench:relevance`. */
export const keywordTuning: KeywordTuning = {
  nameWeight: 3,
  descriptionWeight: 2,
  bodyWeight: 1,
  wholeShare: 0.5,
  saturation: 1.2,
  lengthEffect: 0.6,
  imaginedDocuments: 20,
  unknownTerms: 3,
};

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
  return { offsets, postings, nameLength, descriptionLength, bodyLength, passageLengths, weight };
}

/** The terms of a question, each once; of a very long one those at its beginning and its end. */
export function queryTerms(query: string): string[] {
  const half = limits.queryCharacters / 2;
  const text = query.length <= limits.queryCharacters ? query : `${query.slice(0, half)} ${query.slice(-half)}`;
  const terms = [...new Set(termsOf(text))];
  if (terms.length <= limits.queryTerms) return terms;
  return [...terms.slice(0, limits.queryTerms / 2), ...terms.slice(-limits.queryTerms / 2)];
}

/**
 * The score of each document, in their order. All terms together weigh 1, a few of those that no document has included, so
 * that a score means about the same whatever was asked, and however much is said besides.
 */
export function scoreDocuments(
  query: string,
  documents: readonly IndexedDocument[],
  tuning: KeywordTuning = keywordTuning,
  corpus?: Corpus,
): KeywordScore[] {
  const terms = queryTerms(query);
  const places = new Int32Array(terms.length * documents.length);
  let at = 0;
  for (const { offsets } of documents) for (const term of terms) places[at++] = offsets.get(term) ?? -1;
  return scorePlaces(places, documents, tuning, corpus);
}

/** What the documents were chosen from: how many there are, and how many of them have each term of the question. */
export type Corpus = { documents: number; having: readonly number[] };

/** As `scoreDocuments`; `places` holds for each document where each term of the question begins, or -1. */
export function scorePlaces(
  places: Int32Array,
  documents: readonly CountedDocument[],
  tuning: KeywordTuning = keywordTuning,
  corpus?: Corpus,
): KeywordScore[] {
  const terms = documents.length === 0 ? 0 : places.length / documents.length;
  const having = new Uint32Array(terms);
  for (let at = 0; at < places.length; at += 1)
    if ((places[at] as number) >= 0) having[at % terms] = (having[at % terms] as number) + 1;
  const total = (corpus?.documents ?? documents.length) + tuning.imaginedDocuments;
  const weights = Float64Array.from(corpus?.having ?? having, (count) =>
    Math.log(1 + (total - count + 0.5) / (count + 0.5)),
  );
  let unknown = 0;
  let ideal = 0;
  for (const [term, weight] of weights.entries()) {
    if (having[term] === 0) unknown += 1;
    if (having[term] !== 0 || unknown <= tuning.unknownTerms) ideal += weight;
  }
  const averages = averageLengths(documents);
  const scoring: Scoring = {
    ...{ places, weights: weights.map((weight) => (ideal === 0 ? 0 : weight / ideal)), tuning, averages },
    gains: new Float64Array(Math.max(1, averages.mostPassages)),
  };
  return documents.map((document, index) => scoreDocument(document, index * terms, scoring));
}

/** `gains` is zero between documents. */
type Scoring = {
  places: Int32Array;
  weights: Float64Array;
  gains: Float64Array;
  averages: Averages;
  tuning: KeywordTuning;
};

const nothing: KeywordScore = { score: 0, passage: 0 };

function scoreDocument(document: CountedDocument, start: number, scoring: Scoring): KeywordScore {
  const { places, weights, gains, averages, tuning } = scoring;
  const { postings, passageLengths } = document;
  const { lengthEffect, saturation } = tuning;
  const nameFactor = tuning.nameWeight / relativeLength(document.nameLength, averages.name, lengthEffect);
  const descriptionFactor =
    tuning.descriptionWeight / relativeLength(document.descriptionLength, averages.description, lengthEffect);
  const bodyFactor = tuning.bodyWeight / relativeLength(document.bodyLength, averages.body, lengthEffect);
  let base = 0;
  let whole = 0;
  for (let term = 0; term < weights.length; term += 1) {
    const place = places[start + term] as number;
    if (place < 0) continue;
    const weight = weights[term] as number;
    const above = nameFactor * (postings[place] as number) + descriptionFactor * (postings[place + 1] as number);
    const saturated = (weight * above) / (above + saturation);
    base += saturated;
    let inBody = 0;
    const end = place + 3 + 2 * (postings[place + 2] as number);
    for (let at = place + 3; at < end; at += 2) {
      const passage = postings[at] as number;
      const times = postings[at + 1] as number;
      inBody += times;
      const length = relativeLength(passageLengths[passage] as number, averages.passage, lengthEffect);
      const here = above + (tuning.bodyWeight * times) / length;
      gains[passage] = (gains[passage] as number) + (weight * here) / (here + saturation) - saturated;
    }
    const everywhere = above + bodyFactor * inBody;
    whole += (weight * everywhere) / (everywhere + saturation);
  }
  if (whole === 0) return nothing;
  let passage = 0;
  for (let at = 1; at < passageLengths.length; at += 1)
    if ((gains[at] as number) > (gains[passage] as number)) passage = at;
  const local = base + (gains[passage] as number);
  gains.fill(0, 0, passageLengths.length);
  return { score: Math.min(1, tuning.wholeShare * whole + (1 - tuning.wholeShare) * local), passage };
}

/** So many terms more in every field: one word or three make no difference in a name. */
const extraLength = 3;

/** 1 for a field of average length; above it for a longer one, in which a word tells less. */
function relativeLength(length: number, average: number, effect: number): number {
  return 1 - effect + (effect * (length + extraLength)) / (average + extraLength);
}

type Averages = { name: number; description: number; body: number; passage: number; mostPassages: number };

function averageLengths(documents: readonly CountedDocument[]): Averages {
  let name = 0;
  let description = 0;
  let body = 0;
  let passages = 0;
  let mostPassages = 0;
  for (const document of documents) {
    name += document.nameLength;
    description += document.descriptionLength;
    body += document.bodyLength;
    passages += document.passageLengths.length;
    mostPassages = Math.max(mostPassages, document.passageLengths.length);
  }
  const count = Math.max(1, documents.length);
  return {
    name: name / count,
    description: description / count,
    body: body / count,
    passage: body / Math.max(1, passages),
    mostPassages,
  };
}
