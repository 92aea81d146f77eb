/** The rows of minted tokens, the same in all stores (S-72). */
import { type DamagedRows, intactRows, rowHash } from './row-hash.ts';
import type { StoredToken } from './store.ts';

type TokenRow = StoredToken & { hash: string };

export function hashOfToken({ id, label, createdAt, digest }: StoredToken): string {
  return rowHash(id, label, createdAt, digest);
}

/** The undamaged rows. */
export function intactTokens(rows: readonly object[], damaged: DamagedRows): StoredToken[] {
  const check = { subject: 'tokens', damaged, hashOf: hashOfToken, keyOf: ({ id }: StoredToken) => id };
  const intact = intactRows<TokenRow>(rows as TokenRow[], check);
  return intact.map(({ id, label, createdAt, digest }) => ({ id, label, createdAt, digest }));
}
