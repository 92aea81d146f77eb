/** The keys of chunks, by which the vectors of an item are found (SS-04). */

import { hash } from 'node:crypto';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { sameItems } from '../pace/same-items.ts';
import { createPause } from '../pace/turns.ts';
import { chunkerVersion, maskedChunks } from './chunk.ts';
import { keyCharacters } from './key-rows.ts';
import { nameOf, type SearchItem } from './search-item.ts';
import type { WarmVectors } from './warm-vectors.ts';

/** `keys`: the keys of all chunks, item by item. `counts`: the number of chunks of each item. */
export type Cut = {
  readonly items: readonly SearchItem[];
  readonly keys: readonly string[];
  readonly counts: readonly number[];
  /** Rows of their vectors in a block of this `generation`, as far as they are known. */
  rows?: { generation: number; all: Uint32Array };
};

type ChunkKeys = {
  /** Cuts items that were not cut before, with pauses. Equal items return the same object. */
  of(items: readonly SearchItem[]): Promise<Cut>;
};

/** A hash of the chunker and the text. A chunk that an edit does not change keeps its vector. */
function chunkKey(text: string): string {
  const digest = hash('sha256', `${chunkerVersion}\n${text}`, 'base64url');
  // This is a copy, because a slice of the text would keep the whole digest in memory.
  return Buffer.from(digest).toString('latin1', 0, keyCharacters);
}

/** Max remembered lists of items: the rules and tools of a few agents. */
const maxCuts = 4;

/** How long it can take until the vectors of new chunks are in memory. */
const onTheWayMs = 5 * 60_000;

/** Chunks of the last item with a name, and those of earlier items whose vectors are in memory or may arrive. */
type Named = { keys: readonly string[]; cutAtMs: number; others: ReadonlyMap<string, number> };

/** `warm` gets the keys of a name that its last item no longer has. */
export function createChunkKeys(warm: Pick<WarmVectors, 'has' | 'leave'>): ChunkKeys {
  const named = createBoundedCache<Named>({ maxWeight: 500_000, maxEntries: 100_000 });
  const recent: Cut[] = [];

  /** Kept as long as the item: an item stays the same object until something in it changes. */
  const keysOf = onceForEach((item: SearchItem): readonly string[] => {
    const keys = maskedChunks(item).map(chunkKey);
    const name = nameOf(item);
    const others = othersOf(name, new Set(keys));
    warm.leave([...others.keys()]);
    named.set(name, { keys, cutAtMs: performance.now(), others }, 1 + keys.length + others.size);
    return keys;
  }, new WeakMap());

  const othersOf = (name: string, own: ReadonlySet<string>): Map<string, number> => {
    const others = new Map<string, number>();
    const latest = named.get(name);
    if (latest === undefined) return others;
    const sinceMs = performance.now() - onTheWayMs;
    const add = (key: string, cutAtMs: number): void => {
      if (!own.has(key) && (cutAtMs > sinceMs || warm.has(key))) others.set(key, cutAtMs);
    };
    for (const [key, cutAtMs] of latest.others) add(key, cutAtMs);
    for (const key of latest.keys) add(key, latest.cutAtMs);
    return others;
  };

  const cutAll = async (items: readonly SearchItem[]): Promise<Cut> => {
    const keys: string[] = [];
    const counts: number[] = [];
    const pause = createPause();
    for (const item of items) {
      const own = keysOf(item);
      for (const key of own) keys.push(key);
      counts.push(own.length);
      const turn = pause();
      if (turn) await turn;
    }
    return { items, keys, counts };
  };

  return {
    async of(items) {
      const at = recent.findIndex((cut) => sameItems(cut.items, items));
      const cut = at === -1 ? await cutAll([...items]) : (recent.splice(at, 1)[0] as Cut);
      recent.unshift(cut);
      recent.splice(maxCuts);
      return cut;
    },
  };
}
