/** Opens the store that daemons share, for commands and the daemon. */
import { LostConnection, PasswordMissing, Pooled, Unusable } from '../../adapters/postgres/refusals.ts';
import type { PostgresOptions } from '../../adapters/postgres/store.ts';
import { ContextdError } from '../../errors.ts';
import type { Store } from '../../ports/store/store.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { SharedStore } from './postgres-address.ts';

/** Throws `CommandFailure` with what to do: 69 if the server is not there now, 78 if it cannot be used. */
export function openShared(shared: SharedStore, own: Pick<PostgresOptions, 'local' | 'tell'>): Promise<Store> {
  return usingShared(shared, async () => {
    // Only daemons with a shared store load the library.
    const { createPostgresStore } = await import('../../adapters/postgres/store.ts');
    const { connection, direct, schema, tenant } = shared;
    return createPostgresStore({ connection, direct, schema, tenant, ...own });
  });
}

/** Adds the store to the message of a failure. */
export async function usingShared<Result>(shared: SharedStore, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContextdError) || error.code !== 'unavailable') throw error;
    const says = `The store ${shared.shown} cannot be used: ${error.message}${hintAbout(error, shared)}`;
    const isAway = error instanceof LostConnection && !(error instanceof Unusable);
    throw new CommandFailure(isAway ? exitCodes.unavailable : exitCodes.refused, says);
  }
}

function hintAbout(error: ContextdError, { direct }: SharedStore): string {
  if (error instanceof Pooled)
    return direct === undefined
      ? ' Name the same database without the pooler, too: --store-direct <address>, or CONTEXTD_STORE_DIRECT.'
      : ' --store-direct must lead to the same database as --store, and through no such pooler.';
  return error instanceof PasswordMissing ? ' None was given: --store-password-file <file>' : '';
}
