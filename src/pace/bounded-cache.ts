/** A cache bounded by weight, by count, and by time if that is told; what was used longest ago goes first. */
type BoundedCache<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value, weight: number): void;
  /**
   * As `set`, for one of very many that are asked for together, again and again, and may be more than there is room for: it
   * takes the room of none that was used since it was offered in vain, or in the last minutes. Otherwise each would make
   * room for the next, and none would be there when it is asked for again.
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
   * What was not used for longer goes when something is added, not before: for what is kept by its content, which nobody
   * asks for once that has changed.
   */
  maxUnusedMs?: number;
};

/** What was used less long ago makes no room for what is offered for the first time. */
const lastUsedMs = 5 * 60_000;

export function createBoundedCache<Value>({ maxWeight, maxEntries, maxUnusedMs }: Bounds): BoundedCache<Value> {
  type Entry = { value: Value; weight: number; usedAtMs: number };
  const entries = new Map<string, Entry>();
  let weight = 0;
  // A new iterator would pass over all that was removed before it finds the oldest: this one goes on from there.
  let order = entries.keys();
  let oldest: string | undefined;
  const findOldest = (): string | undefined => {
    oldest ??= order.next().value;
    if (oldest !== undefined || entries.size === 0) return oldest;
    order = entries.keys();
    oldest = order.next().value;
    return oldest;
  };
  /** When each was offered in vain. */
  const refused = new Map<string, number>();
  const take = (key: string): void => {
    entries.delete(key);
    if (key === oldest) oldest = undefined;
  };
  const remove = (key: string): void => {
    weight -= entries.get(key)?.weight ?? 0;
    take(key);
  };
  /** Takes no room of what was used at `sinceMs` or later; says whether the value is kept. */
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
