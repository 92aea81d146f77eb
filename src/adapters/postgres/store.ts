/** `Store` in PostgreSQL, which many daemons share. Each subject has its own file in this folder. */
import { randomBytes } from 'node:crypto';
import { ContextdError } from '../../errors.ts';
import { within } from '../../pace/within.ts';
import { createDamagedRows } from '../../ports/store/row-hash.ts';
import type { Store, StoreFigures } from '../../ports/store/store.ts';
import type { Warning } from '../../warnings.ts';
import { createPostgresAgents } from './agents.ts';
import { createPostgresApprovals } from './approvals.ts';
import { type Connections, openConnections, type PostgresConnection } from './connections.ts';
import { createPostgresExport } from './export.ts';
import { createGroupCommit } from './group-commit.ts';
import { migrate } from './migrate.ts';
import { type Notices, openNotices } from './notices.ts';
import { createOneWait } from './one-wait.ts';
import type { Tell } from './reachability.ts';
import { refusalOf } from './refusals.ts';
import { createSessionPurge } from './session-purge.ts';
import { createPostgresSessions } from './sessions.ts';
import { createSubjects, type Subject, unclear } from './subject.ts';
import { createPostgresSupplementary } from './supplementary.ts';
import { schemaPattern, tenantPattern } from './tenant-name.ts';
import { createPostgresTokens } from './tokens.ts';
import { createPostgresVectors } from './vectors.ts';

export type PostgresOptions = {
  connection: PostgresConnection;
  /** The same database without the pooler in between. Listening needs a permanent connection. */
  direct?: PostgresConnection | undefined;
  /** The schema of the deployment. It is created if it does not exist. */
  schema: string;
  /** The tenant. Other tenants cannot reach its data. */
  tenant: string;
  /** The store of this machine, for the granted roots. Closed with this store. */
  local: Pick<Store, 'roots' | 'warnings' | 'close'>;
  /** Max connections for reads and writes. One more listens. */
  maxConnections?: number;
  /** Learns when the server cannot be used, and when it can be used again. */
  tell?: Tell;
  /** Max milliseconds for a connection, and for the answer to one statement. */
  connectMs?: number;
  statementMs?: number;
  /** Max milliseconds for the work of one write. */
  writeMs?: number;
  /** Max milliseconds for a write with all its tries and its wait in the queue, until its commit. */
  patienceMs?: number;
};

/**
 * Opens the store and updates its tables. Throws `invalid_request` for an impossible name, and `unavailable` if the
 * server cannot be used.
 */
export async function createPostgresStore(options: PostgresOptions): Promise<Store> {
  const { schema, tenant, connectMs = 1_500, statementMs = 2_000, maxConnections = 5 } = options;
  if (!schemaPattern.test(schema)) throw new ContextdError('invalid_request', 'This cannot be the name of a schema.');
  if (!tenantPattern.test(tenant)) throw new ContextdError('invalid_request', 'This cannot be the name of a tenant.');
  const patience = { connectMs, statementMs };
  const { direct, tell } = options;
  const connections = openConnections(options.connection, { tenant, maxConnections, direct, tell, ...patience });
  let notices: Notices | undefined;
  try {
    // First a short statement: a server that can be reached answers it in time.
    await connections.read('SELECT');
    await bringUpToDate(options, connectMs);
    const shared = await readShared(connections, schema);
    notices = await openNotices(connections, schema);
    return storeOver(connections, { ...options, statementMs, ...shared, notices });
  } catch (error) {
    await notices?.close();
    await connections.close();
    throw refusalOf(error);
  }
}

/**
 * Creating the tables of a new version may take long, and other daemons wait for it. So this has a longer time limit.
 */
async function bringUpToDate(options: PostgresOptions, connectMs: number): Promise<void> {
  const { connection, schema, tenant, direct } = options;
  const preparing = openConnections(connection, { tenant, direct, maxConnections: 1, connectMs, statementMs: 60_000 });
  try {
    await migrate(preparing, schema);
  } finally {
    await preparing.close();
  }
}

type Opened = PostgresOptions & {
  statementMs: number;
  notices: Notices;
  sharedKey: Uint8Array;
  isAsynchronous: boolean;
};

function storeOver(connections: Connections, options: Opened): Store {
  const { schema, local, notices, statementMs, isAsynchronous, writeMs = 2_500, patienceMs = 3_000 } = options;
  const damaged = createDamagedRows();
  const group = createGroupCommit(connections, notices, {
    schema,
    writeMs,
    patienceMs,
    demandsDurability: isAsynchronous,
    lockMs: Math.floor(0.75 * statementMs),
  });
  const guard = createGuard();
  const wait = createOneWait(patienceMs + statementMs);
  const { reader, verbs, transactions } = createSubjects({ group, connections, wait, guard: guard.run });
  /** Both its single verbs and its transactions. */
  const whole = <Reader, Writer>(subject: Subject<Reader, Writer>) => ({ ...verbs(subject), ...transactions(subject) });
  const purge = createSessionPurge(schema, (work) => guard.run(() => group.write(work)));
  const sessions = createPostgresSessions(schema, { damaged, purge });
  purge.start();
  return {
    roots: local.roots,
    agents: whole(createPostgresAgents(schema, damaged)),
    sessions: { ...reader(sessions), ...transactions(sessions) },
    vectors: verbs(createPostgresVectors(schema, damaged)),
    supplementary: whole(createPostgresSupplementary(schema, damaged)),
    tokens: whole(createPostgresTokens(schema, damaged)),
    approvals: verbs(createPostgresApprovals(schema, damaged)),
    export: createPostgresExport(connections, schema, local.roots),
    sharedKey: options.sharedKey,
    together: wait.together,
    waiting: (work) => wait.ask(work, unclear),
    state: connections.reachability.state,
    follow: notices.follow,
    warnings: async () => [...(await local.warnings()), ...damaged.warnings(), ...absence(connections)],
    figures: () => readFigures(connections, schema, group.waiting),
    async close() {
      guard.close();
      await guard.idle();
      await group.end();
      await notices.close();
      await connections.close();
      await local.close();
    },
  };
}

/** Runs work until the store is closed. Resolves when the last work has ended. */
function createGuard() {
  let isClosed = false;
  let running = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    async run<Result>(work: () => Promise<Result>): Promise<Result> {
      if (isClosed) throw new ContextdError('unavailable', 'The database is closed.');
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        if (isClosed && running === 0) resolve();
      }
    },
    close() {
      isClosed = true;
      if (running === 0) resolve();
    },
    idle: () => promise,
  };
}

/** What all daemons of a tenant share, and how the server commits. */
async function readShared(connections: Connections, schema: string) {
  const { run, release } = await connections.take();
  try {
    const { rows: rights } = await run(
      'SELECT (rolsuper OR rolbypassrls)::int AS "isUnbound" FROM pg_roles WHERE rolname = current_user',
    );
    if (rights[0]?.isUnbound !== 0)
      throw new ContextdError(
        'unavailable',
        'The user of PostgreSQL is a superuser, or has BYPASSRLS: row-level security does not apply to it. Use a user without these rights.',
      );
    await run(
      `INSERT INTO ${schema}.secrets (tenant, name, value) VALUES ($1, 'shared key', $2) ON CONFLICT DO NOTHING`,
      randomBytes(32),
    );
    const { rows } = await run(
      `SELECT value, current_setting('synchronous_commit') AS mode FROM ${schema}.secrets
       WHERE tenant = $1 AND name = 'shared key'`,
    );
    return { sharedKey: rows[0]?.value as Uint8Array, isAsynchronous: rows[0]?.mode === 'off' };
  } finally {
    release(false);
  }
}

function absence(connections: Connections): Warning[] {
  const { lacks, detail, since } = connections.reachability.state();
  if (detail === undefined) return [];
  const lost = {
    all: 'Sessions, agents and approvals cannot be used; files and rules can.',
    writes: 'Nothing new can be stored; what is stored can be read.',
    events:
      'This daemon does not learn what other daemons change. What they revoke stays valid here until the connection is back.',
  }[lacks ?? 'all'];
  return [{ code: 'store_unavailable', message: `${detail} This has been so since ${since}. ${lost}` }];
}

const figuresMs = 900;

async function readFigures(connections: Connections, schema: string, waitingWrites: number): Promise<StoreFigures> {
  const none = { databaseBytes: 0, journalBytes: 0, waitingWrites };
  const count = (table: string) => `(SELECT count(*) FROM ${schema}.${table} WHERE tenant = $1)`;
  const asking = connections
    .read(
      `SELECT pg_database_size(current_database()) AS size, ${count('agents')} AS agents, ${count('sessions')} AS sessions,
         ${count('mcp_approvals')} AS approvals`,
    )
    .then(({ rows: [row] }): StoreFigures => {
      const rows = { agents: Number(row?.agents), sessions: Number(row?.sessions), approvals: Number(row?.approvals) };
      return { ...none, databaseBytes: Number(row?.size), rows };
    });
  return (
    (await within(
      figuresMs,
      asking.catch(() => none),
    )) ?? none
  );
}
