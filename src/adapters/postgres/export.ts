/** Exports everything of one tenant as the lines of one file, with the same rows as SQLite. */
import { beginExport, type ExportEntry, type ExportedRow, oneAtATime } from '../../ports/store/export.ts';
import { rowHash } from '../../ports/store/row-hash.ts';
import { isIntact } from '../../ports/store/rows.ts';
import type { RootStore, StateExport } from '../../ports/store/store.ts';
import type { Connections } from './connections.ts';
import { ofLiveSessions } from './session-purge.ts';

/** The number of the SQLite migration whose tables have these columns. */
const exportedSchema = 12;

type Table = { columns: string; order: string; where?(schema: string): string; groups?: string };

const sumOf = (name: string) => `sum(${name})::bigint AS ${name}`;

/**
 * The exported tables in order, with the columns of SQLite. Each comes after the tables that its rows refer to, or in
 * the same transaction.
 */
export const exportedTables: Readonly<Record<string, Table>> = {
  mcp_approvals: { columns: 'id, fingerprint, definition, approved_at, tools, hash', order: 'id' },
  tokens: { columns: 'position, id, label, created_at, digest, hash', order: 'position' },
  agents: { columns: 'id, summary, version, created_at, updated_at, hash, document, items', order: 'id' },
  agent_items: { columns: 'agent_id, kind, name, position, item, hash', order: 'agent_id, kind, name' },
  supplementary_items: {
    columns: 'position, id, mounted_directory, kind, path, added_at, hash',
    order: 'position',
  },
  sessions: {
    columns:
      'position, id, agent_id, parent_session_id, created_at, last_sync_id, messages, state, hash, owner_id, bytes',
    order: 'position',
  },
  session_changes: {
    columns: 'session_id, sync_id, type, at, data, hash',
    order: 'session_id, sync_id',
    where: ofLiveSessions,
  },
  session_requests: {
    columns: 'position, id, session_id, agent_id, sync_id, reply_sync_id, created_at, data, hash',
    order: 'position',
    where: ofLiveSessions,
  },
  session_texts: { columns: 'session_id, key', order: 'session_id, key', where: ofLiveSessions },
  texts: {
    columns: 'key, json',
    order: 'key',
    where: (schema) => `EXISTS (SELECT 1 FROM ${schema}.session_texts AS link
      WHERE link.tenant = $1 AND link.key = texts.key AND ${ofLiveSessions(schema)})`,
  },
  agent_requests: { columns: `agent_id, ${sumOf('requests')}`, order: 'agent_id', groups: 'agent_id' },
  item_uses: {
    columns: `agent_id, type, server_name, name, mode, ${['requests', 'tokens', 'scores'].map(sumOf).join(', ')},
      sum(score_sum) AS score_sum, min(score_min) AS score_min, max(score_max) AS score_max, max(last_at) AS last_at`,
    order: 'agent_id, type, server_name, name, mode',
    groups: 'agent_id, type, server_name, name, mode',
  },
};

/** Rows that are read at once. The largest have megabytes. */
const rowsAtOnce = 50;

/** Exports the state of one moment, with the granted roots of this daemon. Only one export at a time. */
export function createPostgresExport(
  connections: Connections,
  schema: string,
  roots: Pick<RootStore, 'list'>,
): StateExport {
  return oneAtATime(async function* exportState(about) {
    const { add, end } = beginExport({ schema: exportedSchema, ...about });
    for await (const entry of rowsOf(connections, schema, roots)) {
      const chunk = add(entry);
      if (chunk !== '') yield chunk;
    }
    yield end();
  });
}

async function* rowsOf(
  connections: Connections,
  schema: string,
  roots: Pick<RootStore, 'list'>,
): AsyncGenerator<ExportEntry> {
  for (const { path, grantedAt } of await roots.list())
    yield { table: 'granted_roots', row: { path, granted_at: grantedAt, hash: rowHash(path, grantedAt) } };
  const { run, simple, release } = await connections.take();
  let isBroken = true;
  try {
    // The reader of the export may be slow.
    await simple(
      'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 60000',
    );
    for (const [table, { columns, order, where, groups }] of Object.entries(exportedTables)) {
      const condition = where === undefined ? '' : ` AND ${where(schema)}`;
      const grouped = groups === undefined ? '' : ` GROUP BY ${groups}`;
      const select = `SELECT ${columns} FROM ${schema}.${table} WHERE tenant = $1${condition}${grouped} ORDER BY ${order}`;
      await run(`DECLARE rows NO SCROLL CURSOR FOR ${select}`);
      for (;;) {
        const { rows } = await run(`FETCH ${rowsAtOnce} FROM rows`);
        for (const row of rows) yield { table, row: isIntact(table, row) ? (row as ExportedRow) : undefined };
        if (rows.length < rowsAtOnce) break;
      }
      await simple('CLOSE rows');
    }
    await simple('COMMIT');
    isBroken = false;
  } finally {
    release(isBroken);
  }
}
