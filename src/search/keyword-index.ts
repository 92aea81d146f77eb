/** Search over items by words (SS-07). What an item says is counted once for as long as it is unchanged. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunkItem, indexedText } from './chunk.ts';
import { type CountedDocument, indexDocument, type KeywordScore, queryTerms, scorePlaces } from './keyword-scores.ts';
import type { SearchItem } from './search-item.ts';

export type KeywordIndex = {
  /** A score for each item, in their order; `passage` is the index of its best chunk. */
  score(query: string, items: readonly SearchItem[]): Promise<KeywordScore[]>;
  /** Items in memory, and about the memory they take. */
  size(): { items: number; bytes: number };
};

/** In bytes, about. */
const maxIndexBytes = 128 * 1024 * 1024;
/** After so much more of the index, in bytes, it is looked at what of it is still asked about. */
const lookEveryBytes = 1024 * 1024;
/** What was asked about within this time is. */
const freshMs = 5 * 60_000;
/** How long counting may hold one turn of the event loop. */
const mostHeldMs = 8;

/** A document has a number, by which a term knows the documents that have it, and where in their postings it begins. */
type Known = {
  numbers: Map<string, number>;
  documents: CountedDocument[];
  terms: Map<string, { numbers: number[]; places: number[] }>;
  underWay: Map<string, Promise<void>>;
  bytes: number;
  /** For each document, on the clock of `performance.now()`. */
  askedAtMs: number[];
  /** Bytes when it was last looked at what is still asked about. */
  lookedAtBytes: number;
};

const nothingKnown = (): Known => ({
  numbers: new Map(),
  documents: [],
  terms: new Map(),
  underWay: new Map(),
  bytes: 0,
  askedAtMs: [],
  lookedAtBytes: 0,
});

export function createKeywordIndex(maxBytes: number = maxIndexBytes): KeywordIndex {
  let current = nothingKnown();
  return {
    async score(query, items) {
      const known = current;
      const keys = items.map(keyOf);
      const pause = createPause();
      for (const [at, key] of keys.entries())
        if (!known.numbers.has(key)) {
          const adding = known.underWay.get(key) ?? addDocument(known, items[at] as SearchItem, pause);
          known.underWay.set(key, adding);
          await adding.finally(() => known.underWay.delete(key));
        }
      const nowMs = performance.now();
      for (const key of keys) known.askedAtMs[known.numbers.get(key) as number] = nowMs;
      // What is not asked about any more cannot be taken out cheaply: the next search counts anew what it needs.
      if (known === current && (known.bytes > maxBytes || isMostlyOld(known, nowMs))) current = nothingKnown();
      return scoreKnown(known, query, keys);
    },
    size: () => ({ items: current.documents.length, bytes: current.bytes }),
  };
}

async function addDocument(known: Known, item: SearchItem, pause: Pause): Promise<void> {
  const { offsets, ...document } = await indexDocument(documentOf(item), pause);
  const number = known.documents.push(document) - 1;
  known.numbers.set(keyOf(item), number);
  known.bytes += document.weight;
  for (const [term, place] of offsets) {
    const having = known.terms.get(term);
    if (having === undefined) known.terms.set(term, { numbers: [number], places: [place] });
    else {
      having.numbers.push(number);
      having.places.push(place);
    }
  }
}

/**
 * Whether less than half is still asked about: the rest are earlier versions of what changed. So counting anew costs less
 * than what was counted since the last time.
 */
function isMostlyOld(known: Known, nowMs: number): boolean {
  if (known.bytes - known.lookedAtBytes < lookEveryBytes) return false;
  known.lookedAtBytes = known.bytes;
  const isFresh = (at: number) => (known.askedAtMs[at] ?? nowMs) > nowMs - freshMs;
  const fresh = known.documents.reduce((sum, { weight }, at) => (isFresh(at) ? sum + weight : sum), 0);
  return fresh < known.bytes / 2;
}

/** Items that say the same are one document. */
function scoreKnown({ numbers, documents, terms }: Known, query: string, keys: readonly string[]): KeywordScore[] {
  const positions = new Int32Array(documents.length).fill(-1);
  const asked: CountedDocument[] = [];
  const positionOf = keys.map((key) => {
    const number = numbers.get(key) as number;
    if (positions[number] === -1) positions[number] = asked.push(documents[number] as CountedDocument) - 1;
    return positions[number] as number;
  });
  const wanted = queryTerms(query);
  const places = new Int32Array(wanted.length * asked.length).fill(-1);
  for (const [column, term] of wanted.entries()) {
    const having = terms.get(term);
    if (having === undefined) continue;
    for (let at = 0; at < having.numbers.length; at += 1) {
      const position = positions[having.numbers[at] as number] as number;
      if (position >= 0) places[position * wanted.length + column] = having.places[at] as number;
    }
  }
  const scores = scorePlaces(places, asked);
  return positionOf.map((position) => scores[position] as KeywordScore);
}

/** Of a tool the text is not indexed. */
function keyOf({ type, sha256 }: SearchItem): string {
  return type === 'tool' ? `tool ${sha256}` : sha256;
}

/** The chunks are the passages; name and description, with which the first begins, are fields of their own. */
function documentOf(item: SearchItem): { name: string; description: string; passages: string[] } {
  const title = indexedText({ ...item, text: '' });
  const passages = chunkItem(item);
  if (passages[0]?.startsWith(title)) passages[0] = passages[0].slice(title.length);
  return { name: `${item.serverName ?? ''} ${item.name}`, description: item.description, passages };
}

type Pause = () => Promise<void> | undefined;

/** Lets others have the event loop when it was held for long. */
function createPause(): Pause {
  let sinceMs = performance.now();
  return () => {
    if (performance.now() - sinceMs < mostHeldMs) return undefined;
    return nextTurn().then(() => {
      sinceMs = performance.now();
    });
  };
}
