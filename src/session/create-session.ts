/** Creates a session (SE-01, SE-02). */
import { defaultChatSettings } from '../agent/agent.ts';
import type { Catalog } from '../agent/catalog.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { type OwnerId, ownerOf } from '../ports/caller.ts';
import type { SessionWriter, StoredSession } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import { serversWithoutTools } from './pending-tools.ts';
import { alwaysItems, type NewSession, type SessionState, stateOf, uniteItems } from './session.ts';
import type { SessionParts } from './session-item-verbs.ts';
import { newId } from './session-records.ts';
import { checkToolPermission } from './token-rights.ts';

const limits = fixedLimits.sessions;

/** The session has the items of its parent, and every `always` item of the agent. Throws as `SessionVerbs.create`. */
export async function createSession(
  core: EngineCore,
  { caller, records, agents, catalogs }: SessionParts,
  { agentId, parentSessionId, settings }: NewSession,
): Promise<{ session: StoredSession; catalog: Catalog }> {
  const ownerId = ownerOf(caller);
  checkToolPermission(caller, settings, '/settings');
  const agent = (await agents.find(agentId))?.agent;
  if (agent === undefined) throw refuseField('not_found', '/agentId', 'There is no agent with this id.');
  const { search: _search, toolSearch: _toolSearch, ...chat } = agent.settings ?? {};
  const catalog = await catalogs.load({ agent });
  const always = alwaysItems(catalog.items);
  const session = await core.store.sessions.write(async (writer): Promise<StoredSession> => {
    await checkCount(writer, ownerId);
    const parent = parentSessionId === undefined ? undefined : await records.find(parentSessionId, writer);
    if (parentSessionId !== undefined && parent === undefined)
      throw refuseField('not_found', '/parentSessionId', 'There is no session with this id.');
    const inherited = parent === undefined ? [] : stateOf(parent).contextItems;
    const contextItems = uniteItems(inherited, always);
    const pendingServers = serversWithoutTools(catalog);
    const id = newId();
    const createdAt = new Date(core.clock.now()).toISOString();
    const created = {
      id,
      agentId,
      parentSessionId: parentSessionId ?? null,
      createdAt,
      lastSyncId: 1,
      messages: 0,
      state: {
        ...defaultChatSettings,
        ...chat,
        ...settings,
        contextItems,
        pendingServers: pendingServers.length === 0 ? undefined : pendingServers,
      } satisfies SessionState,
      ownerId,
      bytes: await writer.insertChange(id, { syncId: 1, type: 'created', at: createdAt, data: contextItems }),
    };
    await writer.insertSession(created);
    await records.checkQuota(writer);
    return created;
  });
  return { session, catalog };
}

/** Throws `limit_exceeded`. The limits for agent tokens are lower, so that the user can always create sessions. */
async function checkCount(writer: SessionWriter, ownerId: OwnerId): Promise<void> {
  const { count, ofOneToken, ofTokens } = limits;
  if (ownerId !== null && (await writer.owned(ownerId)).sessions >= ofOneToken)
    throw new ContextdError('limit_exceeded', `This token has ${ofOneToken} sessions. The user can delete some.`);
  const max = ownerId === null ? count : ofTokens;
  if ((await writer.count()) >= max)
    throw new ContextdError('limit_exceeded', `There are ${max} sessions. Delete some first.`);
}
