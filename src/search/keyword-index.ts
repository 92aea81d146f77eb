/** Search over items by words (SS-07). What an item says is counted once for as long as it is unchanged. */
import { createPause, type Pause } from '../pace/turns.ts';
import { chunkItem, indexedText } from './chunk.ts';
import { type CountedDocument, indexDocument } from './keyword-document.ts';
import { countHaving, type KeywordScore, type KeywordTuning, scorePlaces } from './keyword-scores.ts';
import { readQuestion } from './question.ts';
import { nameOf, type SearchItem } from './search-item.ts';
import { weighTerms } from './term-weights.ts';

type KeywordIndex = {
  /** A score for each item, in their order; `passage` is the index of its best chunk. */
  score(query: string, items: readonly SearchItem[]): Promise<KeywordScore[]>;
  /** Items in memory, and about the memory they take. */
  size(): { items: number; bytes: number };
};

/** All chosen with `npm run bench:relevance`. */
const tuning: Omit<KeywordTuning, 'saturation'> = {
  nameWeight: 3,
  descriptionWeight: 2,
  bodyWeight: 1,
  wholeShare: 0.8,
  lengthEffect: 1,
};
/** Of how often a document says a word that it has: in long ones, once is chance. */
const saturation = 0.8;
/** So much evidence comes by chance for one of twenty questions that are about nothing here. */
const chance = 0.1;

/** In bytes, about. */
const maxIndexBytes = 128 * 1024 * 1024;
/** What an item takes beside its postings, and a term beside the documents that have it, in bytes. */
const entryBytes = 1_000;
const termBytes = 200;
/** What changed goes when it is so much, in bytes, and a quarter of the index. */
const leastLeftBytes = 1024 * 1024;
/** It is looked at no more often; and what changed stays for so long, because others may have an item of that name. */
const lookEveryMs = 60_000;
const leftForMs = 5 * 60_000;

/** What is known of an item as it was; `askedAtMs` on the clock of `performance.now()`. */
type Entry = {
  readonly key: string;
  readonly name: string;
  readonly document: CountedDocument;
  askedAtMs: number;
};

/** An entry has a number, by which a term knows the documents that have it, and where in their postings it begins. */
type Known = {
  entries: Entry[];
  numbers: Map<string, number>;
  terms: Map<string, { numbers: number[]; places: number[] }>;
  underWay: Map<string, Promise<void>>;
  /** Without the terms. */
  bytes: number;
  /** By name, the entries of items that did not change as far as is known: several, when others have items of that name. */
  latest: Map<string, number[]>;
  /** Entries of items that changed since, with the time of that, and their bytes. */
  left: Map<number, number>;
  leftBytes: number;
  lookedAtMs: number;
};

const nothingKnown = (): Known => ({
  entries: [],
  numbers: new Map(),
  terms: new Map(),
  underWay: new Map(),
  bytes: 0,
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
      for (const key of keys) entryOf(known, key).askedAtMs = nowMs;
      if (known === current && bytesOf(known) > maxBytes) current = nothingKnown();
      else if (known === current && isWorthALook(known, nowMs)) {
        known.lookedAtMs = nowMs;
        const kept = await withoutLeft(known, { nowMs, pause });
        if (known === current) current = kept;
      }
      return scoreKnown(known, query, keys);
    },
    size: () => ({ items: current.entries.length, bytes: bytesOf(current) }),
  };
}

async function addDocument(known: Known, item: SearchItem, pause: Pause): Promise<void> {
  const { offsets, ...document } = await indexDocument(documentOf(item), pause);
  const askedAtMs = performance.now();
  const name = nameOf(item);
  const number = addEntry(known, { key: keyOf(item), name, document, askedAtMs });
  for (const before of known.latest.get(name) ?? []) leave(known, before, askedAtMs);
  known.latest.set(name, [number]);
  for (const [term, place] of offsets) {
    const having = known.terms.get(term);
    if (having === undefined) known.terms.set(term, { numbers: [number], places: [place] });
    else {
      having.numbers.push(number);
      having.places.push(place);
    }
  }
}

function addEntry(known: Known, entry: Entry): number {
  const number = known.entries.push(entry) - 1;
  known.numbers.set(entry.key, number);
  known.bytes += entryBytes + entry.document.weight;
  return number;
}

function leave(known: Known, number: number, leftAtMs: number): void {
  known.left.set(number, leftAtMs);
  known.leftBytes += entryBytes + (known.entries[number] as Entry).document.weight;
}

function bytesOf({ bytes, terms }: Known): number {
  return bytes + termBytes * terms.size;
}

function entryOf({ entries, numbers }: Known, key: string): Entry {
  return entries[numbers.get(key) as number] as Entry;
}

function isWorthALook({ bytes, leftBytes, lookedAtMs }: Known, nowMs: number): boolean {
  return leftBytes > Math.max(leastLeftBytes, bytes / 4) && nowMs - lookedAtMs >= lookEveryMs;
}

/**
 * Without what changed some time ago, but for what was asked about since, by others. Nothing is counted anew for it; what is
 * added meanwhile is.
 */
async function withoutLeft(known: Known, { nowMs, pause }: { nowMs: number; pause: Pause }): Promise<Known> {
  const kept = nothingKnown();
  const left = new Map(known.left);
  const newNumbers = new Int32Array(known.entries.length).fill(-1);
  for (let number = 0; number < newNumbers.length; number += 1) {
    const entry = known.entries[number] as Entry;
    const leftAtMs = left.get(number);
    const isInUse = leftAtMs === undefined || entry.askedAtMs > leftAtMs;
    if (!isInUse && leftAtMs <= nowMs - leftForMs) continue;
    const newNumber = addEntry(kept, entry);
    newNumbers[number] = newNumber;
    if (!isInUse) leave(kept, newNumber, leftAtMs);
    else if (kept.latest.get(entry.name)?.push(newNumber) === undefined) kept.latest.set(entry.name, [newNumber]);
    await pause();
  }
  for (const [term, { numbers, places }] of known.terms) {
    const having = { numbers: [] as number[], places: [] as number[] };
    for (const [at, number] of numbers.entries()) {
      const newNumber = newNumbers[number] ?? -1;
      if (newNumber < 0) continue;
      having.numbers.push(newNumber);
      having.places.push(places[at] as number);
    }
    if (having.numbers.length > 0) kept.terms.set(term, having);
    await pause();
  }
  return kept;
}

/** How often a document says a word that it has, on average. */
function repetition(documents: readonly CountedDocument[]): number {
  const terms = documents.reduce((sum, document) => sum + document.terms, 0);
  return documents.reduce((sum, { bodyLength }) => sum + bodyLength, 0) / Math.max(1, terms) || 1;
}

/** 0…1, and a half where chance would do. */
function probabilityOf(evidence: number): number {
  return evidence ** 2 / (evidence ** 2 + chance ** 2);
}

/** Items that say the same are one document. */
function scoreKnown({ entries, numbers, terms }: Known, query: string, keys: readonly string[]): KeywordScore[] {
  const positions = new Int32Array(entries.length).fill(-1);
  const asked: CountedDocument[] = [];
  const positionOf = keys.map((key) => {
    const number = numbers.get(key) as number;
    if (positions[number] === -1) positions[number] = asked.push((entries[number] as Entry).document) - 1;
    return positions[number] as number;
  });
  const { terms: wanted, wholes } = readQuestion(query);
  const places = new Int32Array(wanted.length * asked.length).fill(-1);
  for (const [column, term] of wanted.entries()) {
    const having = terms.get(term);
    if (having === undefined) continue;
    for (let at = 0; at < having.numbers.length; at += 1) {
      const position = positions[having.numbers[at] as number] as number;
      if (position >= 0) places[position * wanted.length + column] = having.places[at] as number;
    }
  }
  const { weights, evidence } = weighTerms({ wholes }, countHaving(places, wanted.length), asked.length);
  const scores = scorePlaces(places, asked, {
    weights,
    tuning: { ...tuning, saturation: saturation * repetition(asked) },
  }).map(({ score, passage }) => ({
    score: probabilityOf(score * evidence),
    passage,
  }));
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
