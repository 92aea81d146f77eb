import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import type { Store } from '../../src/ports/store/store.ts';

/** A `Store` that forgets everything with the process. */
export function createMemoryStore(): Store {
  return createSqliteStore(':memory:');
}
