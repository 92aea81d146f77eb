/** What a user added to the context of a workspace. Only paths are stored, never contents (SU-02). */
import type { Transactions } from './transactions.ts';

/** `path` is absolute; `id` 128 random bits in hexadecimal; `addedAt` ISO 8601 UTC. */
export type StoredSupplementaryItem = {
  id: string;
  kind: 'file' | 'folder' | 'tab';
  path: string;
  addedAt: string;
};

/** One ordered list per mounted directory. Kind and path are unique in a list. */
export interface SupplementaryVerbs {
  /** In the order of the list. */
  list(mountedDirectory: string): Promise<StoredSupplementaryItem[]>;
  /** Adds to the end. The list must not contain an item with the same kind and path. */
  append(mountedDirectory: string, item: StoredSupplementaryItem): Promise<void>;
  /** Replaces the whole list, or nothing. Kind and path must be unique in `items`. */
  replace(mountedDirectory: string, items: readonly StoredSupplementaryItem[]): Promise<void>;
  /** Resolves to the mounted directory of the item, or to `undefined` if there is no such item. */
  remove(id: string): Promise<string | undefined>;
}
export type SupplementaryStore = SupplementaryVerbs & Transactions<SupplementaryVerbs>;
