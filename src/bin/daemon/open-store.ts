/** The store of the daemon: in its state directory, or in a PostgreSQL that it shares with others. */
import type { Logger } from '../../ports/ports.ts';
import type { Store } from '../../ports/store/store.ts';
import { openShared } from '../state/open-shared.ts';
import type { SharedStore } from '../state/postgres-address.ts';

/**
 * `local`: the store in the state directory. It always keeps the granted roots, because each machine decides what may
 * be read there. Throws `CommandFailure` 69 or 78 with what to do if the shared store cannot be used.
 */
export async function openStore(local: Store, shared: SharedStore | undefined, logger: Logger): Promise<Store> {
  if (shared === undefined) return local;
  try {
    const tell = (detail: string | undefined): void => {
      if (detail === undefined) logger.info({}, 'the shared store can be used again');
      else logger.warn({ detail }, 'the shared store cannot be used');
    };
    const store = await openShared(shared, { local, tell });
    logger.info({ store: shared.shown, tenant: shared.tenant }, 'the state is in a store that several daemons share');
    return store;
  } catch (error) {
    await local.close();
    throw error;
  }
}
