/** Remembers the counted items of an index of words, and drops changed and unused ones. */
import type { CountedDocument } from './keyword-document.ts';

/** Bytes of an item without its document. */
const entryBytes = 1_000;
/** Changed items are dropped only if they take more bytes than this, and more than a quarter of the index. */
const minLeftBytes = 512 * 1024;
/** Min time between two checks. Changed items stay this long too, because others may have an item with that name. */
const lookEveryMs = 60_000;
const leftForMs = 5 * 60_000;

/** A version of an item. Times are those of `performance.now()`. `leftAtMs`: set when the item has changed since. */
export type Entry = {
  readonly key: string;
  readonly name: string;
  readonly document: CountedDocument;
  askedAtMs: number;
  leftAtMs?: number | undefined;
};

type Known = {
  readonly entries: Map<string, Entry>;
  /**
   * By name, the entries of items that have not changed as far as is known. Several agents can have items with the same
   * name.
   */
  readonly latest: Map<string, Set<Entry>>;
  bytes: number;
  /** Bytes of the entries of changed items. */
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

/** Adds an entry. Earlier entries with its name count as changed. */
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

/** Drops items that changed some time ago, except those that others used since. */
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
 * Drops the items that were unused for the longest time, until the rest takes at most `maxBytes`. Items that were used
 * together stay or go together. Of the items of the last question, as many stay as fit.
 */
export function forgetOldest(known: Known, maxBytes: number): void {
  const together = Map.groupBy(known.entries.values(), ({ askedAtMs }) => askedAtMs);
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
