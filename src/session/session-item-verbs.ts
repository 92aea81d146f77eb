/** Adds and removes items of a session (SE-04). */
import type { AgentRecords } from '../agent/agent-records.ts';
import type { Catalog, Catalogs } from '../agent/catalog.ts';
import { type ContextItemRef, keyOfItem } from '../agent/item.ts';
import { ContextdError, refuseField } from '../errors.ts';
import type { Caller } from '../ports/caller.ts';
import { anyVersion, type ExpectedVersion } from '../ports/expected-version.ts';
import type { StoredSession } from '../ports/store/session.ts';
import { fixedLimits } from '../settings.ts';
import { type HeldItem, refOf, type SessionItems, type SessionState, stateOf } from './session.ts';
import type { ChangeContext, SessionRecords } from './session-records.ts';
import { checkRemoval } from './token-rights.ts';

const maxItems = fixedLimits.sessions.items;

export type SessionItemVerbs = Readonly<{
  /**
   * Adds an item in mode `manual`. Changes nothing if the session has it. Throws `not_found` for an item that the agent
   * does not have.
   */
  addItem(id: string, item: ContextItemRef, expected?: ExpectedVersion): Promise<SessionItems>;
  /**
   * Removes an item of any mode. Changes nothing if the session does not have it. Throws `forbidden_scope` for an item
   * that only the user can remove.
   */
  removeItem(id: string, item: ContextItemRef, expected?: ExpectedVersion): Promise<SessionItems>;
}>;

export type SessionParts = { caller: Caller; records: SessionRecords; agents: AgentRecords; catalogs: Catalogs };

export function createSessionItemVerbs(parts: SessionParts): SessionItemVerbs {
  const { caller, records } = parts;

  const change = async (
    id: string,
    expected: ExpectedVersion,
    work: (state: SessionState, context: ChangeContext) => Promise<SessionState>,
  ): Promise<StoredSession> => {
    const { session } = await records.change(id, expected, async (context) => {
      context.session.state = await work(stateOf(context.session), context);
    });
    return session;
  };
  const answer = (session: StoredSession, catalog: Catalog | undefined): SessionItems => ({
    items: shownItems(session, catalog),
    lastSyncId: session.lastSyncId,
    warnings: [...(catalog?.warnings ?? [])],
  });

  return {
    async addItem(id, ref, expected = anyVersion) {
      const before = await records.get(id);
      const catalog = await catalogOf(before, parts);
      const exists = catalog?.find(ref) !== undefined;
      const session = await change(id, expected, async (state, { append }) => {
        if (findItem(state, ref) !== undefined) return state;
        if (!exists) throw noSuchItem();
        const item: HeldItem = { ...refOf(ref), includeMode: 'manual' };
        if (state.contextItems.length >= maxItems)
          throw new ContextdError('limit_exceeded', `A session can hold at most ${maxItems} items.`);
        await append([{ type: 'item_added', data: item }]);
        return { ...state, contextItems: [...state.contextItems, item] };
      });
      return answer(session, catalog);
    },

    async removeItem(id, ref, expected = anyVersion) {
      const session = await change(id, expected, async (state, { append }) => {
        const item = findItem(state, ref);
        if (item === undefined) return state;
        checkRemoval(caller, item);
        await append([{ type: 'item_removed', data: item }]);
        return { ...state, contextItems: state.contextItems.filter((each) => each !== item) };
      });
      return answer(session, await catalogOf(session, parts));
    },
  };
}

/** All present items of the agent of a session. Undefined if the agent is gone. */
export async function catalogOf(
  { agentId }: Pick<StoredSession, 'agentId'>,
  { agents, catalogs }: Pick<SessionParts, 'agents' | 'catalogs'>,
): Promise<Catalog | undefined> {
  const record = await agents.find(agentId);
  return record && (await catalogs.load({ agent: record.agent }));
}

/** The items of a session. Those that the agent does not have are marked as missing (SE-04). */
export function shownItems(session: StoredSession, catalog: Catalog | undefined): SessionItems['items'] {
  return stateOf(session).contextItems.map((item) =>
    catalog?.find(item) === undefined ? { ...item, missing: true } : item,
  );
}

function findItem({ contextItems }: SessionState, ref: ContextItemRef): HeldItem | undefined {
  const key = keyOfItem(ref);
  return contextItems.find((item) => keyOfItem(item) === key);
}

function noSuchItem(): ContextdError {
  return refuseField('not_found', '/name', 'The agent has no such item.');
}
