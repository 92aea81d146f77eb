import { Unplug } from 'lucide';
import { connection } from '../api/events.ts';
import { Icon } from '../elements/icon.tsx';

/** Shown within two seconds of the daemon being gone, until it is back. */
export function ConnectionNotice() {
  const isLost = connection.value === 'lost';
  return (
    <div class="connection-notice" role="alert" hidden={!isLost}>
      {isLost && (
        <>
          <Icon icon={Unplug} />
          <p>
            The daemon does not answer. What you see is as it was; it goes on by itself when the daemon is back. To
            start it: <code>contextd start</code>
          </p>
        </>
      )}
    </div>
  );
}
