import type { ApprovalStore, StoredApproval } from '../../ports/store/approval.ts';
import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import type { Subject } from './subject.ts';

type Row = Omit<StoredApproval, 'tools'> & { tools: string | null; hash: string };

/** Approvals of MCP servers in PostgreSQL. A damaged one is none. */
export function createPostgresApprovals(
  schema: string,
  damaged: DamagedRows,
): Subject<Pick<ApprovalStore, 'list'>, ApprovalStore> {
  const table = `${schema}.mcp_approvals`;
  const hashOf = ({ id, fingerprint, definition, approvedAt, tools }: Omit<Row, 'hash'>) =>
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
      async put(job, { tools = null, ...approval }: Omit<StoredApproval, 'tools'> & { tools?: string | null }) {
        const { id, fingerprint, definition, approvedAt } = approval;
        job.changes.push({ type: 'approvals-changed' });
        await job.run(
          `INSERT INTO ${table} (tenant, id, fingerprint, definition, approved_at, tools, hash)
           VALUES ($1, $2, $3, $4, $5, $6, $7)
           ON CONFLICT (tenant, id) DO UPDATE SET fingerprint = excluded.fingerprint, definition = excluded.definition,
             approved_at = excluded.approved_at, tools = excluded.tools, hash = excluded.hash`,
          ...[id, fingerprint, definition, approvedAt, tools, hashOf({ ...approval, tools })],
        );
      },
      async remove(job, id) {
        job.changes.push({ type: 'approvals-changed' });
        return (await job.run(`DELETE FROM ${table} WHERE tenant = $1 AND id = $2`, id)).count === 1;
      },
    },
  };
}
