/** The items that an index of words knows, and which of them it forgets. */
import type { CountedDocument } from './keyword-document.ts';

/** What an item takes beside what its document weighs, in bytes. */
const entryBytes = 1_000;
/** What changed goes when it is so much, in bytes, and a quarter of the index. */
const minLeftBytes = 512 * 1024;
/** It is looked at no more often; and what changed stays for so long, because others may have an item of that name. */
const lookEveryMs = 60_000;
const leftForMs = 5 * 60_000;

/** What is known of an item as it was; times on the clock of `performance.now()`. `leftAtMs`: it has changed since. */
export type Entry = {
  readonly key: string;
  readonly name: string;
  readonly document: CountedDocument;
  askedAtMs: number;
  leftAtMs?: number | undefined;
};

export type Known = {
  readonly entries: Map<string, Entry>;
  /** By name, the entries of items that did not change as far as is known: several, when others have items of that name. */
  readonly latest: Map<string, Set<Entry>>;
  bytes: number;
  /** Of what changed. */
  leftBytes: number;
  lookedAtMs: number;
};

export const nothingKnown = (): Known => ({
  entries: new Map(),
  latest: new Map(),
  bytes: 0,
  leftBytes: 0,
  lookedAtMs: performance.now(),
});

function bytesOf({ document }: Entry): number {
  return entryBytes + document.weight;
}

/** What has its name has changed. */
export function addEntry(known: Known, entry: Entry): void {
  known.entries.set(entry.key, entry);
  known.bytes += bytesOf(entry);
  for (const before of known.latest.get(entry.name) ?? []) {
    before.leftAtMs = entry.askedAtMs;
    known.leftBytes += bytesOf(before);
  }
  known.latest.set(entry.name, new Set([entry]));
}

export function isWorthALook({ bytes, leftBytes, lookedAtMs }: Known, nowMs: number): boolean {
  return leftBytes > Math.max(minLeftBytes, bytes / 4) && nowMs - lookedAtMs >= lookEveryMs;
}

/** Lets go of what changed some time ago, but for what was asked about since, by others. */
export function forgetLeft(known: Known, nowMs: number): void {
  known.lookedAtMs = nowMs;
  for (const entry of known.entries.values()) {
    const { leftAtMs, askedAtMs, name } = entry;
    if (leftAtMs === undefined) continue;
    if (askedAtMs > leftAtMs) {
      entry.leftAtMs = undefined;
      known.leftBytes -= bytesOf(entry);
      known.latest.set(name, (known.latest.get(name) ?? new Set()).add(entry));
    } else if (leftAtMs <= nowMs - leftForMs) forget(known, entry);
  }
}

/**
 * Lets go of what was asked about longest ago, until the rest takes `maxBytes` at most. Items that were asked about together
 * stay or go together, but for those of the last question: of them, so many stay as fit.
 */
export function forgetOldest(known: Known, maxBytes: number): void {
  const together = new Map<number, Entry[]>();
  for (const entry of known.entries.values()) {
    const others = together.get(entry.askedAtMs);
    if (others === undefined) together.set(entry.askedAtMs, [entry]);
    else others.push(entry);
  }
  let bytes = 0;
  let isFull = false;
  for (const [at, [, entries]] of [...together].sort(([a], [b]) => b - a).entries()) {
    const all = entries.reduce((sum, entry) => sum + bytesOf(entry), 0);
    const isLast = at === 0;
    if (!isFull && bytes + all <= maxBytes) {
      bytes += all;
      continue;
    }
    isFull = true;
    for (const entry of entries) {
      if (isLast && bytes + bytesOf(entry) <= maxBytes) bytes += bytesOf(entry);
      else forget(known, entry);
    }
  }
}

function forget(known: Known, entry: Entry): void {
  known.entries.delete(entry.key);
  known.bytes -= bytesOf(entry);
  if (entry.leftAtMs !== undefined) {
    known.leftBytes -= bytesOf(entry);
    return;
  }
  const latest = known.latest.get(entry.name);
  latest?.delete(entry);
  if (latest?.size === 0) known.latest.delete(entry.name);
}
