/** Makes requests of a session, stores replies, and reads past requests (RQ-01 … RQ-06). */

import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { anyVersion } from '../ports/expected-version.ts';
import type { Page, SessionReader, StoredRequest } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import { type RequestKey, receiptAgain, requestKeyOf } from './asked-again.ts';
import { keptOf, receiptOf } from './kept-request.ts';
import { makeRequest, type RequestParts } from './make-request.ts';
import type { SessionMessage } from './message.ts';
import { changedItems, rebuildRequest } from './rebuild-request.ts';
import type { NewRequest, RebuiltRequest, RequestReceipt, StoredReceipt } from './request.ts';
import { catalogOf } from './session-item-verbs.ts';
import { damageWarnings, messageChange } from './session-messages.ts';
import { type AgentUsage, summarizeUsage } from './usage.ts';

export type RequestVerbs = Readonly<{
  /**
   * Builds what to send to the model. First adds the `always` tools of servers that have listed them since the session
   * began. When this resolves, the message of the user is part of the session. With a `key` that was used before, makes
   * nothing and returns the earlier receipt. Throws `not_found`; `conflict` if the agent is gone or the key was used
   * with another request; and as `resolve` does for `files`.
   */
  request(sessionId: string, asked: NewRequest, key?: string): Promise<RequestReceipt>;
  /** Stores the reply with its request context. Throws `not_found`, and `conflict` for a second reply. */
  reply(
    sessionId: string,
    requestId: string,
    modelReply: unknown,
  ): Promise<{ message: SessionMessage; lastSyncId: number }>;
  /** Newest first. `after` is the `next` of the previous page. */
  listRequests(
    sessionId: string,
    page: { after?: number | undefined; limit?: number | undefined },
  ): Promise<{ requests: StoredReceipt[]; next?: number; warnings: Warning[] }>;
  /** Exactly as it was sent. Throws `not_found`, and `unavailable` if stored parts of it are damaged. */
  getRequest(sessionId: string, requestId: string): Promise<RebuiltRequest>;
  /** How often requests used the items of the agent. Throws `not_found`. */
  usage(agentId: string): Promise<AgentUsage>;
  /** The request contexts of all sessions, or of the sessions of an agent, oldest first. */
  exportRequests(filter: { agentId?: string | undefined }): Promise<AsyncIterable<StoredReceipt>>;
}>;

/** Max tries of a request whose items changed while it was built. */
const maxAttempts = 10;

export function createRequestVerbs(core: EngineCore, parts: RequestParts): RequestVerbs {
  const store = core.store.sessions;
  const { records, agents, catalogs } = parts;
  const maxBytes = fixedLimits.sessions.answerBytes;

  const find = async (sessionId: string, requestId: string, reader: SessionReader = store): Promise<StoredRequest> => {
    const request = await reader.request(sessionId, requestId);
    if (request === undefined) throw new ContextdError('not_found', 'The session has no request with this id.');
    return request;
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
    async request(sessionId, asked, givenKey) {
      const key = givenKey === undefined ? undefined : requestKeyOf(sessionId, givenKey, asked);
      const before = key && (await records.read(sessionId, () => store.request(sessionId, key.id)));
      if (before !== undefined) return receiptAgain(before, key as RequestKey, store);
      for (let at = 1; at <= maxAttempts; at += 1) {
        const receipt = await makeRequest(sessionId, asked, { core, key, ...parts });
        if (receipt === undefined) continue;
        return 'made' in receipt ? receiptAgain(receipt.made, key as RequestKey, store) : receipt;
      }
      throw new ContextdError('conflict', 'The items of the session change too often. Try again.');
    },

    async reply(sessionId, requestId, modelReply) {
      const { result, session } = await records.change(sessionId, anyVersion, async ({ writer, at, append }) => {
        const request = await find(sessionId, requestId, writer);
        if (request.replySyncId !== null) throw new ContextdError('conflict', 'The request already has a reply.');
        const { items } = keptOf(request);
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
        const rebuilt = await rebuildRequest(request, store);
        const catalog = await catalogOf(request, parts);
        return { ...showRequest(request), ...rebuilt, changedItems: changedItems(request, catalog) };
      }),

    async usage(agentId) {
      const { agent } = await agents.get(agentId);
      const { items, warnings } = await catalogs.load({ agent });
      return { agentId, ...summarizeUsage(items, await store.usage(agentId)), warnings: [...warnings] };
    },

    exportRequests: async (filter) => allRequests(filter),
  } satisfies RequestVerbs);
}

/** A request for answers. */
export function showRequest(request: StoredRequest): StoredReceipt {
  const { id, sessionId, agentId, syncId, replySyncId, createdAt } = request;
  const kept = keptOf(request);
  return {
    requestId: id,
    sessionId,
    agentId,
    createdAt,
    message: kept.message,
    ...kept.asked,
    syncId,
    replySyncId: replySyncId ?? undefined,
    ...receiptOf(kept),
  };
}
