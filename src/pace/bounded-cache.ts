/** A cache bounded by weight, by count, and by time if that is told; what was used longest ago goes first. */
export type BoundedCache<Value> = {
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
  const now = (): number => (maxUnusedMs === undefined ? 0 : performance.now());
  const remove = (key: string): void => {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
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
      for (const [oldest, { usedAtMs }] of entries) {
        const isUnused = maxUnusedMs !== undefined && usedAtMs < nowMs - maxUnusedMs;
        if (weight <= maxWeight && entries.size <= maxEntries && !isUnused) break;
        remove(oldest);
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
