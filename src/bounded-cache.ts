/** A cache bounded by weight and by count; what was used longest ago goes first. */
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

/** `maxWeight` is the sum of the weights kept, `maxEntries` their number. A value heavier than `maxWeight` is not kept. */
export function createBoundedCache<Value>(bounds: { maxWeight: number; maxEntries: number }): BoundedCache<Value> {
  const entries = new Map<string, { value: Value; weight: number }>();
  let weight = 0;
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
      return entry.value;
    },
    set(key, value, valueWeight) {
      remove(key);
      if (valueWeight > bounds.maxWeight) return;
      entries.set(key, { value, weight: valueWeight });
      weight += valueWeight;
      for (const oldest of entries.keys()) {
        if (weight <= bounds.maxWeight && entries.size <= bounds.maxEntries) break;
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
