/** Names of chunks: under which keys the vectors of an item are known (SS-04). */
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBoundedCache } from '../bounded-cache.ts';
import { chunkerVersion, chunkItem } from './chunk.ts';
import { nameOf, type SearchItem } from './search-item.ts';

/** `keys` are those of the chunks of each item, in order; `counts` how many each has. */
export type Cut = {
  readonly items: readonly SearchItem[];
  readonly keys: readonly (readonly string[])[];
  readonly counts: readonly number[];
  readonly chunks: number;
  /** Where their vectors lie in a block of this `generation`, as far as that is known. */
  rows?: { generation: number; all: Uint32Array };
};

export type ChunkKeys = {
  /** Cuts what was not seen before; other work gets its turn meanwhile. The same items again give the same object. */
  of(items: readonly SearchItem[]): Promise<Cut>;
};

/** A hash of how the text was cut, and of the text: a chunk that an edit leaves as it is keeps its vector. */
function chunkKey(text: string): string {
  return createHash('sha256').update(`${chunkerVersion}\n${text}`).digest('base64url').slice(0, 22);
}

const turnMs = 8;
/** Rules and tools of a few agents. */
const mostCuts = 4;

/** `onLeft` is told the keys that an item had before it changed, and has no more. */
export function createChunkKeys(onLeft: (keys: readonly string[]) => void): ChunkKeys {
  /** As long as the item is there: it is the same object until something of it changes. */
  const known = new WeakMap<SearchItem, readonly string[]>();
  /** Of each item as it was cut last, by its name. */
  const latest = createBoundedCache<readonly string[]>({ maxWeight: 500_000, maxEntries: 100_000 });
  const recent: Cut[] = [];

  const keysOf = (item: SearchItem): readonly string[] => {
    const before = known.get(item);
    if (before !== undefined) return before;
    const keys = chunkItem(item).map(chunkKey);
    known.set(item, keys);
    const name = nameOf(item);
    const still = new Set(keys);
    onLeft((latest.get(name) ?? []).filter((key) => !still.has(key)));
    latest.set(name, keys, 1 + keys.length);
    return keys;
  };

  const cutAll = async (items: readonly SearchItem[]): Promise<Cut> => {
    const keys: (readonly string[])[] = [];
    let sinceMs = performance.now();
    for (const item of items) {
      keys.push(keysOf(item));
      if (performance.now() - sinceMs < turnMs) continue;
      await nextTurn();
      sinceMs = performance.now();
    }
    const counts = keys.map(({ length }) => length);
    return { items, keys, counts, chunks: counts.reduce((sum, count) => sum + count, 0) };
  };

  return {
    async of(items) {
      const at = recent.findIndex((cut) => sameItems(cut.items, items));
      const cut = at === -1 ? await cutAll([...items]) : (recent.splice(at, 1)[0] as Cut);
      recent.unshift(cut);
      recent.splice(mostCuts);
      return cut;
    },
  };
}

/** Items that did not change are the same objects as the last time. */
function sameItems(left: readonly SearchItem[], right: readonly SearchItem[]): boolean {
  return left.length === right.length && left.every((item, at) => item === right[at]);
}
