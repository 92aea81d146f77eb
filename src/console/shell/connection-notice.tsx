import { Unplug } from 'lucide';
import { connection } from '../api/events.ts';
import { Icon } from '../elements/icon.tsx';

/** Shown within two seconds of the daemon being gone, until it is back. */
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
              The daemon does not answer. What you see is as it was; it goes on by itself when the daemon answers again.
              Where the daemon has ended: <code>contextd start --open</code>
            </p>
          ) : (
            <p>
              The daemon was started again and has another address. What you see is as it was: copy what you have typed
              and not saved. To open the console there: <code>contextd open</code>
            </p>
          )}
        </>
      )}
    </div>
  );
}
