import type { ApprovalStore, StoredApproval } from '../../ports/store/approval.ts';
import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import type { Subject } from './subject.ts';

type Hashed = Omit<StoredApproval, 'tools'> & { tools?: string | null };
type Row = Hashed & { tools: string | null; hash: string };

/** Approvals of MCP servers in PostgreSQL. A damaged approval does not count. */
export function createPostgresApprovals(
  schema: string,
  damaged: DamagedRows,
): Subject<Pick<ApprovalStore, 'list'>, ApprovalStore> {
  const table = `${schema}.mcp_approvals`;
  const hashOf = ({ id, fingerprint, definition, approvedAt, tools = null }: Hashed) =>
    rowHash(id, fingerprint, definition, approvedAt, tools);
  return {
    reads: {
      async list({ run }) {
        const { rows } = await run(
          `SELECT id, fingerprint, definition, approved_at AS "approvedAt", tools, hash FROM ${table} WHERE tenant = $1`,
        );
        const check = { subject: 'approvals', damaged, hashOf, keyOf: ({ id }: Row) => id };
        return intactRows<Row>(rows as Row[], check).map(({ tools, hash: _hash, ...approval }) => ({
          ...approval,
          ...(tools === null ? {} : { tools }),
        }));
      },
    },
    writes: {
      async put(job, approval) {
        const { id, fingerprint, definition, approvedAt, tools = null } = approval;
        job.changes.push({ type: 'approvals-changed' });
        await job.run(
          `INSERT INTO ${table} (tenant, id, fingerprint, definition, approved_at, tools, hash)
           VALUES ($1, $2, $3, $4, $5, $6, $7)
           ON CONFLICT (tenant, id) DO UPDATE SET fingerprint = excluded.fingerprint, definition = excluded.definition,
             approved_at = excluded.approved_at, tools = excluded.tools, hash = excluded.hash`,
          ...[id, fingerprint, definition, approvedAt, tools, hashOf(approval)],
        );
      },
      async update(job, before, after) {
        const { fingerprint, definition, approvedAt, tools = null } = after;
        const { count } = await job.run(
          `UPDATE ${table} SET fingerprint = $4, definition = $5, approved_at = $6, tools = $7, hash = $8
           WHERE tenant = $1 AND id = $2 AND hash = $3`,
          ...[before.id, hashOf(before), fingerprint, definition, approvedAt, tools, hashOf(after)],
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
