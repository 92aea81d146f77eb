/** Updates a schema, even if many daemons start at once. */
import { ContextdError } from '../../errors.ts';
import type { Connections, Lease } from './connections.ts';
import { migrations } from './schema.ts';

/**
 * Runs all missing migrations in one transaction, one daemon after the other. Writes nothing if none is missing. Throws
 * `unavailable`, also for the schema of a newer contextd.
 */
export async function migrate(connections: Connections, schema: string): Promise<void> {
  const lease = await connections.take();
  const { run, simple, release } = lease;
  // While another daemon migrates, this one waits without a limit.
  let isBroken = true;
  const numberApplied = async (): Promise<number> => {
    // `to_regclass` would use what this connection cached before it waited.
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

/** A user without the right to create a schema can use one that somebody else created. */
async function createSchema({ run, simple }: Lease, schema: string): Promise<void> {
  const { count } = await run(`SELECT FROM pg_namespace WHERE nspname = '${schema}'`);
  if (count === 0) await simple(`CREATE SCHEMA ${schema}`);
}
