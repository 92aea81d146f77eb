/** Who may call a tool without asking the user (SE-03, S-15). */

import { refuseField } from '../errors.ts';
import { type Caller, mayUse } from '../ports/caller.ts';
import type { SessionReader } from '../ports/store/session.ts';
import { stateOf } from '../session/session.ts';
import type { Definitions } from './definitions.ts';

const pointer = '/sessionId';

/**
 * The user may call any tool. The holder of a token for agents may call a tool only in its own session, if the
 * `toolPermission` of the session is `never`, which means that nobody is asked, and only if the agent of the session
 * has the server. Tools have no settings of their own here, so `tool` means that the user is asked. Throws
 * `approval_required`, and `not_found` for a session that the caller does not have.
 */
export async function demandToolPermission(
  { serverId, sessionId, caller }: { serverId: string; sessionId: string | undefined; caller: Caller },
  { sessions, definitions }: { sessions: SessionReader; definitions: Definitions },
): Promise<void> {
  if (sessionId === undefined) {
    if (caller.scope === 'user') return;
    throw refuseField(
      'approval_required',
      pointer,
      'Name the session of the call: its settings say which tools may be called.',
    );
  }
  const session = await sessions.session(sessionId);
  if (session === undefined || !mayUse(caller, session.ownerId))
    throw refuseField('not_found', pointer, 'There is no session with this id.');
  if (caller.scope === 'user') return;
  const { toolPermission } = stateOf(session);
  if (toolPermission !== 'never')
    throw refuseField(
      'approval_required',
      pointer,
      `The user must be asked before this call: \`toolPermission\` of the session is "${toolPermission}". Only the user can change it, or call the tool.`,
    );
  const { definitions: own } = await definitions.list({ agentId: session.agentId });
  if (!own.some(({ id }) => id === serverId))
    throw refuseField('approval_required', pointer, 'The agent of the session does not have this server.');
}
