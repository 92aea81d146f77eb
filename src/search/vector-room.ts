/**
 * Who may fill the memory for vectors, and what goes for it (SS-08). All chunks of all searches under way fit into it at
 * once, so that none takes from another what that waits for; whatever else is there goes when they need the room.
 */
import { createPause, createTurns } from '../turns.ts';
import { chunkItem } from './chunk.ts';
import type { Cut } from './chunk-keys.ts';
import type { SearchItem } from './search-item.ts';
import type { WarmVectors } from './warm-vectors.ts';

export type VectorRoom = {
  /** Searches that wait for room. */
  readonly waiting: number;
  /**
   * Begins the work of a search, which has no more chunks than there is room, when it fits beside the others under way,
   * and passes on what it returns or throws. `prepare` makes room for what is missing, and returns it: texts by key.
   */
  use<Result>(
    cut: Cut,
    work: (prepare: () => Promise<ReadonlyMap<string, string>>) => Promise<Result>,
  ): Promise<Result>;
};

/** `coming`: how many chunks it may yet add. */
type Search = { cut: Cut; coming: number };

export function createVectorRoom(warm: WarmVectors, mostVectors: number): VectorRoom {
  const underWay = new Set<Search>();
  const waiting: { search: Search; begin(): void }[] = [];
  const inTurn = createTurns(1);
  let free = mostVectors;

  /** Who has waited longest is looked at first; a small search that fits does not wait behind a large one. */
  const letIn = (): void => {
    for (const each of [...waiting]) {
      const { search, begin } = each;
      if (search.cut.keys.length > free) continue;
      free -= search.cut.keys.length;
      underWay.add(search);
      waiting.splice(waiting.indexOf(each), 1);
      begin();
    }
  };

  const missingOf = async ({ items, keys, counts }: Cut): Promise<Map<string, string>> => {
    const missing = new Map<string, string>();
    const pause = createPause();
    let start = 0;
    for (const [at, count] of counts.entries()) {
      const own = keys.slice(start, start + count);
      start += count;
      const held = pause();
      if (held) await held;
      if (own.every((key) => warm.has(key))) continue;
      const texts = chunkItem(items[at] as SearchItem);
      for (const [chunk, key] of own.entries()) if (!warm.has(key)) missing.set(key, texts[chunk] as string);
    }
    return missing;
  };

  /** False when a search has ended meanwhile, whose vectors may still be there. */
  const dropOthers = async (): Promise<boolean> => {
    const seen = new Set<Search>();
    const kept = new Set<string>();
    const keep = async (): Promise<void> => {
      const pause = createPause();
      for (const search of underWay) {
        if (seen.has(search)) continue;
        seen.add(search);
        for (const key of search.cut.keys) {
          kept.add(key);
          const held = pause();
          if (held) await held;
        }
      }
    };
    await keep();
    // Those that are let in meanwhile keep what they find.
    await warm.retain(kept, keep);
    return seen.isSubsetOf(underWay);
  };

  const prepare = async (search: Search): Promise<ReadonlyMap<string, string>> => {
    const missing = await missingOf(search.cut);
    search.coming = missing.size;
    const isTooFull = (): boolean => {
      let most = warm.count;
      for (const { coming } of underWay) most += coming;
      return most > mostVectors;
    };
    // `coming` counts what has come already too: when nothing else is there any more, it fits whatever the sum says.
    while (isTooFull()) if (await dropOthers()) break;
    return missing;
  };

  return {
    get waiting() {
      return waiting.length;
    },
    async use(cut, work) {
      const search = { cut, coming: 0 };
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ search, begin: resolve });
      letIn();
      await promise;
      try {
        return await work(() => inTurn(() => prepare(search)));
      } finally {
        underWay.delete(search);
        free += cut.keys.length;
        letIn();
      }
    },
  };
}
