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

export function createBoundedCache<Value>({ maxWeight, maxEntries, maxUnusedMs }: Bounds): BoundedCache<Value> {
  type Entry = { value: Value; weight: number; usedAtMs: number };
  const entries = new Map<string, Entry>();
  let weight = 0;
  // A new iterator would pass over all removed entries before it finds the oldest. This one continues.
  let order = entries.keys();
  let oldest: string | undefined;
  const findOldest = (): string | undefined => {
    oldest ??= order.next().value;
    if (oldest !== undefined || entries.size === 0) return oldest;
    order = entries.keys();
    oldest = order.next().value;
    return oldest;
  };
  /** When each value was refused, by its key. */
  const refused = new Map<string, number>();
  const take = (key: string): void => {
    entries.delete(key);
    if (key === oldest) oldest = undefined;
  };
  const remove = (key: string): void => {
    weight -= entries.get(key)?.weight ?? 0;
    take(key);
  };
  /** Removes no entry that was used at `sinceMs` or later. Returns whether the value is kept. */
  const put = (key: string, { value, weight: added }: Omit<Entry, 'usedAtMs'>, sinceMs: number): boolean => {
    remove(key);
    if (added > maxWeight) return false;
    const nowMs = performance.now();
    for (let first = findOldest(); first !== undefined; first = findOldest()) {
      const { usedAtMs } = entries.get(first) as Entry;
      const isUnused = maxUnusedMs !== undefined && usedAtMs < nowMs - maxUnusedMs;
      const hasRoom = weight + added <= maxWeight && entries.size < maxEntries;
      if (hasRoom && !isUnused) break;
      if (!hasRoom && usedAtMs >= sinceMs) return false;
      remove(first);
    }
    entries.set(key, { value, weight: added, usedAtMs: nowMs });
    weight += added;
    return true;
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      take(key);
      entries.set(key, entry);
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
