/** A server that takes no more connections serves those that it has (FT-07). */
import { describe, expect, it } from 'vitest';
import { openConnections } from '../../../src/adapters/postgres/connections.ts';
import { createTestDatabase, hasPostgres, onPostgres } from '../../support/shared-postgres.ts';
import { connectionTo, patience, runSql } from './support.ts';

describe.skipIf(!hasPostgres)(`a server without a connection left ${onPostgres}`, () => {
  it('FT-07 can be used by the connections that there are', async () => {
    const address = await createTestDatabase();
    const name = new URL(address).pathname.slice(1);
    const told: unknown[] = [];
    const tell = (detail: unknown) => told.push(detail);
    const connections = openConnections(connectionTo(address), { tenant: 'one', maxConnections: 2, ...patience, tell });
    const held = await connections.take();
    let isHeld = true;
    const giveUp = () => {
      if (isHeld) held.release(true);
      isHeld = false;
    };
    try {
      await runSql(address, `ALTER DATABASE ${name} CONNECTION LIMIT 1`);
      await expect(connections.take()).rejects.toThrow('PostgreSQL has no connection left.');
      expect(connections.reachability.state()).toEqual({ kind: 'postgres', available: true });
      expect(await held.run('SELECT 1 AS one')).toMatchObject({ rows: [{ one: 1 }] });
      await held.simple(`ALTER DATABASE ${name} CONNECTION LIMIT 0`);
      // The last one is given up: now there is none.
      giveUp();
      await expect(connections.take()).rejects.toThrow('PostgreSQL has no connection left.');
      expect(connections.reachability.state()).toMatchObject({ available: false });
      expect(told).toEqual(['PostgreSQL has no connection left.']);
    } finally {
      giveUp();
      await connections.close();
    }
  });
});
