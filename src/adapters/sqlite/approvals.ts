import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalStore } from '../../ports/store/approval.ts';
import { hashOfApproval, intactApprovals } from '../../ports/store/approval-rows.ts';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import type { Subject } from './subject.ts';

/** Approvals of MCP servers in SQLite. A damaged approval does not count. */
export function createSqliteApprovals(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<ApprovalStore, 'list'>, ApprovalStore> {
  const list = database.prepare(
    'SELECT id, fingerprint, definition, approved_at AS approvedAt, tools, hash FROM mcp_approvals',
  );
  const put = database.prepare(
    'INSERT OR REPLACE INTO mcp_approvals (id, fingerprint, definition, approved_at, tools, hash) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const update = database.prepare(
    'UPDATE mcp_approvals SET fingerprint = ?, definition = ?, approved_at = ?, tools = ?, hash = ? WHERE id = ? AND hash = ?',
  );
  const remove = database.prepare(
    'DELETE FROM mcp_approvals WHERE id = ? AND fingerprint = ? AND approved_at = coalesce(?, approved_at)',
  );
  return {
    reads: { list: () => intactApprovals(list.all(), damaged) },
    writes: {
      put(approval) {
        const { id, fingerprint, definition, approvedAt, tools = null } = approval;
        put.run(id, fingerprint, definition, approvedAt, tools, hashOfApproval(approval));
      },
      update(before, after) {
        const { fingerprint, definition, approvedAt, tools = null } = after;
        const changed = [fingerprint, definition, approvedAt, tools, hashOfApproval(after)];
        return update.run(...changed, before.id, hashOfApproval(before)).changes === 1;
      },
      remove: ({ id, fingerprint, approvedAt }) => remove.run(id, fingerprint, approvedAt ?? null).changes === 1,
    },
  };
}
