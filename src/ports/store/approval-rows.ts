/** The rows of approvals, the same in all stores (S-72). */
import type { StoredApproval } from './approval.ts';
import { type DamagedRows, intactRows, rowHash } from './row-hash.ts';

type Hashed = Omit<StoredApproval, 'tools'> & { tools?: string | null };
type ApprovalRow = Hashed & { tools: string | null; hash: string };

export function hashOfApproval({ id, fingerprint, definition, approvedAt, tools = null }: Hashed): string {
  return rowHash(id, fingerprint, definition, approvedAt, tools);
}

/** The undamaged rows. */
export function intactApprovals(rows: readonly object[], damaged: DamagedRows): StoredApproval[] {
  const check = { subject: 'approvals', damaged, hashOf: hashOfApproval, keyOf: ({ id }: Hashed) => id };
  const intact = intactRows<ApprovalRow>(rows as ApprovalRow[], check);
  return intact.map(({ id, fingerprint, definition, approvedAt, tools }) => ({
    id,
    fingerprint,
    definition,
    approvedAt,
    ...(tools === null ? {} : { tools }),
  }));
}
