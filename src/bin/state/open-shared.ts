/** The store that daemons share, as commands and the daemon open it. */
import type { PostgresOptions } from '../../adapters/postgres/store.ts';
import { ContextdError } from '../../errors.ts';
import type { Store } from '../../ports/store/store.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { SharedStore } from './postgres-address.ts';

/** Throws `CommandFailure` 78 with what to do when it cannot be used. */
export function openShared(shared: SharedStore, local: PostgresOptions['local']): Promise<Store> {
  return usingShared(shared, async () => {
    // A daemon without it does not load the library.
    const { createPostgresStore } = await import('../../adapters/postgres/store.ts');
    const { connection, schema, tenant } = shared;
    return createPostgresStore({ connection, schema, tenant, local });
  });
}

/** Says for what fails which store it is about. */
export async function usingShared<Result>(
  { connection, shown }: SharedStore,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContextdError) || error.code !== 'unavailable') throw error;
    const isWithout = connection.password === undefined && process.env.PGPASSFILE === undefined;
    const hint = isWithout ? ' No password was given; where it needs one: --store-password-file <file>' : '';
    throw new CommandFailure(exitCodes.refused, `The store ${shown} cannot be used: ${error.message}${hint}`);
  }
}
