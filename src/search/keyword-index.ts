/** Search over items by words (SS-07). The words of an item are counted once while it is unchanged. */
import { createPause, type Pause } from '../pace/turns.ts';
import { chunkItem, indexedText } from './chunk.ts';
import { type CountedDocument, indexDocument } from './keyword-document.ts';
import { countHaving, findPlaces, type KeywordScore, type KeywordTuning, scorePlaces } from './keyword-scores.ts';
import { addEntry, type Entry, forgetLeft, forgetOldest, isWorthALook, nothingKnown } from './known-items.ts';
import { readQuestion } from './question.ts';
import { nameOf, type SearchItem } from './search-item.ts';
import { weighTerms } from './term-weights.ts';

type KeywordIndex = {
  /** A score for each item, in their order; `passage` is the index of its best chunk. */
  score(query: string, items: readonly SearchItem[]): Promise<KeywordScore[]>;
  /** Items in memory, and about the memory they take. */
  size(): { items: number; bytes: number };
};

/** All values were chosen with `npm run bench:relevance`. */
const tuning: Omit<KeywordTuning, 'saturation'> = {
  nameWeight: 3,
  descriptionWeight: 2,
  bodyWeight: 1,
  wholeShare: 0.8,
  lengthEffect: 1,
};
/** Saturation, as a share of how often a document repeats a word. In long documents, one occurrence is chance. */
const saturation = 0.8;
/** A document that repeats its words more often, such as a long table, counts as if it repeated them this often. */
const maxRepetition = 8;
/** Of twenty questions that are about no item, one has this evidence by chance. */
const chance = 0.1;

/** In bytes, about. */
const maxIndexBytes = 256 * 1024 * 1024;
/** The items that were unused for the longest time are removed until this share of the bytes is left. */
const keptShare = 0.75;

export function createKeywordIndex(maxBytes: number = maxIndexBytes): KeywordIndex {
  const known = nothingKnown();
  const underWay = new Map<string, Promise<Entry>>();
  /** By list of items. Emptied when an entry is dropped. */
  let corpora = new WeakMap<readonly SearchItem[], Corpus>();
  const count = async (item: SearchItem, pause: Pause): Promise<Entry> => {
    const document = await indexDocument(documentOf(item), pause);
    const entry: Entry = { key: keyOf(item), name: nameOf(item), document, askedAtMs: performance.now() };
    addEntry(known, entry);
    return entry;
  };
  const countAll = async (items: readonly SearchItem[], pause: Pause): Promise<Corpus> => {
    const entries: Entry[] = [];
    for (const item of items) {
      const key = keyOf(item);
      const before = known.entries.get(key);
      if (before !== undefined) {
        entries.push(before);
        continue;
      }
      const counting = underWay.get(key) ?? count(item, pause);
      underWay.set(key, counting);
      entries.push(await counting.finally(() => underWay.delete(key)));
    }
    return corpusOf(entries);
  };
  return {
    async score(query, items) {
      const pause = createPause();
      // If another call drops entries meanwhile, it replaces `corpora`. Then this list goes into the old map.
      const lists = corpora;
      const corpus = lists.get(items) ?? (await countAll(items, pause));
      lists.set(items, corpus);
      const nowMs = performance.now();
      for (const entry of corpus.entries) entry.askedAtMs = nowMs;
      const before = known.entries.size;
      if (isWorthALook(known, nowMs)) forgetLeft(known, nowMs);
      if (known.bytes > maxBytes) forgetOldest(known, keptShare * maxBytes);
      if (known.entries.size < before) corpora = new WeakMap();
      return scoreCorpus(query, corpus, pause);
    },
    size: () => ({ items: known.entries.size, bytes: known.bytes }),
  };
}

/**
 * A list of items. Items with the same text are one document; `positions` has the index of the document of each entry.
 * `repetition`: mean number of times that a document repeats a word that it has.
 */
type Corpus = Readonly<{
  entries: readonly Entry[];
  documents: readonly CountedDocument[];
  positions: readonly number[];
  repetition: number;
}>;

function corpusOf(entries: readonly Entry[]): Corpus {
  const known = new Map<string, number>();
  const documents: CountedDocument[] = [];
  const positions = entries.map(({ key, document }) => {
    const position = known.get(key) ?? documents.push(document) - 1;
    known.set(key, position);
    return position;
  });
  const terms = documents.reduce((sum, document) => sum + document.terms.length, 0);
  const said = documents.reduce(
    (sum, { bodyLength, terms }) => sum + Math.min(bodyLength, maxRepetition * terms.length),
    0,
  );
  return { entries, documents, positions, repetition: said / Math.max(1, terms) || 1 };
}

/** From 0 to 1. Evidence that can come by chance gives 0.5. */
function probabilityOf(evidence: number): number {
  return evidence ** 2 / (evidence ** 2 + chance ** 2);
}

/** Documents between two pauses. They take some milliseconds. */
const documentsOfStep = 500;

async function scoreCorpus(
  query: string,
  { documents, positions, repetition }: Corpus,
  pause: Pause,
): Promise<KeywordScore[]> {
  const { terms: wanted, wholes } = readQuestion(query);
  const places = new Int32Array(wanted.length * documents.length);
  for (let at = 0; at < documents.length; at += documentsOfStep) {
    places.set(findPlaces(wanted, documents.slice(at, at + documentsOfStep)), at * wanted.length);
    await pause();
  }
  const { weights, evidence } = weighTerms(wholes, countHaving(places, wanted.length), documents.length);
  const scores = scorePlaces(places, documents, {
    weights,
    tuning: { ...tuning, saturation: saturation * repetition },
  });
  const probable = scores.map((scored) =>
    scored.score === 0 ? scored : { score: probabilityOf(scored.score * evidence), passage: scored.passage },
  );
  return positions.map((position) => probable[position] as KeywordScore);
}

/** The key of an item. The text of a tool is not indexed. */
function keyOf({ type, sha256 }: SearchItem): string {
  return type === 'tool' ? `tool ${sha256}` : sha256;
}

/**
 * The passages are the chunks, without the name and description at the beginning of the first one, which are separate
 * fields.
 */
function documentOf(item: SearchItem): { name: string; description: string; passages: string[] } {
  const title = indexedText({ ...item, text: '' });
  const passages = chunkItem(item);
  if (passages[0]?.startsWith(title)) passages[0] = passages[0].slice(title.length);
  return { name: `${item.serverName ?? ''} ${item.name}`, description: item.description, passages };
}
