import { Unplug } from 'lucide';
import { connection } from '../api/events.ts';
import { Icon } from '../elements/icon.tsx';

/** Shown within two seconds after the daemon is gone, until it is back. */
export function ConnectionNotice() {
  const state = connection.value;
  const isGone = state === 'lost' || state === 'moved';
  return (
    <div class="connection-notice" role="alert" hidden={!isGone}>
      {isGone && (
        <>
          <Icon icon={Unplug} />
          {state === 'lost' ? (
            <p>
              The daemon does not answer. This page shows the last known state, and continues when the daemon answers
              again. If the daemon has ended: <code>contextd start --open</code>
            </p>
          ) : (
            <p>
              The daemon was restarted and has another address. This page shows the last known state. Copy what you have
              typed but not saved. To open the console at the new address: <code>contextd open</code>
            </p>
          )}
        </>
      )}
    </div>
  );
}
