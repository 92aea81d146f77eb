/** Remembers a value for a combination of objects, as long as all of them live. */
type ObjectCache<Value> = {
  get(keys: readonly object[]): Value | undefined;
  set(keys: readonly object[], value: Value): void;
};

type Branch<Value> = { value?: Value; next: WeakMap<object, Branch<Value>> };

/** Keys are compared by identity. */
export function createObjectCache<Value>(): ObjectCache<Value> {
  const root: Branch<Value> = { next: new WeakMap() };
  return {
    get(keys) {
      let branch: Branch<Value> | undefined = root;
      for (const key of keys) branch = branch?.next.get(key);
      return branch?.value;
    },
    set(keys, value) {
      let branch = root;
      for (const key of keys) {
        const next: Branch<Value> = branch.next.get(key) ?? { next: new WeakMap() };
        branch.next.set(key, next);
        branch = next;
      }
      branch.value = value;
    },
  };
}
