/** Builds once what agents and sessions share. */

import type { Agent } from '../agent/agent.ts';
import { createAgentRecords } from '../agent/agent-records.ts';
import { type AgentVerbs, createAgentVerbs } from '../agent/agent-verbs.ts';
import { createCatalogs } from '../agent/catalog.ts';
import type { EngineCore } from '../engine-core.ts';
import { type Caller, theUser } from '../ports/caller.ts';
import type { ToolSource } from '../ports/ports.ts';
import type { GatherContext } from '../prompt/context-verb.ts';
import type { ItemQuestion, OfferedItems } from '../prompt/gather-rules.ts';
import type { Search } from '../search/search.ts';
import { offerItems } from './offer-items.ts';
import { createRequestVerbs, type RequestVerbs } from './request-verbs.ts';
import { createSessionRecords } from './session-records.ts';
import { createSessionVerbs, type SessionVerbs } from './session-verbs.ts';

/** What a caller can do with its own sessions. Usage and export are only for the user. */
export type OwnSessions = SessionVerbs & Omit<RequestVerbs, 'usage' | 'exportRequests'>;

export type AgentGroup = {
  agents: AgentVerbs;
  /** The verbs for the user. */
  sessions: SessionVerbs & RequestVerbs;
  sessionsOf(caller: Caller): OwnSessions;
  /** With its secrets. */
  findAgent(agentId: string): Promise<Agent | undefined>;
  /** The items of an agent or session for a prompt. Throws `not_found` for one that the caller does not have. */
  offerItems(caller: Caller, question: ItemQuestion): Promise<OfferedItems>;
};

/** Without a `toolSource` there are no tools. */
export function createAgentGroup(
  core: EngineCore,
  parts: { search: Search['search']; gatherContext: GatherContext; toolSource?: ToolSource | undefined },
): AgentGroup {
  const { search, gatherContext, toolSource } = parts;
  const records = createAgentRecords({
    store: core.store.agents,
    clock: core.clock,
    keyed: core.keyed,
    onChange: (agentId, change) => core.publish('agent-changed', { agentId, change }),
  });
  const catalogs = createCatalogs(core, toolSource);
  const partsFor = (caller: Caller) => {
    const sessionRecords = createSessionRecords({
      caller,
      store: core.store.sessions,
      clock: core.clock,
      quotaBytes: core.settings.agentTokenBytes,
      onChange: ({ id: sessionId, lastSyncId, ownerId }) =>
        core.publish('session-changed', { sessionId, change: 'updated', lastSyncId }, ownerId),
    });
    return { caller, records: sessionRecords, agents: records, catalogs, search, gatherContext };
  };
  const sessionsOf = (caller: Caller): SessionVerbs & RequestVerbs => {
    const parts = partsFor(caller);
    return { ...createSessionVerbs(core, parts), ...createRequestVerbs(core, parts) };
  };
  return {
    agents: createAgentVerbs(core, { records, catalogs, search }),
    sessions: sessionsOf(theUser),
    sessionsOf,
    findAgent: async (agentId) => (await records.find(agentId))?.agent,
    offerItems: (caller, question) => offerItems(question, { ...partsFor(caller), tokenCounts: core.tokenCounts }),
  };
}
