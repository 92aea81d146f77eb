import './sessions.css';
import { MessagesSquare } from 'lucide';
import { EmptyState, Panel } from '../../elements/panel.tsx';
import { route } from '../../route.ts';
import { OpenSession } from './open-session.tsx';
import { SessionList } from './session-list.tsx';

/** The list of sessions, and the session that the address names (`session=`). */
export function SessionsView() {
  const chosen = route.value.params.get('session') ?? undefined;
  return (
    <div class="sessions" data-open={chosen !== undefined}>
      <SessionList chosen={chosen} />
      {chosen === undefined ? (
        <Panel title="Session" class="sessions-nothing">
          <EmptyState icon={MessagesSquare} title="No session is chosen">
            Choose one to see its messages, what its model is given, and why.
          </EmptyState>
        </Panel>
      ) : (
        <OpenSession key={chosen} sessionId={chosen} />
      )}
    </div>
  );
}
