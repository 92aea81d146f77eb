/** Names of chunks: under which keys the vectors of an item are known (SS-04). */

import { hash } from 'node:crypto';
import { createBoundedCache } from '../pace/bounded-cache.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { sameItems } from '../pace/same-items.ts';
import { createPause } from '../pace/turns.ts';
import { chunkerVersion, maskedChunks } from './chunk.ts';
import { keyCharacters } from './key-rows.ts';
import { nameOf, type SearchItem } from './search-item.ts';
import type { WarmVectors } from './warm-vectors.ts';

/** `keys` are those of all chunks, item by item; `counts` how many each item has. */
export type Cut = {
  readonly items: readonly SearchItem[];
  readonly keys: readonly string[];
  readonly counts: readonly number[];
  /** Where their vectors lie in a block of this `generation`, as far as that is known. */
  rows?: { generation: number; all: Uint32Array };
};

type ChunkKeys = {
  /** Cuts what was not seen before; other work gets its turn meanwhile. The same items again give the same object. */
  of(items: readonly SearchItem[]): Promise<Cut>;
};

/** A hash of how the text was cut, and of the text: a chunk that an edit leaves as it is keeps its vector. */
function chunkKey(text: string): string {
  const digest = hash('sha256', `${chunkerVersion}\n${text}`, 'base64url');
  // A copy: a part would keep the whole digest in memory.
  return Buffer.from(digest).toString('latin1', 0, keyCharacters);
}

/** Rules and tools of a few agents. */
const maxCuts = 4;

/** For so long the vectors of chunks may still be on their way. */
const onTheWayMs = 5 * 60_000;

/** Chunks of the item of a name that was cut last, and those of others before it whose vectors are in memory, or may come. */
type Named = { keys: readonly string[]; cutAtMs: number; others: ReadonlyMap<string, number> };

/** `warm` is told the keys of a name that the item which was cut last does not have. */
export function createChunkKeys(warm: Pick<WarmVectors, 'has' | 'leave'>): ChunkKeys {
  const named = createBoundedCache<Named>({ maxWeight: 500_000, maxEntries: 100_000 });
  const recent: Cut[] = [];

  /** As long as the item is there: it is the same object until something of it changes. */
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
      const waiting = pause();
      if (waiting) await waiting;
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
