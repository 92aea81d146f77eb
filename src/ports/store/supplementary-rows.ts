/** The rows of supplementary context, the same in all stores (S-72). */
import { type DamagedRows, intactRows, rowHash } from './row-hash.ts';
import type { StoredSupplementaryItem } from './supplementary.ts';

type Hashed = StoredSupplementaryItem & { mountedDirectory: string };
type SupplementaryRow = Hashed & { hash: string };

/** The hash does not include the position, because a wrong order does no harm. */
export function hashOfSupplementaryItem({ id, mountedDirectory, kind, path, addedAt }: Hashed): string {
  return rowHash(id, mountedDirectory, kind, path, addedAt);
}

/** The undamaged rows. */
export function intactSupplementaryItems(rows: readonly object[], damaged: DamagedRows): StoredSupplementaryItem[] {
  const subject = 'supplementary context';
  const check = { subject, damaged, hashOf: hashOfSupplementaryItem, keyOf: ({ id }: Hashed) => id };
  const intact = intactRows<SupplementaryRow>(rows as SupplementaryRow[], check);
  return intact.map(({ id, kind, path, addedAt }) => ({ id, kind, path, addedAt }));
}
