/** Stores that the same contracts hold for. */
import { join } from 'node:path';
import { createSqliteStore } from '../../src/adapters/sqlite/store.ts';
import type { Store } from '../../src/ports/store/store.ts';

export type StoreKind = {
  name: string;
  /** Whether what was stored is there for one that is created later with the same directory. */
  isLasting: boolean;
  /** Of its own, as long as the directory is. */
  create(directory: string, options?: { writeMs?: number }): Store | Promise<Store>;
};

export const localKinds: readonly StoreKind[] = [
  { name: 'memory', isLasting: false, create: (_directory, options) => createSqliteStore(':memory:', options) },
  {
    name: 'sqlite',
    isLasting: true,
    create: (directory, options) => createSqliteStore(join(directory, 'contextd.db'), options),
  },
];
