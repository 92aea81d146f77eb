/** What a user added to the context of a workspace, as it is kept: paths only, never contents (SU-02). */
import type { Transactions } from './transactions.ts';

/** `path` is absolute; `id` 128 random bits in hexadecimal; `addedAt` ISO 8601 UTC. */
export type StoredSupplementaryItem = {
  id: string;
  kind: 'file' | 'folder' | 'tab';
  path: string;
  addedAt: string;
};

/** One ordered list for each mounted directory. Kind and path are in a list together once. */
export interface SupplementaryVerbs {
  /** In the order in which they were given. */
  list(mountedDirectory: string): Promise<StoredSupplementaryItem[]>;
  /** At the end of the list. An item of the same kind and path must not be in it. */
  append(mountedDirectory: string, item: StoredSupplementaryItem): Promise<void>;
  /** All of the new list or nothing of it. Kind and path are in `items` together once. */
  replace(mountedDirectory: string, items: readonly StoredSupplementaryItem[]): Promise<void>;
  /** Resolves to whose list the item was in; undefined when there is no such item. */
  remove(id: string): Promise<string | undefined>;
}
export type SupplementaryStore = SupplementaryVerbs & Transactions<SupplementaryVerbs>;
