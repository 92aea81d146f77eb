/** Stores on the PostgreSQL of the run, for tests. */
import { createHash } from 'node:crypto';
import { createPostgresStore, type PostgresOptions } from '../../../src/adapters/postgres/store.ts';
import { createSqliteStore } from '../../../src/adapters/sqlite/store.ts';
import type { Store } from '../../../src/ports/store/store.ts';

/** What `createTestDatabase` has given, as the store wants it. */
export function connectionTo(address: string): PostgresOptions['connection'] {
  const { hostname: host, port, username: user, pathname } = new URL(address);
  return { host, port: Number(port), user, database: pathname.slice(1), ssl: false };
}

export function openStore(address: string, options: Partial<PostgresOptions> = {}): Promise<Store> {
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
