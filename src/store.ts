/**
 * What outlives the process, by subject. Every write is durable when it returns; every verb throws `storage_full` when
 * the disk is full (S-71) and `unavailable` when the storage cannot be used.
 */

/** A root the user granted for good. `grantedAt` is ISO 8601 UTC. */
export type StoredRoot = { path: string; grantedAt: string };

export interface RootStore {
  /** Ordered by path. */
  list(): StoredRoot[];
  /** Returns false when it was there already. */
  add(root: StoredRoot): boolean;
  /** Returns false when it was not there. */
  remove(path: string): boolean;
}

export interface Store {
  readonly roots: RootStore;
  close(): void;
}
