/** Takes over changes of other daemons in a shared store, and reports them to the listeners of this daemon. */
import { ContextdError } from '../errors.ts';
import type { Logger } from '../ports/ports.ts';
import type { RemoteChange } from '../ports/store/remote-change.ts';
import type { Store } from '../ports/store/store.ts';
import type { EventLog } from './event-log.ts';

type TakeOver = { tokens(): Promise<void>; approvals(): Promise<void> };

/** The names of a directory with a supplementary list that listeners of this daemon may learn. */
type NamesOf = (name: string) => Promise<readonly string[]>;

type Following = {
  /**
   * Reads remembered data again, and removes what was revoked here and may still be stored. After a failure, tries
   * again soon.
   */
  takeOver(what: keyof TakeOver): Promise<void>;
  end(): void;
};

const retryMs = 1_000;

/** Reads remembered data again whenever it may have changed in the store. */
export function followStore(
  store: Pick<Store, 'follow'>,
  parts: { publish: EventLog['publish']; namesOf: NamesOf; takeOver: TakeOver; logger: Logger },
): Following {
  const { publish, namesOf, logger } = parts;
  let isEnded = false;
  /** What waits for another try, so that there is only one timer for each. */
  const due = new Set<keyof TakeOver>();
  /** What could not be read the last time, so that the log has each failure once. */
  const failing = new Set<keyof TakeOver>();
  const takeAgain = (what: keyof TakeOver): void => {
    due.delete(what);
    void takeOver(what);
  };
  const takeOver = async (what: keyof TakeOver): Promise<void> => {
    try {
      if (!isEnded) await parts.takeOver[what]();
      failing.delete(what);
    } catch (error) {
      // What was revoked must not stay open.
      if (!failing.has(what)) logger.warn({ err: error }, `changed ${what} cannot be read; they are read again soon`);
      failing.add(what);
      if (!due.has(what)) setTimeout(takeAgain, retryMs, what).unref();
      due.add(what);
    }
  };
  const tellOfList = async (name: string): Promise<void> => {
    try {
      for (const mountedDirectory of await namesOf(name)) publish('supplementary-changed', { mountedDirectory });
    } catch (error) {
      if (isEnded) return;
      logger.warn(
        { err: error },
        'changed supplementary context cannot be read, so clients are told to ask for everything again',
      );
      publish('resync', { reason: 'store_cut_off' });
    }
  };
  const end = store.follow?.({
    changed(change) {
      if (change.type === 'tokens-changed') void takeOver('tokens');
      else if (change.type === 'approvals-changed') void takeOver('approvals');
      else if (change.type === 'supplementary-changed') void tellOfList(change.mountedDirectory);
      else tell(publish, change);
    },
    resync() {
      void takeOver('tokens');
      void takeOver('approvals');
      publish('resync', { reason: 'store_cut_off' });
    },
  });
  return {
    takeOver,
    end() {
      isEnded = true;
      end?.();
    },
  };
}

function tell(
  publish: EventLog['publish'],
  change: Exclude<RemoteChange, { type: 'tokens-changed' | 'approvals-changed' | 'supplementary-changed' }>,
): void {
  if (change.type === 'session-changed') {
    const { ownerId, sessionId, change: what, lastSyncId } = change;
    publish('session-changed', { sessionId, change: what, lastSyncId }, ownerId);
  } else publish('agent-changed', { agentId: change.agentId, change: change.change });
}

const revokedHere =
  'What was revoked is not valid here any more. Until it is out of the store, other daemons accept it, and this one after another start. This one tries each second to remove it.';

/**
 * What is revoked stops being valid here at once. If the store does not accept the revocation, `again` tries until it
 * does.
 */
export function untilStored<Verbs extends { revoke(name: string): Promise<void> }>(
  verbs: Verbs,
  again: () => Promise<void>,
): Verbs {
  return {
    ...verbs,
    async revoke(name) {
      try {
        await verbs.revoke(name);
      } catch (error) {
        const refusal = error instanceof ContextdError ? error : undefined;
        if (refusal?.code === 'not_found') throw error;
        void again();
        throw refusal ? new ContextdError(refusal.code, `${refusal.message} ${revokedHere}`) : error;
      }
    },
  };
}
