import type { ApprovalStore } from '../../ports/store/approval.ts';
import { approvalColumns, approvalKind, approvalValues } from '../../ports/store/approval-rows.ts';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { createRowReader } from '../../ports/store/row-reader.ts';
import type { Subject } from './subject.ts';

/** Approvals of MCP servers in PostgreSQL. A damaged approval does not count. */
export function createPostgresApprovals(
  schema: string,
  damaged: DamagedRows,
): Subject<Pick<ApprovalStore, 'list'>, ApprovalStore> {
  const table = `${schema}.mcp_approvals`;
  const { readAll } = createRowReader(damaged);
  return {
    reads: {
      async list({ run }) {
        const { rows } = await run(`SELECT ${approvalColumns} FROM ${table} WHERE tenant = $1`);
        return readAll(rows, approvalKind);
      },
    },
    writes: {
      async put(job, approval) {
        job.changes.push({ type: 'approvals-changed' });
        await job.run(
          `INSERT INTO ${table} (tenant, ${approvalColumns}) VALUES ($1, $2, $3, $4, $5, $6, $7)
           ON CONFLICT (tenant, id) DO UPDATE SET fingerprint = excluded.fingerprint, definition = excluded.definition,
             approved_at = excluded.approved_at, tools = excluded.tools, hash = excluded.hash`,
          ...approvalValues(approval),
        );
      },
      async update(job, before, after) {
        const [, ...changed] = approvalValues(after);
        const { count } = await job.run(
          `UPDATE ${table} SET fingerprint = $4, definition = $5, approved_at = $6, tools = $7, hash = $8
           WHERE tenant = $1 AND id = $2 AND hash = $3`,
          ...[before.id, approvalValues(before).at(-1), ...changed],
        );
        if (count === 1) job.changes.push({ type: 'approvals-changed' });
        return count === 1;
      },
      async remove(job, { id, fingerprint, approvedAt }) {
        const { count } = await job.run(
          `DELETE FROM ${table} WHERE tenant = $1 AND id = $2 AND fingerprint = $3 AND approved_at = coalesce($4, approved_at)`,
          ...[id, fingerprint, approvedAt ?? null],
        );
        if (count === 1) job.changes.push({ type: 'approvals-changed' });
        return count === 1;
      },
    },
  };
}
