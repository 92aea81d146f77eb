/** Search over items by words (SS-07). What an item says is counted once for as long as it is unchanged. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { chunkItem, indexedText } from './chunk.ts';
import { type CountedDocument, indexDocument, type KeywordScore, queryTerms, scorePlaces } from './keyword-scores.ts';
import { nameOf, type SearchItem } from './search-item.ts';

export type KeywordIndex = {
  /** A score for each item, in their order; `passage` is the index of its best chunk. */
  score(query: string, items: readonly SearchItem[]): Promise<KeywordScore[]>;
  /** Items in memory, and about the memory they take. */
  size(): { items: number; bytes: number };
};

/** In bytes, about. */
const maxIndexBytes = 128 * 1024 * 1024;
/** What changed goes when it is so much, in bytes, and a quarter of the index. */
const leastLeftBytes = 1024 * 1024;
/** It is looked at no more often; and what changed stays for so long, because others may have an item of that name. */
const lookEveryMs = 60_000;
const leftForMs = 5 * 60_000;
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
  /** The document of each item as it was when it was added last. */
  latest: Map<string, number>;
  /** Documents of items that changed since, with the time of that, and their bytes. */
  left: Map<number, number>;
  leftBytes: number;
  lookedAtMs: number;
};

const nothingKnown = (): Known => ({
  numbers: new Map(),
  documents: [],
  terms: new Map(),
  underWay: new Map(),
  bytes: 0,
  askedAtMs: [],
  latest: new Map(),
  left: new Map(),
  leftBytes: 0,
  lookedAtMs: performance.now(),
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
      if (known === current && known.bytes > maxBytes) current = nothingKnown();
      else if (known === current && isWorthALook(known, nowMs)) {
        known.lookedAtMs = nowMs;
        const kept = await withoutLeft(known, { nowMs, pause });
        if (known === current) current = kept;
      }
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
  known.askedAtMs.push(performance.now());
  leave(known, nameOf(item), number);
  for (const [term, place] of offsets) {
    const having = known.terms.get(term);
    if (having === undefined) known.terms.set(term, { numbers: [number], places: [place] });
    else {
      having.numbers.push(number);
      having.places.push(place);
    }
  }
}

/** The item has a newer document. */
function leave(known: Known, name: string, number: number): void {
  const before = known.latest.get(name);
  known.latest.set(name, number);
  if (before === undefined || known.left.has(before)) return;
  known.left.set(before, performance.now());
  known.leftBytes += known.documents[before]?.weight ?? 0;
}

function isWorthALook({ bytes, leftBytes, lookedAtMs }: Known, nowMs: number): boolean {
  return leftBytes > Math.max(leastLeftBytes, bytes / 4) && nowMs - lookedAtMs >= lookEveryMs;
}

/** Without what changed some time ago, but for what was asked about since, by others. Nothing is counted anew; what is added meanwhile is. */
async function withoutLeft(known: Known, { nowMs, pause }: { nowMs: number; pause: Pause }): Promise<Known> {
  const kept = nothingKnown();
  const isKept = (number: number) => {
    const leftAtMs = known.left.get(number) ?? Number.POSITIVE_INFINITY;
    return leftAtMs > nowMs - leftForMs || (known.askedAtMs[number] as number) > leftAtMs;
  };
  const newNumbers = known.documents.map((document, number) => {
    if (!isKept(number)) return -1;
    kept.bytes += document.weight;
    kept.askedAtMs.push(known.askedAtMs[number] as number);
    return kept.documents.push(document) - 1;
  });
  const renumber = (from: ReadonlyMap<string, number>, to: Map<string, number>) => {
    for (const [key, number] of from)
      if ((newNumbers[number] as number) >= 0) to.set(key, newNumbers[number] as number);
  };
  renumber(known.numbers, kept.numbers);
  renumber(known.latest, kept.latest);
  for (const [number, leftAtMs] of known.left) {
    const newNumber = newNumbers[number] as number;
    if (newNumber < 0 || (known.askedAtMs[number] as number) > leftAtMs) continue;
    kept.left.set(newNumber, leftAtMs);
    kept.leftBytes += known.documents[number]?.weight ?? 0;
  }
  for (const [term, { numbers, places }] of known.terms) {
    const having = { numbers: [] as number[], places: [] as number[] };
    for (const [at, number] of numbers.entries())
      if ((newNumbers[number] as number) >= 0) {
        having.numbers.push(newNumbers[number] as number);
        having.places.push(places[at] as number);
      }
    if (having.numbers.length > 0) kept.terms.set(term, having);
    await pause();
  }
  return kept;
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
