import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import type { Store } from '../../src/ports/store/store.ts';

type Verbs = Record<string, (...args: unknown[]) => unknown>;
type Groups = Record<string, Verbs>;

/** Empty for good: what is asked of it is what every store answers before anything is written. */
const empty = createSqliteStore(':memory:') as unknown as Groups;

/** What an engine asks when it starts, or for context. */
const askedOfEmpty = ['roots.list', 'supplementary.list', 'tokens.list'];

/**
 * A `Store` that forgets everything with the process. Its database is made when it is needed: that takes longer than most
 * tests do otherwise, and most engines of tests store nothing.
 */
export function createMemoryStore(): Store {
  let made: Store | undefined;
  const store = () => (made ??= createSqliteStore(':memory:'));
  const verbOf = (group: string, verb: string) => {
    const asked = askedOfEmpty.includes(`${group}.${verb}`);
    return (...args: unknown[]) => {
      const groups = asked && made === undefined ? empty : (store() as unknown as Groups);
      return groups[group]?.[verb]?.(...args);
    };
  };
  const groups = Object.entries(empty).flatMap(([group, verbs]) =>
    typeof verbs === 'object'
      ? [[group, Object.fromEntries(Object.keys(verbs).map((verb) => [verb, verbOf(group, verb)]))]]
      : [],
  );
  return {
    ...Object.fromEntries(groups),
    export: (...args) => store().export(...args),
    warnings: () => store().warnings(),
    figures: () => store().figures(),
    close: async () => made?.close(),
  };
}
