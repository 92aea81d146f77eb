/** A few shared connections to one PostgreSQL, and how a statement runs on them. */
import pg from 'pg';
import { ContextdError } from '../../errors.ts';
import { BoundedClient } from './bounded-client.ts';
import { createReachability, type Reachability, type Tell } from './reachability.ts';
import { LostConnection, NoConnectionLeft, refusalOf, Unusable } from './refusals.ts';
import { applicationPrefix, listenerPrefix } from './tenant-name.ts';

/**
 * Everything that a connection needs. `host` is a name, an address, or the directory of a socket. `ssl` says how TLS is
 * checked.
 */
export type PostgresConnection = {
  host: string;
  port: number;
  user: string;
  database: string;
  /** Asked for each connection, so that a file may get another one. Absent: `PGPASSFILE` has it, or none is needed. */
  password?: string | (() => Promise<string>);
  ssl: pg.ClientConfig['ssl'];
};

export type Row = Record<string, string | number | Uint8Array | null>;
type Result = { rows: Row[]; count: number };
/** Runs a statement. If it has values, `$1` is the tenant, and `values` begin with `$2`. */
export type Run = (text: string, ...values: readonly unknown[]) => Promise<Result>;

/** Max milliseconds for a connection, and for the answer to one statement. */
type Patience = { connectMs: number; statementMs: number };

/**
 * A borrowed connection. `simple` returns the command of the last of several statements. `release(true)` ends the
 * connection.
 */
export type Lease = { run: Run; simple(text: string): Promise<string>; release(isBroken: boolean): void };

export type Connections = {
  tenant: string;
  /** For statements that only read. If the connection is lost, the statement is sent again. */
  read: Run;
  take(): Promise<Lease>;
  /** A permanent connection outside the pool, for listening, which must not share one. */
  createListener(): pg.Client;
  /** Whether the listener has its own address, so that its failures say nothing about the other connections. */
  isDirect: boolean;
  reachability: Reachability;
  close(): Promise<void>;
};

/** Numbers count existing things, so they never exceed the safe integers of JavaScript. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
};

export function openConnections(
  connection: PostgresConnection,
  options: { tenant: string; maxConnections: number; direct?: PostgresConnection | undefined; tell?: Tell } & Patience,
): Connections {
  const { tenant, maxConnections, connectMs, statementMs, direct } = options;
  const config = {
    ...connection,
    application_name: `${applicationPrefix}${tenant}`,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    keepAlive: true,
    // Statements are sent without waiting for earlier answers.
    pipeline: true,
    types,
  };
  const pool = new pg.Pool({
    ...config,
    Client: BoundedClient as never,
    max: maxConnections,
    idleTimeoutMillis: 30_000,
  });
  // A lost connection is replaced when it is needed. Its statements fail by themselves.
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  // A pooler gives each transaction another connection, which knows no prepared statements.
  const isPrepared = direct === undefined;
  const statement = createStatements(tenant, isPrepared);
  // `direct` has its own password, so that no password is sent to the other address.
  const listening = direct && { ...direct, password: direct.password };
  const reachability = createReachability(async () => {
    const client = await pool.connect();
    try {
      await client.query('SELECT');
    } finally {
      client.release();
    }
  }, options.tell);
  const settled = async <Answer>(asking: Promise<Answer>, isConnecting = false): Promise<Answer> => {
    const begun = performance.now();
    try {
      const answer = await asking;
      reachability.noteReached();
      return answer;
    } catch (error) {
      const refusal = refusalOf(error);
      // Others than this one can still be used.
      const hasOthers = refusal instanceof NoConnectionLeft && pool.totalCount > 0;
      if (!hasOthers) reachability.note(refusal, isConnecting || performance.now() - begun > 0.9 * statementMs);
      throw refusal;
    }
  };
  const take: Connections['take'] = async () => {
    reachability.demand();
    const client = await settled(pool.connect(), true);
    return {
      run: async (text, ...values) => resultOf(await settled(client.query(statement(text, values)))),
      async simple(text) {
        const answer: unknown = await settled(client.query(text));
        const last = (Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult;
        return last.command;
      },
      release: (isBroken) => client.release(isBroken),
    };
  };
  return {
    tenant,
    read: createReads(take, connectMs),
    take,
    createListener: () =>
      new BoundedClient({ ...config, ...listening, application_name: `${listenerPrefix}${tenant}` }),
    isDirect: direct !== undefined,
    reachability,
    async close() {
      reachability.end();
      await pool.end();
    },
  };
}

/** Runs a read once more if the connection was lost and there is time. */
function createReads(take: Connections['take'], connectMs: number): Run {
  const readOnce = async (text: string, values: readonly unknown[]): Promise<Result> => {
    const { run, release } = await take();
    let isBroken = true;
    try {
      const result = await run(text, ...values);
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = error instanceof LostConnection;
      throw error;
    } finally {
      release(isBroken);
    }
  };
  return async (text, ...values) => {
    const begun = performance.now();
    try {
      return await readOnce(text, values);
    } catch (error) {
      if (!(error instanceof LostConnection) || error instanceof Unusable || performance.now() - begun > connectMs / 2)
        throw error;
      return readOnce(text, values);
    }
  };
}

/** Gives each statement the name of its prepared form, if prepared statements are possible. */
function createStatements(
  tenant: string,
  isPrepared: boolean,
): (text: string, values: readonly unknown[]) => pg.QueryConfig {
  const names = new Map<string, string>();
  return (text, values) => {
    const name = names.get(text) ?? `contextd_${names.size}`;
    names.set(text, name);
    for (const value of values)
      if (typeof value === 'string' && value.includes('\0'))
        throw new ContextdError('invalid_request', 'A text with U+0000 cannot be stored.');
    return { ...(isPrepared && { name }), text, values: text.includes('$1') ? [tenant, ...values] : [] };
  };
}

function resultOf({ rows, rowCount }: pg.QueryResult): Result {
  return { rows, count: rowCount ?? 0 };
}
