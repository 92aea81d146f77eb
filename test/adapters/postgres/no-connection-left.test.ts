/** A server that takes no more connections serves those that it has (FT-07). */
import { describe, expect, it, vi } from 'vitest';
import { openConnections } from '../../../src/adapters/postgres/connections.ts';
import { openNotices } from '../../../src/adapters/postgres/notices.ts';
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

  it('FT-07 can be used where none is left for the one that listens', async () => {
    const address = await createTestDatabase();
    const name = new URL(address).pathname.slice(1);
    const told: unknown[] = [];
    const tell = (detail: unknown) => told.push(detail);
    const opened = openConnections(connectionTo(address), { tenant: 'one', maxConnections: 1, ...patience, tell });
    const connections = { ...opened, createListener: vi.fn(opened.createListener) };
    const notices = await openNotices(connections, 'contextd');
    const held = await connections.take();
    try {
      await held.simple(`ALTER DATABASE ${name} CONNECTION LIMIT 1`);
      await held.simple(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
      const tries = async () => {
        await held.run('SELECT 1');
        return connections.createListener.mock.calls.length;
      };
      await expect.poll(tries, { timeout: 30_000 }).toBeGreaterThan(3);
      expect(connections.reachability.state()).toMatchObject({ available: true, lacks: 'events' });
      expect(told).not.toContain('PostgreSQL has no connection left.');
    } finally {
      held.release(true);
      await notices.close();
      await connections.close();
    }
  });
});
