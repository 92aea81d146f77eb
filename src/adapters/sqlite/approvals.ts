import type { DatabaseSync } from 'node:sqlite';
import type { ApprovalStore, StoredApproval } from '../../ports/store/approval.ts';
import { refusing } from './database.ts';
import { type DamagedRows, intactRows, rowHash } from './row-hash.ts';

type Row = Omit<StoredApproval, 'tools'> & { tools: string | null; hash: string };

/** Approvals of MCP servers in SQLite. A damaged one is none. */
export function createSqliteApprovals(database: DatabaseSync, damaged: DamagedRows): ApprovalStore {
  const columns = 'id, fingerprint, definition, approved_at AS approvedAt, tools, hash';
  const list = database.prepare(`SELECT ${columns} FROM mcp_approvals`);
  const get = database.prepare(`SELECT ${columns} FROM mcp_approvals WHERE id = ?`);
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
    list: () => intact(refusing(() => list.all())),
    get(id) {
      const row = refusing(() => get.get(id));
      return row === undefined ? undefined : intact([row])[0];
    },
    put({ tools = null, ...approval }: Omit<StoredApproval, 'tools'> & { tools?: string | null }) {
      const { id, fingerprint, definition, approvedAt } = approval;
      refusing(() => put.run(id, fingerprint, definition, approvedAt, tools, hashOf({ ...approval, tools })));
    },
    remove: (id) => refusing(() => remove.run(id).changes === 1),
  };
}
