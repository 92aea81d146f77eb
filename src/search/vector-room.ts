/**
 * Who may fill the memory for vectors, and what goes for it (SS-08). All chunks of all searches under way fit into it at
 * once, so that none takes from another what that waits for; whatever else is there goes when they need the room.
 */
import { createPause, createTurns } from '../pace/turns.ts';
import { chunkItem } from './chunk.ts';
import type { Cut } from './chunk-keys.ts';
import type { SearchItem } from './search-item.ts';
import type { WarmVectors } from './warm-vectors.ts';

type VectorRoom = {
  /** Whether a search waits for room, or how many of the chunks that it lacked have come; undefined when it lacks none. */
  progressOf(cut: Cut): Promise<'waiting' | { done: number; total: number } | undefined>;
  /**
   * Begins the work of a search, which has no more chunks than there is room, when it fits beside the others under way,
   * and passes on what it returns or throws. `prepare` makes room for what is missing, and returns it: texts by key.
   * Searches of the same chunks share their room.
   */
  use<Result>(
    cut: Cut,
    work: (prepare: () => Promise<ReadonlyMap<string, string>>) => Promise<Result>,
  ): Promise<Result>;
};

/** `number` counts who comes or joins one under way; `missing` are texts by key, as of when they were last looked up. */
type Search = {
  cut: Cut;
  number: number;
  users: number;
  missing: ReadonlyMap<string, string>;
  begun: Promise<void>;
  begin(): void;
};

/** A search that waits for room is overtaken by so many at most. */
const mostOvertaking = 20;

export function createVectorRoom(warm: WarmVectors, mostVectors: number): VectorRoom {
  const underWay = new Set<Search>();
  const waiting = new Set<Search>();
  const inTurn = createTurns(1);
  let free = mostVectors;
  let asked = 0;

  const find = (cut: Cut, among: ReadonlySet<Search>): Search | undefined =>
    [...among].find((search) => sameKeys(search.cut.keys, cut.keys));

  const join = (cut: Cut): Search => {
    const waits = find(cut, waiting);
    if (waits) return waits;
    asked += 1;
    const [first] = waiting;
    const mayOvertake = first === undefined || asked <= first.number + mostOvertaking;
    return (mayOvertake ? find(cut, underWay) : undefined) ?? enqueue(cut);
  };

  const enqueue = (cut: Cut): Search => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const search = { cut, number: asked, users: 0, missing: new Map<string, string>(), begun, begin };
    waiting.add(search);
    letIn();
    return search;
  };

  /** Who has waited longest is looked at first; some small searches that fit do not wait behind a large one. */
  const letIn = (): void => {
    let last = Number.POSITIVE_INFINITY;
    for (const search of waiting) {
      if (search.number > last) return;
      if (search.cut.keys.length > free) {
        last = Math.min(last, search.number + mostOvertaking);
        continue;
      }
      free -= search.cut.keys.length;
      waiting.delete(search);
      underWay.add(search);
      search.begin();
    }
  };

  /** How many of its chunks are yet to come. */
  const comingOf = async ({ missing }: Search): Promise<number> => {
    let coming = 0;
    const pause = createPause();
    for (const key of missing.keys()) {
      if (!warm.has(key)) coming += 1;
      const held = pause();
      if (held) await held;
    }
    return coming;
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
    search.missing = missing;
    const isTooFull = async (): Promise<boolean> => {
      let coming = 0;
      for (const each of underWay) coming += await comingOf(each);
      return warm.count + coming > mostVectors;
    };
    // What several wait for counts for each: when nothing else is there any more, it fits whatever the sum says.
    while (await isTooFull()) if (await dropOthers()) break;
    return missing;
  };

  return {
    async progressOf(cut) {
      const search = find(cut, underWay);
      if (search === undefined) return find(cut, waiting) && 'waiting';
      const total = search.missing.size;
      const coming = await comingOf(search);
      return coming === 0 ? undefined : { done: total - coming, total };
    },
    async use(cut, work) {
      const search = join(cut);
      search.users += 1;
      await search.begun;
      try {
        return await work(() => inTurn(() => prepare(search)));
      } finally {
        search.users -= 1;
        if (search.users === 0) {
          underWay.delete(search);
          free += search.cut.keys.length;
          letIn();
        }
      }
    },
  };
}

function sameKeys(left: readonly string[], right: readonly string[]): boolean {
  return left === right || (left.length === right.length && left.every((key, at) => key === right[at]));
}
