/** The operations on sessions (SE-01 … SE-05). */

import type { EngineCore } from '../engine-core.ts';
import { ownerOf } from '../ports/caller.ts';
import { anyVersion, type ExpectedVersion } from '../ports/expected-version.ts';
import type { SessionReader, StoredSession } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import { uniqueWarnings, type Warning } from '../warnings.ts';
import { createSession } from './create-session.ts';
import { keptMessage } from './message.ts';
import {
  applySettings,
  type NewSession,
  type Session,
  type SessionChanges,
  type SessionPatch,
  type SessionSummary,
  settingsChange,
  stateOf,
  summaryOf,
} from './session.ts';
import {
  catalogOf,
  createSessionItemVerbs,
  type SessionItemVerbs,
  type SessionParts,
  shownItems,
} from './session-item-verbs.ts';
import { damageWarnings, messageChange, recentMessages, showChange, showMessage } from './session-messages.ts';
import { checkMessages, checkToolPermission } from './token-rights.ts';

const limits = fixedLimits.sessions;

export type SessionVerbs = Readonly<{
  /**
   * Creates a session with every `always` item of the agent. Throws `not_found`, `limit_exceeded` and
   * `forbidden_scope`.
   */
  create(request: NewSession): Promise<Session>;
  /** Newest first. `after` is the `next` of the previous page. */
  list(page: { agentId?: string | undefined; after?: number | undefined; limit?: number | undefined }): Promise<{
    sessions: SessionSummary[];
    next?: number;
    warnings: Warning[];
  }>;
  get(id: string): Promise<Session>;
  /** Appends messages and changes settings, all or nothing. Throws as `create`, and `version_mismatch`. */
  patch(id: string, patch: SessionPatch, expected?: ExpectedVersion): Promise<SessionSummary>;
  delete(id: string, expected?: ExpectedVersion): Promise<void>;
  /** The changes after `since`. Everything if `since` is absent, or if the session never had this number. */
  changes(id: string, page: { since?: number | undefined; limit?: number | undefined }): Promise<SessionChanges>;
}> &
  SessionItemVerbs;

export function createSessionVerbs(core: EngineCore, parts: SessionParts): SessionVerbs {
  const store = core.store.sessions;
  const { caller, records } = parts;
  const ownerId = ownerOf(caller);

  const show = (session: StoredSession) => showSession(session, { ...parts, store });
  return Object.freeze({
    async create(request) {
      const { session, catalog } = await createSession(core, parts, request);
      core.publish('session-changed', { sessionId: session.id, change: 'created', lastSyncId: 1 }, ownerId);
      const shown = await show(session);
      // Files that could not be read when the items were chosen may be readable now, so the first warnings are kept.
      return { ...shown, warnings: uniqueWarnings([...catalog.warnings, ...shown.warnings]) };
    },

    async list({ agentId, after, limit = 100 }) {
      const page = await store.sessions({
        limit,
        maxBytes: limits.answerBytes,
        before: after,
        agentId,
        ownerId: ownerId ?? undefined,
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
        const state = stateOf(session);
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
        const warnings = damageWarnings(damaged);
        return { full: false, changes: entries.map(showChange), next, lastSyncId, warnings };
      }),

    ...createSessionItemVerbs(parts),
  } satisfies SessionVerbs);
}

async function showSession(
  session: StoredSession,
  { store, ...parts }: SessionParts & { store: SessionReader },
): Promise<Session> {
  const catalog = await catalogOf(session, parts);
  const { changes, damaged } = await recentMessages(store, session.id, session.lastSyncId);
  const messages = changes.map(showMessage);
  const earlierMessages = session.messages - messages.length - damaged;
  return {
    ...summaryOf(session),
    contextItems: shownItems(session, catalog),
    messages,
    earlierMessages: earlierMessages > 0 ? earlierMessages : undefined,
    warnings: [...(catalog?.warnings ?? []), ...damageWarnings(damaged)],
  };
}
