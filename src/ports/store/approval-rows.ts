/** The rows of approvals, the same in all stores. */
import type { StoredApproval } from './approval.ts';
import type { StoredValue } from './row-hash.ts';
import { columnsOf, type RowKind, withHash } from './row-reader.ts';

export const approvalKind: RowKind<StoredApproval> = {
  table: 'mcp_approvals',
  subject: 'approvals',
  key: ({ id }) => String(id),
  read: ([id, fingerprint, definition, approvedAt, tools]) =>
    ({ id, fingerprint, definition, approvedAt, tools: tools ?? undefined }) as StoredApproval,
};
export const approvalColumns = columnsOf('mcp_approvals');

/** The values of `approvalColumns`. */
export function approvalValues(approval: StoredApproval): StoredValue[] {
  const { id, fingerprint, definition, approvedAt, tools = null } = approval;
  return withHash(id, fingerprint, definition, approvedAt, tools);
}
