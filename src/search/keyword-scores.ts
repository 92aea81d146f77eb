/**
 * Relevance by words: BM25 over weighted fields, for documents with a name, a description and passages (SS-07). The
 * words of a document are counted once. Then a question costs one look-up per term and document.
 */
import { onceForEach } from '../pace/once-for-each.ts';
import { type CountedDocument, placeOf } from './keyword-document.ts';
import { queryTerms } from './question.ts';
import { weighTerms } from './term-weights.ts';
import { hashOfTerm } from './terms.ts';

/** `score` is between 0 and 1: the found part of what the question asks for. `passage` is the best one. */
export type KeywordScore = { score: number; passage: number };

/** The weights of words in a document. */
export type KeywordTuning = Readonly<{
  nameWeight: number;
  descriptionWeight: number;
  bodyWeight: number;
  /** The share of the whole document in the score. The best passage has the rest. */
  wholeShare: number;
  saturation: number;
  lengthEffect: number;
}>;

/** For parts of source files. */
const codeTuning: KeywordTuning = {
  nameWeight: 3,
  descriptionWeight: 2,
  bodyWeight: 1,
  wholeShare: 0.5,
  saturation: 1.2,
  lengthEffect: 0.6,
};

/** The whole set of documents: how many there are, and how many of them have each term of the question. */
export type Corpus = { documents: number; having: readonly number[] };

/** `inName`, `inDescription`: the weight of the terms in this field, as a share of all. */
type DocumentScore = KeywordScore & { inName: number; inDescription: number };

/** The score of each document, in their order. Terms of one identifier count like separate words. */
export function scoreDocuments(query: string, documents: readonly CountedDocument[], corpus?: Corpus): DocumentScore[] {
  const terms = queryTerms(query);
  const places = findPlaces(terms, documents);
  const { having, documents: count } = corpus ?? {
    having: countHaving(places, terms.length),
    documents: documents.length,
  };
  const { weights } = weighTerms([...terms.keys()], having, count);
  const weightIn = (field: number, index: number): number =>
    weights.reduce((sum, weight, term) => {
      const place = places[index * weights.length + term] as number;
      return place >= 0 && documents[index]?.postings[place + field] ? sum + weight : sum;
    }, 0);
  return scorePlaces(places, documents, { weights, tuning: codeTuning }).map((score, index) => {
    return { ...score, inName: weightIn(0, index), inDescription: weightIn(1, index) };
  });
}

/** For each document, the place of each term in its postings, or -1. */
export function findPlaces(terms: readonly string[], documents: readonly CountedDocument[]): Int32Array {
  const hashes = terms.map(hashOfTerm);
  const places = new Int32Array(terms.length * documents.length);
  let at = 0;
  for (const document of documents) for (const hash of hashes) places[at++] = placeOf(document, hash);
  return places;
}

/** Number of documents that have each term. `places`: as in `scorePlaces`. */
export function countHaving(places: Int32Array, terms: number): number[] {
  const having = Array.from({ length: terms }, () => 0);
  for (let at = 0; at < places.length; at += 1)
    if ((places[at] as number) >= 0) having[at % terms] = (having[at % terms] as number) + 1;
  return having;
}

/** The found part of the question in each document. `places`: for each document, the place of each term, or -1. */
export function scorePlaces(
  places: Int32Array,
  documents: readonly CountedDocument[],
  { weights, tuning }: { weights: Float64Array; tuning: KeywordTuning },
): KeywordScore[] {
  const averages = averageLengths(documents);
  const gains = new Float64Array(Math.max(1, averages.maxPassages));
  const scoring: Scoring = { places, weights, tuning, averages, gains };
  return documents.map((document, index) => scoreDocument(document, index * weights.length, scoring));
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
  let found = 0;
  while (found < weights.length && (places[start + found] as number) < 0) found += 1;
  // Most documents have none of the terms.
  if (found === weights.length) return nothing;
  const { postings, passageLengths } = document;
  const { lengthEffect, saturation } = tuning;
  const nameFactor = tuning.nameWeight / relativeLength(document.nameLength, averages.name, lengthEffect);
  const descriptionFactor =
    tuning.descriptionWeight / relativeLength(document.descriptionLength, averages.description, lengthEffect);
  const bodyFactor = tuning.bodyWeight / relativeLength(document.bodyLength, averages.body, lengthEffect);
  let base = 0;
  let whole = 0;
  for (let term = found; term < weights.length; term += 1) {
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

/** Added to the length of every field: in a name, one word or three make no difference. */
const extraLength = 3;

/** 1 for a field of average length, and more for a longer field, in which a word means less. */
function relativeLength(length: number, average: number, effect: number): number {
  return 1 - effect + (effect * (length + extraLength)) / (average + extraLength);
}

type Averages = { name: number; description: number; body: number; passage: number; maxPassages: number };

/** Kept by list, because the same documents are searched repeatedly. */
const averageLengths = onceForEach((documents: readonly CountedDocument[]): Averages => {
  let name = 0;
  let description = 0;
  let body = 0;
  let passages = 0;
  let maxPassages = 0;
  for (const document of documents) {
    name += document.nameLength;
    description += document.descriptionLength;
    body += document.bodyLength;
    passages += document.passageLengths.length;
    maxPassages = Math.max(maxPassages, document.passageLengths.length);
  }
  const count = Math.max(1, documents.length);
  return {
    name: name / count,
    description: description / count,
    body: body / count,
    passage: body / Math.max(1, passages),
    maxPassages,
  };
}, new WeakMap());
