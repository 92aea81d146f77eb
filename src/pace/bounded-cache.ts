/** A cache with limits of weight, count and, if wanted, unused time. The least recently used entry goes first. */
type BoundedCache<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value, weight: number): void;
  /**
   * Like `set`, but removes no entry that was used in the last minutes or, if this value was refused before, since
   * then. This is for many values that are read again and again, and do not all fit: with `set`, each would remove the
   * next one, and none would be there when it is needed.
   */
  offer(key: string, value: Value, weight: number): void;
  remove(key: string): void;
  removeWhere(isGone: (key: string) => boolean): void;
  readonly size: number;
  /** Sum of the weights kept. */
  readonly weight: number;
};

/** How much a cache holds. */
export type CacheSize = { entries: number; weight: number };

export function sizeOf({ size, weight }: BoundedCache<unknown>): CacheSize {
  return { entries: size, weight };
}

type Bounds = {
  /** Of the weights kept. A value that is heavier is not kept. */
  maxWeight: number;
  maxEntries: number;
  /**
   * Entries that were not used for this time are removed when another one is added. This is for keys made of contents:
   * after a change, nobody asks for the old key.
   */
  maxUnusedMs?: number;
};

/** A value that is offered for the first time removes no entry that was used in this time. */
const lastUsedMs = 5 * 60_000;

type Entry<Value> = Links<Value> & { key: string; value: Value; weight: number; usedAtMs: number };
type Links<Value> = { older: Entry<Value> | undefined; newer: Entry<Value> | undefined };

/**
 * The entries in the order of their last use. The order of a `Map` does not do: an iterator that is kept also keeps
 * each earlier table of the `Map`, and a new one passes over all entries that were removed.
 */
function createUseOrder<Value>() {
  // After the last entry comes the first: `newer` is the oldest entry, and `older` the newest.
  const ends: Links<Value> = { older: undefined, newer: undefined };
  const take = ({ older, newer }: Entry<Value>): void => {
    (older ?? ends).newer = newer;
    (newer ?? ends).older = older;
  };
  const add = (entry: Entry<Value>): void => {
    entry.older = ends.older;
    entry.newer = undefined;
    (ends.older ?? ends).newer = entry;
    ends.older = entry;
  };
  return { take, add, oldest: () => ends.newer };
}

export function createBoundedCache<Value>({ maxWeight, maxEntries, maxUnusedMs }: Bounds): BoundedCache<Value> {
  const entries = new Map<string, Entry<Value>>();
  const order = createUseOrder<Value>();
  let weight = 0;
  /** When each value was refused, by its key. */
  const refused = new Map<string, number>();
  const remove = (key: string): void => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    weight -= entry.weight;
    order.take(entry);
    entries.delete(key);
  };
  /** Removes no entry that was used at `sinceMs` or later. Returns whether the value is kept. */
  const put = (
    key: string,
    { value, weight: added }: Pick<Entry<Value>, 'value' | 'weight'>,
    sinceMs: number,
  ): boolean => {
    remove(key);
    if (added > maxWeight) return false;
    const nowMs = performance.now();
    for (let oldest = order.oldest(); oldest !== undefined; oldest = order.oldest()) {
      const isUnused = maxUnusedMs !== undefined && oldest.usedAtMs < nowMs - maxUnusedMs;
      const hasRoom = weight + added <= maxWeight && entries.size < maxEntries;
      if (hasRoom && !isUnused) break;
      if (!hasRoom && oldest.usedAtMs >= sinceMs) return false;
      remove(oldest.key);
    }
    const entry = { key, value, weight: added, usedAtMs: nowMs, older: undefined, newer: undefined };
    order.add(entry);
    entries.set(key, entry);
    weight += added;
    return true;
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      order.take(entry);
      order.add(entry);
      entry.usedAtMs = performance.now();
      return entry.value;
    },
    set(key, value, valueWeight) {
      put(key, { value, weight: valueWeight }, Number.POSITIVE_INFINITY);
    },
    offer(key, value, valueWeight) {
      const nowMs = performance.now();
      const isKnown = entries.has(key);
      const sinceMs = isKnown ? Number.POSITIVE_INFINITY : (refused.get(key) ?? nowMs - lastUsedMs);
      refused.delete(key);
      if (put(key, { value, weight: valueWeight }, sinceMs)) return;
      if (refused.size >= maxEntries) refused.clear();
      refused.set(key, nowMs);
    },
    remove,
    removeWhere(isGone) {
      for (const key of entries.keys()) if (isGone(key)) remove(key);
    },
    get size() {
      return entries.size;
    },
    get weight() {
      return weight;
    },
  };
}
