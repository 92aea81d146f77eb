/** Stores on the PostgreSQL of the run, for tests. */
import { createHash } from 'node:crypto';
import pg from 'pg';
import { createPostgresStore, type PostgresOptions } from '../../../src/adapters/postgres/store.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import type { StoredSession } from '../../../src/ports/store/session.ts';
import type { Store } from '../../../src/ports/store/store.ts';

/** What `createTestDatabase` has given, as the store wants it. */
export function connectionTo(address: string): PostgresOptions['connection'] {
  const { hostname: host, port, username: user, pathname } = new URL(address);
  return { host, port: Number(port), user, database: pathname.slice(1), ssl: false };
}

/** More than a machine takes that has other things to do: what is tested does not depend on how fast it is. */
export const patience = { connectMs: 30_000, statementMs: 30_000, writeMs: 30_000, patienceMs: 30_000 };

export function openStore(address: string, options: Partial<PostgresOptions> = {}): Promise<Store> {
  return openAsDaemon(address, { ...patience, ...options });
}

/** As patient as a daemon is. */
export function openAsDaemon(address: string, options: Partial<PostgresOptions>): Promise<Store> {
  const local = createSqliteStore(':memory:');
  return createPostgresStore({
    connection: connectionTo(address),
    schema: 'contextd',
    tenant: 'default',
    local,
    ...options,
  });
}

/** A name that no other test has. */
export function tenantOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24);
}

/** Runs statements as a daemon of a tenant could; of none when it is absent. Answers the rows of the last one. */
export async function runSql(address: string, text: string, tenant?: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...connectionTo(address), application_name: tenant && `contextd ${tenant}` });
  await client.connect();
  try {
    const answer: unknown = await client.query(text);
    return ((Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryResult).rows;
  } finally {
    await client.end();
  }
}

export function sessionOf(id: string, fields: Partial<StoredSession> = {}): StoredSession {
  const made = { id, agentId: 'a', parentSessionId: null, createdAt: '2026-01-01T00:00:00.000Z', lastSyncId: 0 };
  return { ...made, messages: 0, state: {}, ownerId: null, bytes: 0, ...fields };
}

/** Appends a message as a session does: what it reads is what it changes. */
export function appendMessage(store: Store, sessionId: string, data: unknown): Promise<number> {
  return store.sessions.write(async (writer) => {
    const session = await writer.session(sessionId);
    if (session === undefined) throw new Error('no session');
    const syncId = session.lastSyncId + 1;
    await writer.insertChange(sessionId, { syncId, type: 'message', at: session.createdAt, data });
    await writer.updateSession({ ...session, lastSyncId: syncId, messages: session.messages + 1 });
    return syncId;
  });
}

/** Locks a row as a daemon does that is stuck in a write; the answer lets it go. */
export async function holdRow(address: string, table: string, id: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ ...connectionTo(address), application_name: 'contextd default' });
  await client.connect();
  await client.query('BEGIN');
  await client.query(`SELECT FROM contextd.${table} WHERE id = $1 FOR UPDATE`, [id]);
  return () => client.end();
}
