/** What the daemon remembers, and where: in its state directory, or in a PostgreSQL that it shares with others. */
import type { PostgresOptions } from '../../adapters/postgres/store.ts';
import { ContextdError } from '../../errors.ts';
import type { Logger } from '../../ports/ports.ts';
import type { Store } from '../../ports/store/store.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { SharedStore } from '../state/postgres-address.ts';

/**
 * `own` is the store in the state directory. It keeps granted roots in any case: what may be read here is decided here. Throws
 * `CommandFailure` 78 with what to do when the shared one cannot be used.
 */
export async function openStore(own: Store, shared: SharedStore | undefined, logger: Logger): Promise<Store> {
  if (shared === undefined) return own;
  try {
    const store = await openShared(shared, { local: own, logger });
    logger.info({ store: shared.shown, tenant: shared.tenant }, 'what daemons share is kept there');
    return store;
  } catch (error) {
    await own.close();
    throw error;
  }
}

/** A store that other daemons may have open, too. Throws `CommandFailure` 78. */
export async function openShared(
  { connection, shown, tenant }: SharedStore,
  parts: Pick<PostgresOptions, 'local' | 'logger'>,
): Promise<Store> {
  // A daemon without it does not load the library.
  const { createPostgresStore } = await import('../../adapters/postgres/store.ts');
  try {
    return await createPostgresStore({ ...parts, connection, tenant });
  } catch (error) {
    if (!(error instanceof ContextdError)) throw error;
    throw new CommandFailure(exitCodes.refused, `The store ${shown} cannot be used: ${error.message}`);
  }
}
