/** A cache bounded by weight, by count, and by time if that is told; what was used longest ago goes first. */
type BoundedCache<Value> = {
  get(key: string): Value | undefined;
  set(key: string, value: Value, weight: number): void;
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

export function createBoundedCache<Value>({ maxWeight, maxEntries, maxUnusedMs }: Bounds): BoundedCache<Value> {
  const entries = new Map<string, { value: Value; weight: number; usedAtMs: number }>();
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
  const now = (): number => (maxUnusedMs === undefined ? 0 : performance.now());
  const take = (key: string): void => {
    entries.delete(key);
    if (key === oldest) oldest = undefined;
  };
  const remove = (key: string): void => {
    weight -= entries.get(key)?.weight ?? 0;
    take(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      take(key);
      entries.set(key, entry);
      entry.usedAtMs = now();
      return entry.value;
    },
    set(key, value, valueWeight) {
      remove(key);
      if (valueWeight > maxWeight) return;
      const nowMs = now();
      entries.set(key, { value, weight: valueWeight, usedAtMs: nowMs });
      weight += valueWeight;
      for (let first = findOldest(); first !== undefined; first = findOldest()) {
        const { usedAtMs = nowMs } = entries.get(first) ?? {};
        const isUnused = maxUnusedMs !== undefined && usedAtMs < nowMs - maxUnusedMs;
        if (weight <= maxWeight && entries.size <= maxEntries && !isUnused) break;
        remove(first);
      }
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
