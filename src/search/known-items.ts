/** The items that an index of words knows, and which of them it forgets. */
import type { Pause } from '../pace/turns.ts';
import type { CountedDocument } from './keyword-document.ts';

/** What an item takes beside its postings, and a term beside the documents that have it, in bytes. */
const entryBytes = 1_000;
const termBytes = 200;
/** What changed goes when it is so much, in bytes, and a quarter of the index. */
const leastLeftBytes = 1024 * 1024;
/** It is looked at no more often; and what changed stays for so long, because others may have an item of that name. */
const lookEveryMs = 60_000;
const leftForMs = 5 * 60_000;

/** What is known of an item as it was; `askedAtMs` on the clock of `performance.now()`. */
export type Entry = {
  readonly key: string;
  readonly name: string;
  readonly document: CountedDocument;
  askedAtMs: number;
};

/** An entry has a number, by which a term knows the documents that have it, and where in their postings it begins. */
export type Known = {
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
  /** Another one takes its place soon. */
  isLookedThrough: boolean;
};

export const nothingKnown = (): Known => ({
  entries: [],
  numbers: new Map(),
  terms: new Map(),
  underWay: new Map(),
  bytes: 0,
  latest: new Map(),
  left: new Map(),
  leftBytes: 0,
  lookedAtMs: performance.now(),
  isLookedThrough: false,
});

export function addEntry(known: Known, entry: Entry): number {
  const number = known.entries.push(entry) - 1;
  known.numbers.set(entry.key, number);
  known.bytes += entryBytes + entry.document.weight;
  return number;
}

export function leave(known: Known, number: number, leftAtMs: number): void {
  known.left.set(number, leftAtMs);
  known.leftBytes += entryBytes + (known.entries[number] as Entry).document.weight;
}

export function bytesOf({ bytes, terms }: Known): number {
  return bytes + termBytes * terms.size;
}

export function entryOf({ entries, numbers }: Known, key: string): Entry {
  return entries[numbers.get(key) as number] as Entry;
}

export function isWorthALook({ bytes, leftBytes, lookedAtMs }: Known, nowMs: number): boolean {
  return leftBytes > Math.max(leastLeftBytes, bytes / 4) && nowMs - lookedAtMs >= lookEveryMs;
}

/** When what is asked about since then takes `mostBytes` at most. Items that were asked about together stay or go together. */
export function oldestThatFits({ entries, terms }: Known, mostBytes: number): number {
  const ofTerms = (termBytes * terms.size) / Math.max(1, entries.length);
  const sizes = new Map<number, number>();
  for (const { askedAtMs, document } of entries)
    sizes.set(askedAtMs, (sizes.get(askedAtMs) ?? 0) + entryBytes + document.weight + ofTerms);
  let oldestMs = Number.POSITIVE_INFINITY;
  let bytes = 0;
  for (const [askedAtMs, size] of [...sizes].sort(([a], [b]) => b - a)) {
    bytes += size;
    if (bytes > mostBytes) break;
    oldestMs = askedAtMs;
  }
  return oldestMs;
}

/**
 * Without what was asked about last before `oldestMs`, and without what changed some time ago, but for what was asked about
 * since, by others. Nothing is counted anew for it; what is added meanwhile is.
 */
export async function withoutUnused(
  known: Known,
  { nowMs, oldestMs, pause }: { nowMs: number; oldestMs: number; pause: Pause },
): Promise<Known> {
  const kept = nothingKnown();
  const left = new Map(known.left);
  const newNumbers = new Int32Array(known.entries.length).fill(-1);
  for (let number = 0; number < newNumbers.length; number += 1) {
    const entry = known.entries[number] as Entry;
    const leftAtMs = left.get(number);
    const isInUse = leftAtMs === undefined || entry.askedAtMs > leftAtMs;
    if (entry.askedAtMs < oldestMs || (!isInUse && leftAtMs <= nowMs - leftForMs)) continue;
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
