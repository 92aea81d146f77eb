import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalStore, StoredApproval } from '../../ports/store/approval.ts';
import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import type { Subject } from './subject.ts';

type Hashed = Omit<StoredApproval, 'tools'> & { tools?: string | null };
type Row = Hashed & { tools: string | null; hash: string };

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
  const hashOf = ({ id, fingerprint, definition, approvedAt, tools = null }: Hashed) =>
    rowHash(id, fingerprint, definition, approvedAt, tools);
  const intact = (rows: unknown[]): StoredApproval[] =>
    intactRows<Row>(rows as Row[], { subject: 'approvals', damaged, hashOf, keyOf: ({ id }) => id }).map(
      ({ id, fingerprint, definition, approvedAt, tools }) => ({
        ...{ id, fingerprint, definition, approvedAt },
        ...(tools === null ? {} : { tools }),
      }),
    );
  return {
    reads: { list: () => intact(list.all()) },
    writes: {
      put(approval) {
        const { id, fingerprint, definition, approvedAt, tools = null } = approval;
        put.run(id, fingerprint, definition, approvedAt, tools, hashOf(approval));
      },
      update(before, after) {
        const { fingerprint, definition, approvedAt, tools = null } = after;
        const changed = [fingerprint, definition, approvedAt, tools, hashOf(after)];
        return update.run(...changed, before.id, hashOf(before)).changes === 1;
      },
      remove: ({ id, fingerprint, approvedAt }) => remove.run(id, fingerprint, approvedAt ?? null).changes === 1,
    },
  };
}
