import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalStore } from '../../ports/store/approval.ts';
import { approvalColumns, approvalKind, approvalValues } from '../../ports/store/approval-rows.ts';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { createRowReader } from '../../ports/store/row-reader.ts';
import type { Subject } from './subject.ts';

/** Approvals of MCP servers in SQLite. A damaged approval does not count. */
export function createSqliteApprovals(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<ApprovalStore, 'list'>, ApprovalStore> {
  const list = database.prepare(`SELECT ${approvalColumns} FROM mcp_approvals`);
  const put = database.prepare(`INSERT OR REPLACE INTO mcp_approvals (${approvalColumns}) VALUES (?, ?, ?, ?, ?, ?)`);
  const update = database.prepare(
    'UPDATE mcp_approvals SET fingerprint = ?, definition = ?, approved_at = ?, tools = ?, hash = ? WHERE id = ? AND hash = ?',
  );
  const remove = database.prepare(
    'DELETE FROM mcp_approvals WHERE id = ? AND fingerprint = ? AND approved_at = coalesce(?, approved_at)',
  );
  const { readAll } = createRowReader(damaged);
  return {
    reads: { list: () => readAll(list.all(), approvalKind) },
    writes: {
      put: (approval) => void put.run(...approvalValues(approval)),
      update(before, after) {
        const [, ...changed] = approvalValues(after);
        return update.run(...changed, before.id, approvalValues(before).at(-1) ?? null).changes === 1;
      },
      remove: ({ id, fingerprint, approvedAt }) => remove.run(id, fingerprint, approvedAt ?? null).changes === 1,
    },
  };
}
