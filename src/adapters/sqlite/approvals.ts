import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalStore, StoredApproval } from '../../ports/store/approval.ts';
import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import type { Subject } from './subject.ts';

type Row = Omit<StoredApproval, 'tools'> & { tools: string | null; hash: string };

/** Approvals of MCP servers in SQLite. A damaged one is none. */
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
  const remove = database.prepare('DELETE FROM mcp_approvals WHERE id = ?');
  const hashOf = ({ id, fingerprint, definition, approvedAt, tools }: Omit<Row, 'hash'>) =>
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
      put({ tools = null, ...approval }: Omit<StoredApproval, 'tools'> & { tools?: string | null }) {
        const { id, fingerprint, definition, approvedAt } = approval;
        put.run(id, fingerprint, definition, approvedAt, tools, hashOf({ ...approval, tools }));
      },
      remove: (id) => remove.run(id).changes === 1,
    },
  };
}
