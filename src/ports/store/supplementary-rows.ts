/** The rows of supplementary context, the same in all stores. */
import type { StoredValue } from './row-hash.ts';
import { columnsOf, type RowKind, withHash } from './row-reader.ts';
import type { StoredSupplementaryItem } from './supplementary.ts';

export const supplementaryKind: RowKind<StoredSupplementaryItem> = {
  table: 'supplementary_items',
  subject: 'supplementary context',
  key: ({ id }) => String(id),
  read: ([id, , kind, path, addedAt]) => ({ id, kind, path, addedAt }) as StoredSupplementaryItem,
};
export const supplementaryColumns = columnsOf('supplementary_items');

/** The values of `supplementaryColumns`. The position has no hash, because a wrong order does no harm. */
export function supplementaryValues(
  mountedDirectory: string,
  { id, kind, path, addedAt }: StoredSupplementaryItem,
): StoredValue[] {
  return withHash(id, mountedDirectory, kind, path, addedAt);
}
