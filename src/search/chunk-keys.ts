/** Names of chunks: under which keys the vectors of an item are known (SS-04). */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BoundedCache, createBoundedCache } from '../bounded-cache.ts';
import { chunkerVersion, chunkItem } from './chunk.ts';
import type { SearchItem } from './search-item.ts';

/** The keys of an item's chunks, in order. `rows` are theirs in a block of vectors of this `generation`. */
export type ItemKeys = { keys: readonly string[]; rows?: Uint32Array; generation?: number };

export type ChunkKeys = {
  /** Keys of all items, in order. An item that was seen before is not cut again; other work gets its turn meanwhile. */
  of(items: readonly SearchItem[]): Promise<ItemKeys[]>;
};

/** A hash of how the text was cut, and of the text: a chunk that an edit leaves as it is keeps its vector. */
export function chunkKey(text: string): string {
  return createHash('sha256').update(`${chunkerVersion}\n${text}`).digest('base64url').slice(0, 22);
}

const turnMs = 8;

export function createChunkKeys(): ChunkKeys {
  const cache: BoundedCache<ItemKeys> = createBoundedCache({ maxWeight: 500_000, maxEntries: 100_000 });
  // Most items are the same objects as the last time.
  const ofObject = new WeakMap<SearchItem, ItemKeys>();
  const find = (item: SearchItem): ItemKeys => {
    // Of a tool, the text is not indexed.
    const name = `${item.type === 'tool' ? 'tool' : 'text'} ${item.sha256}`;
    const found = cache.get(name) ?? { keys: chunkItem(item).map(chunkKey) };
    cache.set(name, found, 1 + found.keys.length);
    ofObject.set(item, found);
    return found;
  };
  return {
    async of(items) {
      const all: ItemKeys[] = [];
      let sinceMs = performance.now();
      for (const item of items) {
        all.push(ofObject.get(item) ?? find(item));
        if (performance.now() - sinceMs < turnMs) continue;
        await nextTurn();
        sinceMs = performance.now();
      }
      return all;
    },
  };
}
