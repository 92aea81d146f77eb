/** Makes a request from the current state of a session (RQ-01 … RQ-04). */
import type { Agent } from '../agent/agent.ts';
import { leavingText } from '../context/leaving-text.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { anyVersion } from '../ports/expected-version.ts';
import type { StoredRequest, StoredSession } from '../ports/store/session.ts';
import type { GatherContext } from '../prompt/context-verb.ts';
import type { Search } from '../search/search.ts';
import type { RequestKey } from './asked-again.ts';
import { buildRequest } from './build-request.ts';
import { fromQuestion } from './history.ts';
import { type KeptRequest, receiptOf } from './kept-request.ts';
import { joinKnownTools } from './pending-tools.ts';
import type { NewRequest, RequestReceipt } from './request.ts';
import { stateOf } from './session.ts';
import type { SessionParts } from './session-item-verbs.ts';
import { messageChange, recentMessages } from './session-messages.ts';
import { newId, type SessionRecords } from './session-records.ts';
import { openWorkspaceContext } from './workspace-context.ts';

export type RequestParts = SessionParts & { gatherContext: GatherContext; search: Search['search'] };

/**
 * Returns undefined, and stores nothing, if the items of the session changed meanwhile. `made`: a request that was
 * already stored with the same `key`. Throws as the verb does.
 */
export async function makeRequest(
  sessionId: string,
  asked: NewRequest,
  { core, key, ...parts }: RequestParts & { core: EngineCore; key: RequestKey | undefined },
): Promise<RequestReceipt | { made: StoredRequest } | undefined> {
  const { caller, gatherContext, records, agents, catalogs, search } = parts;
  const { tokenCounts } = core;
  const before = await records.get(sessionId);
  const found = (await agents.find(before.agentId))?.agent;
  if (found === undefined) throw new ContextdError('conflict', 'The agent of this session no longer exists.');
  const { files = [], mentions = [] } = asked;
  const workspaceContext = await openWorkspaceContext(asked, found, { core, caller, gatherContext });
  const { unsaved } = workspaceContext.workspace ?? {};
  const inPlay = [...files, ...workspaceContext.inPlay];
  const catalog = await catalogs.load({ agent: found }, { files: inPlay, mentions, unsaved });
  const session = await joinKnownTools(before, catalog, records);
  const agent = core.settings.maskSecrets ? withMaskedPrompt(found) : found;
  const recent = fromQuestion(
    await recentMessages(core.store.sessions, sessionId, session.lastSyncId),
    session.messages,
  );
  const source = { session, agent, catalog, recent, workspaceContext };
  const built = await buildRequest(asked, source, { search, tokenCounts });
  const { texts, messages, tools } = built;
  const kept = key === undefined ? built.kept : { ...built.kept, keySha256: key.sha256 };
  const stored = await storeRequest(session, { kept, texts, key }, records);
  if (stored === undefined || 'made' in stored) return stored;
  return { requestId: stored.id, ...receiptOf(kept), messages, tools, lastSyncId: stored.syncId };
}

/** `texts`: those of the request, by their keys. */
type Storing = { kept: KeptRequest; texts: Map<string, string>; key: RequestKey | undefined };

/** Stores a request, and counts the uses of its items, if those of the session are still the same. */
async function storeRequest(
  session: StoredSession,
  { kept, texts, key }: Storing,
  records: SessionRecords,
): Promise<{ id: string; syncId: number } | { made: StoredRequest } | undefined> {
  const sessionId = session.id;
  const seenItems = JSON.stringify(stateOf(session).contextItems);
  const { result } = await records.change(sessionId, anyVersion, async ({ session: now, writer, at, append }) => {
    const made = key && (await writer.request(sessionId, key.id));
    if (made !== undefined) return { made };
    if (JSON.stringify(stateOf(now).contextItems) !== seenItems) return undefined;
    const id = key?.id ?? newId();
    const message = { role: 'user', content: kept.message } as const;
    const syncId = await append([messageChange({ message, requestId: id })]);
    const { agentId } = now;
    const request = { id, sessionId, agentId, syncId, replySyncId: null, createdAt: at, data: kept };
    now.bytes += await writer.insertRequest(request, texts);
    await writer.countUses({ agentId, at, uses: kept.items.map(useOf) });
    return { id, syncId };
  });
  return result;
}

/** Masks secrets in the system prompt. The warnings about them are among those of the catalog. */
function withMaskedPrompt(agent: Agent): Agent {
  const { systemPrompt } = agent;
  return systemPrompt === undefined
    ? agent
    : { ...agent, systemPrompt: leavingText(systemPrompt, { mask: true }).text };
}

function useOf(item: KeptRequest['items'][number]) {
  const { type, name, includeMode: mode, tokens, similarityScore } = item;
  const serverName = item.type === 'tool' ? item.serverName : '';
  return { type, name, serverName, mode, tokens, score: similarityScore };
}
