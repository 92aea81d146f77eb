/** For one request a workspace stays as it is: what holds for a directory is found out once per lookup. */
import type { Lookup } from './import.ts';

type Find<Value> = (directory: string, lookup: Lookup) => Promise<Value>;

export function oncePerDirectory<Value>(find: Find<Value>): Find<Value> {
  const known = new WeakMap<Lookup, Map<string, Promise<Value>>>();
  return (directory, lookup) => {
    const inLookup = known.get(lookup) ?? new Map<string, Promise<Value>>();
    known.set(lookup, inLookup);
    const found = inLookup.get(directory) ?? find(directory, lookup);
    inLookup.set(directory, found);
    return found;
  };
}
