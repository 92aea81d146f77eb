/**
 * Imports an export into PostgreSQL. Nothing in it is executed: its rows are only values of statements in this file.
 */
import { ContextdError } from '../../errors.ts';
import {
  type ExportCounts,
  type ExportedRow,
  type FaultOf,
  faultOfRow,
  readExport,
  refuse,
} from '../../ports/store/export.ts';
import { openConnections, type PostgresConnection, type Run } from './connections.ts';
import { exportedTables } from './export.ts';
import { migrate } from './migrate.ts';
import { listenerPrefix } from './tenant-name.ts';

type ImportOptions = {
  /** Replaces everything that the tenant has. Otherwise the tenant must have nothing. */
  replace: boolean;
  /** The key of the stored hashes. */
  key: Uint8Array;
  faultOf: FaultOf;
};

type Target = { connection: PostgresConnection; direct?: PostgresConnection; tenant: string; schema: string };
/** `run`: runs statements in the transaction of the import. */
type Destination = { run: Run; schema: string };

/** Granted roots belong to a machine, so they are not imported. */
const tables = Object.keys(exportedTables);
/** Other tables with data of a tenant. */
const others = ['deleted_sessions', 'vectors'];
const numbered = ['tokens', 'supplementary_items', 'sessions', 'session_requests'];

/**
 * Imports all or nothing. Throws `conflict` if there is data that must not be replaced, or a daemon of the tenant runs;
 * `unavailable` and `storage_full` as the store does.
 */
export async function importIntoPostgres(
  { connection, direct, tenant, schema }: Target,
  chunks: AsyncIterable<Uint8Array>,
  options: ImportOptions,
): Promise<ExportCounts> {
  const patience = { connectMs: 5_000, statementMs: 60_000 };
  const connections = openConnections(connection, { tenant, direct, maxConnections: 1, ...patience });
  try {
    await migrate(connections, schema);
    const lease = await connections.take();
    let isBroken = true;
    try {
      await lease.simple('BEGIN; SET CONSTRAINTS ALL DEFERRED');
      await demandNoDaemon(lease.run, tenant);
      const destination = { run: lease.run, schema };
      await makeRoom(destination, options);
      const counts = await fill(destination, chunks, options);
      await lease.run(
        `INSERT INTO ${schema}.secrets (tenant, name, value) VALUES ($1, $2, $3)
         ON CONFLICT (tenant, name) DO UPDATE SET value = excluded.value`,
        ...['shared key', options.key],
      );
      if ((await lease.simple('COMMIT')) !== 'COMMIT')
        throw new ContextdError('unavailable', 'PostgreSQL has undone the import.');
      isBroken = false;
      return counts;
    } finally {
      // Without a commit, the end of the connection undoes everything.
      lease.release(isBroken);
    }
  } finally {
    await connections.close();
  }
}

/**
 * A running daemon would go on hashing with another key. Each daemon has a listening connection. Other connections do
 * not count, because poolers keep them after the daemon has ended.
 */
async function demandNoDaemon(run: Run, tenant: string): Promise<void> {
  const { rows } = await run(
    `SELECT $1::text, count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = $2`,
    `${listenerPrefix}${tenant}`,
  );
  if (Number(rows[0]?.count) > 0)
    throw new ContextdError('conflict', 'Daemons of this tenant are running. Stop all of them first.');
}

async function makeRoom({ run, schema }: Destination, { replace }: ImportOptions): Promise<void> {
  for (const table of [...tables.toReversed(), ...others]) {
    if (replace) await run(`DELETE FROM ${schema}.${table} WHERE tenant = $1`);
    else if ((await run(`SELECT 1 FROM ${schema}.${table} WHERE tenant = $1 LIMIT 1`)).count > 0)
      throw new ContextdError('conflict', 'There is state already in PostgreSQL. Replace it with --replace.');
  }
}

type Columns = { names: string[]; types: string[] };

async function fill(
  destination: Destination,
  chunks: AsyncIterable<Uint8Array>,
  { faultOf }: ImportOptions,
): Promise<ExportCounts> {
  const { run, schema } = destination;
  const columns = new Map<string, Columns>();
  for (const table of tables) columns.set(table, await columnsOf(destination, table));
  let batches = new Map<string, ExportedRow[]>();
  const flush = async (): Promise<void> => {
    const written = batches;
    batches = new Map();
    for (const [table, rows] of written) {
      const { names, types } = columns.get(table) as Columns;
      const arrays = types.map((type, index) => `$${index + 2}::${type}[]`).join(', ');
      await run(
        `INSERT INTO ${schema}.${table} (tenant, ${names.join(', ')}) SELECT $1, * FROM unnest(${arrays})`,
        ...names.map((name) => rows.map((row) => row[name] ?? null)),
      );
    }
  };
  async function* flushed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      yield chunk;
      // All lines of the chunk have been read.
      await flush();
    }
  }
  const counts = await readExport(flushed(), {
    header() {},
    row(table, row, where) {
      if (table === 'granted_roots') return;
      const known = columns.get(table)?.names;
      const fault = known === undefined ? 'it has other columns' : faultOfRow(table, row, { columns: known, faultOf });
      if (fault !== undefined) throw refuse(`${where} does not fit: ${fault}`);
      const batch = batches.get(table) ?? [];
      batch.push(row);
      batches.set(table, batch);
    },
  });
  await flush();
  for (const table of numbered)
    await run(
      `SELECT setval(pg_get_serial_sequence($2, 'position'), greatest(max(position), nextval(pg_get_serial_sequence($2, 'position'))))
       FROM ${schema}.${table} WHERE tenant = $1`,
      `${schema}.${table}`,
    );
  const { granted_roots: _, ...rows } = counts.rows;
  return { ...counts, rows };
}

/** The columns that an export has: without the tenant, and without columns that only PostgreSQL has. */
async function columnsOf({ run, schema }: Destination, table: string): Promise<Columns> {
  const { rows } = await run(
    `SELECT $1::text, column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = $2 AND table_name = $3 AND column_name NOT IN ('tenant', 'stripe') ORDER BY ordinal_position`,
    ...[schema, table],
  );
  return { names: rows.map(({ name }) => `${name}`), types: rows.map(({ type }) => `${type}`) };
}
