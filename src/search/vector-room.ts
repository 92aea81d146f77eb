/**
 * Divides the memory for vectors among searches (SS-08). The chunks of all running searches fit into it at once, so
 * that no search removes vectors that another one needs. Other vectors are removed when the running searches need the
 * room.
 */
import { sameItems } from '../pace/same-items.ts';
import { createPause, createTurns } from '../pace/turns.ts';
import { maskedChunks } from './chunk.ts';
import type { Cut } from './chunk-keys.ts';
import type { SearchItem } from './search-item.ts';
import type { WarmVectors } from './warm-vectors.ts';

type VectorRoom = {
  /**
   * `waiting`: the search waits for room. Otherwise how many of its missing vectors have arrived, or `undefined` if
   * none is missing.
   */
  progressOf(cut: Cut): Promise<'waiting' | { done: number; total: number } | undefined>;
  /**
   * Runs `work` of a search as soon as its chunks fit beside those of the running searches, and returns its result. A
   * search must not have more chunks than the whole room. `prepare` makes room for the missing vectors, and returns
   * their texts by key. Searches of the same chunks share their room.
   */
  use<Result>(
    cut: Cut,
    work: (prepare: () => Promise<ReadonlyMap<string, string>>) => Promise<Result>,
  ): Promise<Result>;
};

/**
 * `number`: the value of `asked` when the search came. `missing`: texts by key, of vectors missing at the last lookup.
 */
type Search = {
  cut: Cut;
  number: number;
  users: number;
  missing: ReadonlyMap<string, string>;
  begun: Promise<void>;
  begin(): void;
};

/** Max number of later searches that may overtake a waiting one. */
const maxOvertaking = 20;

/** The state that searches share. */
function createRoom(warm: WarmVectors, maxVectors: number) {
  return {
    warm,
    maxVectors,
    underWay: new Set<Search>(),
    waiting: new Set<Search>(),
    free: maxVectors,
    asked: 0,
  };
}
type Room = ReturnType<typeof createRoom>;

export function createVectorRoom(warm: WarmVectors, maxVectors: number): VectorRoom {
  const room = createRoom(warm, maxVectors);

  const inTurn = createTurns(1);

  return {
    async progressOf(cut) {
      const search = find(cut, room.underWay);
      if (search === undefined) return find(cut, room.waiting) && 'waiting';
      const total = search.missing.size;
      const coming = await comingOf(room, search);
      return coming === 0 ? undefined : { done: total - coming, total };
    },
    async use(cut, work) {
      const search = join(room, cut);
      search.users += 1;
      await search.begun;
      try {
        return await work(() => inTurn(() => prepare(room, search)));
      } finally {
        search.users -= 1;
        if (search.users === 0) {
          room.underWay.delete(search);
          room.free += search.cut.keys.length;
          letIn(room);
        }
      }
    },
  };
}

function find(cut: Cut, among: ReadonlySet<Search>): Search | undefined {
  return [...among].find((search) => sameItems(search.cut.keys, cut.keys));
}

function join(room: Room, cut: Cut): Search {
  const waits = find(cut, room.waiting);
  if (waits) return waits;
  room.asked += 1;
  const [first] = room.waiting;
  const mayOvertake = first === undefined || room.asked <= first.number + maxOvertaking;
  return (mayOvertake ? find(cut, room.underWay) : undefined) ?? enqueue(room, cut);
}

function enqueue(room: Room, cut: Cut): Search {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const search = { cut, number: room.asked, users: 0, missing: new Map<string, string>(), begun, begin };
  room.waiting.add(search);
  letIn(room);
  return search;
}

/** Starts waiting searches that fit, the oldest first. At most `maxOvertaking` may overtake one that does not fit. */
function letIn(room: Room): void {
  let last = Number.POSITIVE_INFINITY;
  for (const search of room.waiting) {
    if (search.number > last) return;
    if (search.cut.keys.length > room.free) {
      last = Math.min(last, search.number + maxOvertaking);
      continue;
    }
    room.free -= search.cut.keys.length;
    room.waiting.delete(search);
    room.underWay.add(search);
    search.begin();
  }
}

/** The number of chunks of a search whose vectors are still missing. */
async function comingOf(room: Room, { missing }: Search): Promise<number> {
  let coming = 0;
  const pause = createPause();
  for (const key of missing.keys()) {
    if (!room.warm.has(key)) coming += 1;
    const turn = pause();
    if (turn) await turn;
  }
  return coming;
}

async function missingOf(room: Room, { items, keys, counts }: Cut): Promise<Map<string, string>> {
  const missing = new Map<string, string>();
  const pause = createPause();
  let start = 0;
  for (const [at, count] of counts.entries()) {
    const own = keys.slice(start, start + count);
    start += count;
    const turn = pause();
    if (turn) await turn;
    if (own.every((key) => room.warm.has(key))) continue;
    const texts = maskedChunks(items[at] as SearchItem);
    for (const [chunk, key] of own.entries()) if (!room.warm.has(key)) missing.set(key, texts[chunk] as string);
  }
  return missing;
}

/**
 * Removes the vectors that no running search needs. False if a search ended meanwhile, because its vectors may still be
 * there.
 */
async function dropOthers(room: Room): Promise<boolean> {
  const seen = new Set<Search>();
  const kept = new Set<string>();
  const keep = async (): Promise<void> => {
    const pause = createPause();
    for (const search of room.underWay) {
      if (seen.has(search)) continue;
      seen.add(search);
      for (const key of search.cut.keys) {
        kept.add(key);
        const turn = pause();
        if (turn) await turn;
      }
    }
  };
  await keep();
  // Searches that start meanwhile keep the vectors that they find.
  await room.warm.retain(kept, keep);
  return seen.isSubsetOf(room.underWay);
}

async function prepare(room: Room, search: Search): Promise<ReadonlyMap<string, string>> {
  const missing = await missingOf(room, search.cut);
  search.missing = missing;
  const isTooFull = async (): Promise<boolean> => {
    let coming = 0;
    for (const each of room.underWay) coming += await comingOf(room, each);
    return room.warm.count + coming > room.maxVectors;
  };
  // The sum counts a chunk several times if several searches wait for it. So when all other vectors are removed, the
  // rest fits even if the sum is too large.
  while (await isTooFull()) if (await dropOthers(room)) break;
  return missing;
}
