/** Brings a schema up to date, however many daemons start at once. */
import { ContextdError } from '../../errors.ts';
import type { Connections, Lease } from './connections.ts';
import { migrations } from './schema.ts';

/**
 * All migrations that are missing are one transaction, and one daemon after the other looks for them. Nothing is written
 * where nothing is missing. Throws `unavailable`, also for a schema of a newer contextd.
 */
export async function migrate(connections: Connections, schema: string): Promise<void> {
  const lease = await connections.take();
  const { run, simple, release } = lease;
  // Who waits for another to be done waits as long as that takes.
  let isBroken = true;
  const numberApplied = async (): Promise<number> => {
    // `to_regclass` would go by what this connection remembers of before it waited.
    const tables = await run(`SELECT FROM pg_tables WHERE schemaname = '${schema}' AND tablename = 'migrations'`);
    if (tables.count === 0) return 0;
    const found = await run(`SELECT coalesce(max(number), 0) AS number FROM ${schema}.migrations`);
    return Number(found.rows[0]?.number);
  };
  try {
    const known = migrations.length;
    const present = await numberApplied();
    if (present > known) {
      const versions = `its schema is ${present}, this contextd knows ${known}`;
      throw new ContextdError('unavailable', `The database was written by a newer contextd (${versions}).`);
    }
    if (present < known) {
      await simple('BEGIN');
      await run(`SELECT pg_advisory_xact_lock(hashtextextended('contextd ${schema}', 0))`);
      const begun = await numberApplied();
      if (begun === 0) {
        await createSchema(lease, schema);
        await simple(`CREATE TABLE IF NOT EXISTS ${schema}.migrations
          (number int PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`);
      }
      for (const [index, migration] of migrations.entries()) {
        if (index < begun) continue;
        await simple(`${migration(schema)} INSERT INTO ${schema}.migrations (number) VALUES (${index + 1})`);
      }
      await simple('COMMIT');
    }
    isBroken = false;
  } finally {
    release(isBroken);
  }
}

/** A user that may not create one can be given one. */
async function createSchema({ run, simple }: Lease, schema: string): Promise<void> {
  const { count } = await run(`SELECT FROM pg_namespace WHERE nspname = '${schema}'`);
  if (count === 0) await simple(`CREATE SCHEMA ${schema}`);
}
