/** The rows of minted tokens, the same in all stores. */
import type { StoredValue } from './row-hash.ts';
import { columnsOf, type RowKind, withHash } from './row-reader.ts';
import type { StoredToken } from './store.ts';

export const tokenKind: RowKind<StoredToken> = {
  table: 'tokens',
  subject: 'tokens',
  key: ({ id }) => String(id),
  read: ([id, label, createdAt, digest]) => ({ id, label, createdAt, digest }) as StoredToken,
};
export const tokenColumns = columnsOf('tokens');

/** The values of `tokenColumns`. */
export function tokenValues({ id, label, createdAt, digest }: StoredToken): StoredValue[] {
  return withHash(id, label, createdAt, digest);
}
