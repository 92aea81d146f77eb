/** What can be done with sessions (SE-01 … SE-05). */

import type { AgentRecords } from '../agent/agent-records.ts';
import type { Catalog, Catalogs } from '../agent/catalog.ts';
import { type ContextItemRef, keyOfItem } from '../agent/item.ts';
import type { EngineCore } from '../engine-core.ts';
import { ContextdError } from '../errors.ts';
import { type Caller, ownerOf } from '../ports/caller.ts';
import { anyVersion, type ExpectedVersion } from '../ports/expected-version.ts';
import type { StoredSession } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import { uniqueWarnings, type Warning } from '../warnings.ts';
import { createSession } from './create-session.ts';
import { keptMessage } from './message.ts';
import {
  applySettings,
  type HeldItem,
  type NewSession,
  refOf,
  type Session,
  type SessionChanges,
  type SessionItems,
  type SessionPatch,
  type SessionState,
  type SessionSummary,
  settingsChange,
  summaryOf,
} from './session.ts';
import {
  damageWarnings,
  holds,
  messageChange,
  recentMessages,
  showChange,
  showItems,
  showMessage,
} from './session-messages.ts';
import type { ChangeContext, SessionRecords } from './session-records.ts';
import { checkMessages, checkRemoval, checkToolPermission } from './token-rights.ts';

const limits = fixedLimits.sessions;

export type SessionVerbs = Readonly<{
  /** With every `always` item of the agent. Throws `not_found`, `limit_exceeded` and `forbidden_scope`. */
  create(request: NewSession): Promise<Session>;
  /** Newest first; `after` is `next` of the page before. */
  list(page: { agentId?: string | undefined; after?: number | undefined; limit?: number | undefined }): Promise<{
    sessions: SessionSummary[];
    next?: number;
    warnings: Warning[];
  }>;
  get(id: string): Promise<Session>;
  /** Appends messages and changes settings, all or nothing. Throws as `create`, and `version_mismatch`. */
  patch(id: string, patch: SessionPatch, expected?: ExpectedVersion): Promise<SessionSummary>;
  delete(id: string, expected?: ExpectedVersion): Promise<void>;
  /** What came after `since`; all there is without it, or when the session never was at `since`. */
  changes(id: string, page: { since?: number | undefined; limit?: number | undefined }): Promise<SessionChanges>;
  /** In mode `manual`; changes nothing when it is there. Throws `not_found` for an item the agent does not have. */
  addItem(id: string, item: ContextItemRef, expected?: ExpectedVersion): Promise<SessionItems>;
  /** Whatever its mode; changes nothing when it is not there. Throws `forbidden_scope` for what only the user removes. */
  removeItem(id: string, item: ContextItemRef, expected?: ExpectedVersion): Promise<SessionItems>;
}>;

export function createSessionVerbs(
  core: EngineCore,
  parts: { caller: Caller; records: SessionRecords; agents: AgentRecords; catalogs: Catalogs },
): SessionVerbs {
  const store = core.store.sessions;
  const { caller, records, agents, catalogs } = parts;
  const ownerId = ownerOf(caller);

  const catalogOf = async ({ agentId }: StoredSession): Promise<Catalog | undefined> => {
    const record = await agents.find(agentId);
    return record && (await catalogs.load({ agent: record.agent }));
  };
  const show = async (session: StoredSession): Promise<Session> => {
    const catalog = await catalogOf(session);
    const { changes, damaged } = await recentMessages(store, session.id, session.lastSyncId);
    const messages = changes.map(showMessage);
    const earlierMessages = session.messages - messages.length - damaged;
    return {
      ...summaryOf(session),
      contextItems: shownItems(session, catalog),
      messages,
      ...(earlierMessages > 0 ? { earlierMessages } : {}),
      warnings: [...(catalog?.warnings ?? []), ...damageWarnings(damaged)],
    };
  };
  const changeItems = async (
    id: string,
    expected: ExpectedVersion,
    work: (state: SessionState, context: ChangeContext) => Promise<SessionState>,
  ): Promise<StoredSession> => {
    const { session } = await records.change(id, expected, async (context) => {
      context.session.state = await work(context.session.state as SessionState, context);
    });
    return session;
  };
  const answerItems = (session: StoredSession, catalog: Catalog | undefined): SessionItems => ({
    items: shownItems(session, catalog),
    lastSyncId: session.lastSyncId,
    warnings: [...(catalog?.warnings ?? [])],
  });

  return Object.freeze({
    async create(request) {
      const { session, catalog } = await createSession(core, parts, request);
      core.publish('session-changed', { sessionId: session.id, change: 'created', lastSyncId: 1 }, ownerId);
      const shown = await show(session);
      // What could not be read when the items were chosen may be readable by now.
      return { ...shown, warnings: uniqueWarnings([...catalog.warnings, ...shown.warnings]) };
    },

    async list({ agentId, after, limit = 100 }) {
      const page = await store.sessions({
        limit,
        maxBytes: limits.answerBytes,
        before: after,
        agentId,
        ...(ownerId === null ? {} : { ownerId }),
      });
      return {
        sessions: page.entries.map(summaryOf),
        next: page.next,
        warnings: damageWarnings(page.damaged),
      };
    },

    get: (id) => records.read(id, show),

    async patch(id, patch, expected = anyVersion) {
      checkToolPermission(caller, patch);
      checkMessages(caller, patch.appendMessages);
      const { session } = await records.change(id, expected, async ({ session, append }) => {
        await append((patch.appendMessages ?? []).map((given) => messageChange({ message: keptMessage(given) })));
        const state = session.state as SessionState;
        const settings = settingsChange(state, patch);
        if (settings === undefined) return;
        await append([{ type: 'settings', data: settings }]);
        session.state = applySettings(state, settings);
      });
      return summaryOf(session);
    },

    async delete(id, expected = anyVersion) {
      const { result } = await records.change(id, expected, async ({ session, writer }) => {
        await writer.deleteSession(id);
        return session;
      });
      core.tokenCounts.forget(`${id}:`);
      const { lastSyncId } = result;
      core.publish('session-changed', { sessionId: id, change: 'deleted', lastSyncId }, result.ownerId);
    },

    changes: (id, { since = 0, limit = limits.answerMessages }) =>
      records.read(id, async (session) => {
        const { lastSyncId } = session;
        if (since === 0 || since > lastSyncId)
          return { full: true, session: await show(session), changes: [], lastSyncId, warnings: [] };
        const range = { after: since, upTo: lastSyncId, limit, maxBytes: limits.answerBytes };
        const { entries, next, damaged } = await store.changes(id, range);
        const more = next === undefined ? {} : { next };
        const warnings = damageWarnings(damaged);
        return { full: false, changes: entries.map(showChange), ...more, lastSyncId, warnings };
      }),

    async addItem(id, ref, expected = anyVersion) {
      const before = await records.get(id);
      const catalog = await catalogOf(before);
      const exists = catalog?.find(ref) !== undefined;
      const session = await changeItems(id, expected, async (state, { append }) => {
        if (holds(state.contextItems, ref)) return state;
        if (!exists) throw refuse('/name', 'The agent has no such item.');
        const item: HeldItem = { ...refOf(ref), includeMode: 'manual' };
        if (state.contextItems.length >= limits.items)
          throw new ContextdError('limit_exceeded', `A session can hold ${limits.items} items.`);
        await append([{ type: 'item_added', data: item }]);
        return { ...state, contextItems: [...state.contextItems, item] };
      });
      return answerItems(session, catalog);
    },

    async removeItem(id, ref, expected = anyVersion) {
      const session = await changeItems(id, expected, async (state, { append }) => {
        const key = keyOfItem(ref);
        const item = state.contextItems.find((each) => keyOfItem(each) === key);
        if (item === undefined) return state;
        checkRemoval(caller, item);
        await append([{ type: 'item_removed', data: item }]);
        return { ...state, contextItems: state.contextItems.filter((each) => each !== item) };
      });
      return answerItems(session, await catalogOf(session));
    },
  } satisfies SessionVerbs);
}

function shownItems({ state }: StoredSession, catalog: Catalog | undefined) {
  return showItems((state as SessionState).contextItems, (item) => catalog?.find(item) !== undefined);
}

function refuse(pointer: string, message: string): ContextdError {
  return new ContextdError('not_found', message, [{ pointer, message }]);
}
