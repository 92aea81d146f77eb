/** Requests of a session: making one, replying to it, looking back at it (RQ-01 … RQ-06). */

import type { Agent } from '../agent/agent.ts';
import type { AgentRecords } from '../agent/agent-records.ts';
import type { Catalogs } from '../agent/catalog.ts';
import type { SentItem } from '../agent/item.ts';
import { leavingText } from '../context/leaving-text.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { anyVersion } from '../ports/expected-version.ts';
import type { Page, SessionReader, StoredRequest } from '../ports/store/session.ts';
import type { Search } from '../search/search.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { buildRequest, type KeptRequest, sentHash } from './build-request.ts';
import { historyOf } from './history.ts';
import type { SessionMessage } from './message.ts';
import { joinKnownTools } from './pending-tools.ts';
import type {
  ChangedItem,
  NewRequest,
  RebuiltRequest,
  RequestReceipt,
  StoredReceipt,
  ToolDefinition,
} from './request.ts';
import { assembleMessages } from './request-messages.ts';
import { refOf, type SessionState } from './session.ts';
import { damageWarnings, messageChange, recentMessages } from './session-messages.ts';
import { newId, type SessionRecords } from './session-records.ts';
import { type AgentUsage, summarizeUsage } from './usage.ts';

export type RequestVerbs = Readonly<{
  /**
   * Builds what the model is to be sent. The `always` tools of servers that have told them since the session began join
   * it first. The message of the user is part of the session when it resolves. Throws
   * `not_found`, `conflict` when the agent is gone, and what `resolve` throws about `files`.
   */
  request(sessionId: string, asked: NewRequest): Promise<RequestReceipt>;
  /** Stores the reply with its request context. Throws `not_found`, and `conflict` for a second reply. */
  reply(
    sessionId: string,
    requestId: string,
    modelReply: unknown,
  ): Promise<{ message: SessionMessage; lastSyncId: number }>;
  /** Newest first; `after` is `next` of the page before. */
  listRequests(
    sessionId: string,
    page: { after?: number | undefined; limit?: number | undefined },
  ): Promise<{ requests: StoredReceipt[]; next?: number; warnings: Warning[] }>;
  /** Exactly as it was sent. Throws `not_found`, and `unavailable` when what it was made of is damaged. */
  getRequest(sessionId: string, requestId: string): Promise<RebuiltRequest>;
  /** Which items requests of the agent had. Throws `not_found`. */
  usage(agentId: string): Promise<AgentUsage>;
  /** The request contexts of all sessions, or of those of an agent, in the order of their making. */
  exportRequests(filter: { agentId?: string | undefined }): Promise<AsyncIterable<StoredReceipt>>;
}>;

/** So often a request is built anew because the items of the session changed meanwhile. */
const maxAttempts = 10;

export function createRequestVerbs(
  core: EngineCore,
  parts: { records: SessionRecords; agents: AgentRecords; catalogs: Catalogs; search: Search['search'] },
): RequestVerbs {
  const store = core.store.sessions;
  const { records, agents, catalogs, search } = parts;
  const { tokenCounts } = core;
  const maxBytes = fixedLimits.sessions.answerBytes;

  const attempt = async (sessionId: string, asked: NewRequest): Promise<RequestReceipt | undefined> => {
    const before = await records.get(sessionId);
    const found = (await agents.find(before.agentId))?.agent;
    if (found === undefined) throw new ContextdError('conflict', 'The agent of this session does not exist any more.');
    const { files = [], mentions = [] } = asked;
    const catalog = await catalogs.load({ agent: found }, { files, mentions });
    const session = await joinKnownTools(before, catalog, records);
    const agent = core.settings.maskSecrets ? withMaskedPrompt(found) : found;
    const recent = await recentMessages(store, sessionId, session.lastSyncId);
    const built = await buildRequest(asked, { session, agent, catalog, recent }, { search, tokenCounts });
    const { kept, texts, messages, tools } = built;
    const seenItems = JSON.stringify((session.state as SessionState).contextItems);
    const { result } = await records.change(sessionId, anyVersion, async ({ session: now, writer, at, append }) => {
      if (JSON.stringify((now.state as SessionState).contextItems) !== seenItems) return undefined;
      const id = newId();
      const message = { role: 'user', content: asked.message } as const;
      const syncId = await append([messageChange({ message, requestId: id })]);
      const { agentId } = now;
      const request = { id, sessionId, agentId, syncId, replySyncId: null, createdAt: at, data: kept };
      now.bytes += await writer.insertRequest(request, texts);
      await writer.countUses(agentId, at, kept.items.map(useOf));
      return { id, syncId };
    });
    if (result === undefined) return undefined;
    const { items, omitted, usage, semantic, warnings } = kept;
    const receipt = { requestContext: { items }, messages, tools, omitted, usage, semantic, warnings };
    return { requestId: result.id, ...receipt, lastSyncId: result.syncId };
  };
  const find = async (sessionId: string, requestId: string, reader: SessionReader = store): Promise<StoredRequest> => {
    const request = await reader.request(sessionId, requestId);
    if (request === undefined) throw new ContextdError('not_found', 'The session has no request with this id.');
    return request;
  };
  const rebuild = async (
    request: StoredRequest,
  ): Promise<Pick<RebuiltRequest, 'messages' | 'tools' | 'requestContext'>> => {
    const kept = request.data as KeptRequest;
    const { systemPrompt, history, items, details = [] } = kept;
    const descriptions = details.map(({ description }) => description);
    const texts = await store.texts([...kept.texts, ...descriptions, systemPrompt].filter((key) => key !== undefined));
    const range = history && { after: history.first - 1, upTo: history.last, only: 'message' as const };
    const bounds = { limit: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER };
    const changes =
      range === undefined ? [] : (await store.changes(request.sessionId, { ...range, ...bounds })).entries;
    const sent = items.map(({ type }, at) => ({ type, text: texts.get(kept.texts[at] ?? '') ?? '' }));
    const messages = assembleMessages({
      systemPrompt: systemPrompt === undefined ? undefined : texts.get(systemPrompt),
      history: historyOf(changes, { asText: kept.shaped !== true }).flatMap((part) => part.messages),
      items: sent,
      message: kept.message,
    });
    const tools = sent.flatMap(({ type, text }) => (type === 'tool' ? [JSON.parse(text) as ToolDefinition] : []));
    const described = items.map((item, at): SentItem => {
      const { priority, description: key } = details[at] ?? {};
      const description =
        item.type === 'tool' ? (JSON.parse(sent[at]?.text ?? '') as ToolDefinition).description : texts.get(key ?? '');
      const shown = description === undefined || description === '' ? {} : { description };
      return item.type === 'tool' || priority === undefined ? { ...item, ...shown } : { ...item, priority, ...shown };
    });
    if (sentHash(messages, tools) === kept.sha256) return { messages, tools, requestContext: { items: described } };
    throw new ContextdError('unavailable', 'Messages of this request are damaged; it cannot be rebuilt as it was.');
  };
  const changedItems = async ({ agentId, data }: StoredRequest): Promise<ChangedItem[]> => {
    const record = await agents.find(agentId);
    const { asked, items } = data as KeptRequest;
    const catalog = record && (await catalogs.load({ agent: record.agent }, { mentions: asked?.mentions ?? [] }));
    return items.flatMap((item): ChangedItem[] => {
      const now = catalog?.find(item);
      if (now?.sha256 === item.sha256) return [];
      return [
        { ...refOf(item), ...(now === undefined ? { change: 'missing' } : { change: 'changed', sha256: now.sha256 }) },
      ];
    });
  };

  async function* allRequests({ agentId }: { agentId?: string | undefined }): AsyncGenerator<StoredReceipt> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: Page<StoredRequest> = await store.requests({
        after,
        limit: 100,
        maxBytes,
        agentId,
      });
      yield* page.entries.map(showRequest);
      after = page.next;
    }
  }

  return Object.freeze({
    async request(sessionId, asked) {
      for (let at = 1; at <= maxAttempts; at += 1) {
        const receipt = await attempt(sessionId, asked);
        if (receipt !== undefined) return receipt;
      }
      throw new ContextdError('conflict', 'The items of the session change too often; ask again.');
    },

    async reply(sessionId, requestId, modelReply) {
      const { result, session } = await records.change(sessionId, anyVersion, async ({ writer, at, append }) => {
        const request = await find(sessionId, requestId, writer);
        if (request.replySyncId !== null) throw new ContextdError('conflict', 'The request has its reply already.');
        const { items } = request.data as KeptRequest;
        const message = { role: 'assistant' as const, modelReply, requestContext: { items } };
        const syncId = await append([messageChange({ message, requestId })]);
        await writer.updateRequest({ ...request, replySyncId: syncId });
        return { ...message, syncId, at, requestId };
      });
      return { message: result, lastSyncId: session.lastSyncId };
    },

    async listRequests(sessionId, { after, limit = 50 }) {
      const asked = { sessionId, limit, maxBytes, before: after };
      const page = await records.read(sessionId, () => store.requests(asked));
      const next = page.next === undefined ? {} : { next: page.next };
      return { requests: page.entries.map(showRequest), ...next, warnings: damageWarnings(page.damaged) };
    },

    getRequest: (sessionId, requestId) =>
      records.read(sessionId, async () => {
        const request = await find(sessionId, requestId);
        return { ...showRequest(request), ...(await rebuild(request)), changedItems: await changedItems(request) };
      }),

    async usage(agentId) {
      const { agent } = await agents.get(agentId);
      const { items, warnings } = await catalogs.load({ agent });
      return { agentId, ...summarizeUsage(items, await store.usage(agentId)), warnings: [...warnings] };
    },

    exportRequests: async (filter) => allRequests(filter),
  } satisfies RequestVerbs);
}

/** What is found in it is a warning of the catalog. */
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

/** A request as answers show it. */
export function showRequest(request: StoredRequest): StoredReceipt {
  const { id, sessionId, agentId, syncId, replySyncId, createdAt, data } = request;
  const { message, asked, items, omitted, usage, semantic, warnings } = data as KeptRequest;
  return {
    requestId: id,
    ...{ sessionId, agentId, createdAt, message, ...asked, syncId },
    ...(replySyncId === null ? {} : { replySyncId }),
    requestContext: { items },
    ...{ omitted, usage, semantic, warnings },
  };
}
