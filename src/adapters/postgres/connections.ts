/** Connections to one PostgreSQL: a few that are shared, and how one statement is run on them. */
import pg from 'pg';
import { ContextdError } from '../../errors.ts';
import { BoundedClient } from './bounded-client.ts';
import { createReachability, type Reachability } from './reachability.ts';
import { LostConnection, refusalOf } from './refusals.ts';
import { applicationPrefix, listenerPrefix } from './tenant-name.ts';

/** What the library's pool needs. TLS is checked as `ssl` says. */
export type PostgresConnection = {
  host: string;
  port: number;
  user: string;
  database: string;
  password?: string | (() => Promise<string>);
  ssl: pg.ClientConfig['ssl'];
};

export type Row = Record<string, string | number | Uint8Array | null>;
export type Result = { rows: Row[]; count: number };
/** Runs a statement whose `$1`, where it has any values, is the tenant; `values` begin with `$2`. */
export type Run = (text: string, ...values: readonly unknown[]) => Promise<Result>;

/** How long a connection, and the answer to one statement, may take in milliseconds. */
export type Patience = { connectMs: number; statementMs: number };

/** A connection for a while. `simple` says what the last of several statements was; `release(true)` ends the connection. */
export type Lease = { run: Run; simple(text: string): Promise<string>; release(isBroken: boolean): void };

export type Connections = {
  tenant: string;
  /** For statements that only read. One that a lost connection took along is asked again. */
  read: Run;
  take(): Promise<Lease>;
  /** A connection for good, outside of the pool, for what must not share one. */
  createListener(): pg.Client;
  /** Whether that has an address of its own, so that what becomes of it says nothing of the others. */
  isDirect: boolean;
  reachability: Reachability;
  close(): Promise<void>;
};

/** Numbers that exceed those of JavaScript do not occur: they count what is there. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)) as never,
};

export function openConnections(
  connection: PostgresConnection,
  options: { tenant: string; maxConnections: number; direct?: PostgresConnection | undefined } & Patience,
): Connections {
  const { tenant, maxConnections, connectMs, statementMs, direct } = options;
  const config = {
    ...connection,
    application_name: `${applicationPrefix}${tenant}`,
    connectionTimeoutMillis: connectMs,
    query_timeout: statementMs,
    keepAlive: true,
    // Statements go out without waiting for the answers of those before them.
    pipeline: true,
    types,
  };
  const pool = new pg.Pool({
    ...config,
    Client: BoundedClient as never,
    max: maxConnections,
    idleTimeoutMillis: 30_000,
  });
  // One that is lost is replaced when it is needed; what was under way on it is told by itself.
  pool.on('error', () => {}).on('connect', (client) => client.on('error', () => {}));
  // A pooler gives each transaction a connection that knows none of them.
  const isPrepared = direct === undefined;
  const statement = createStatements(tenant, isPrepared);
  // The password of one address is not told to the other.
  const listening = direct && { ...direct, password: direct.password };
  const reachability = createReachability(async () => {
    const client = await pool.connect();
    try {
      await client.query('SELECT');
    } finally {
      client.release();
    }
  });
  const settled = async <Answer>(asking: Promise<Answer>, isConnecting = false): Promise<Answer> => {
    const begun = performance.now();
    try {
      const answer = await asking;
      reachability.noteReached();
      return answer;
    } catch (error) {
      const refusal = refusalOf(error);
      reachability.note(refusal, isConnecting || performance.now() - begun > 0.9 * statementMs);
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

/** What a lost connection took along is asked once more, as long as there is time. */
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
      if (!(error instanceof LostConnection) || performance.now() - begun > connectMs / 2) throw error;
      return readOnce(text, values);
    }
  };
}

/** Gives each statement the name under which a connection keeps it prepared, if any may. */
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
