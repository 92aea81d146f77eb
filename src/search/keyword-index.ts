/** Search over items by words (SS-07). What an item says is counted once for as long as it is unchanged. */
import { createPause, type Pause } from '../pace/turns.ts';
import { chunkItem, indexedText } from './chunk.ts';
import { type CountedDocument, indexDocument } from './keyword-document.ts';
import { countHaving, type KeywordScore, type KeywordTuning, scorePlaces } from './keyword-scores.ts';
import {
  addEntry,
  bytesOf,
  type Entry,
  entryOf,
  isWorthALook,
  type Known,
  leave,
  nothingKnown,
  oldestThatFits,
  withoutUnused,
} from './known-items.ts';
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
const maxIndexBytes = 256 * 1024 * 1024;
/** What was not asked about for longest goes until so much of them is left. */
const keptShare = 0.75;

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
      const isOver = bytesOf(known) > maxBytes;
      if (known === current && !known.isLookedThrough && (isOver || isWorthALook(known, nowMs))) {
        known.isLookedThrough = true;
        const oldestMs = isOver ? oldestThatFits(known, keptShare * maxBytes) : 0;
        const kept = await withoutUnused(known, { nowMs, oldestMs, pause });
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
