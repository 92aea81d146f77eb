/** What agents and sessions have in common, built once. */
import type { EngineCore } from '../engine-core.ts';
import type { ToolSource } from '../ports.ts';
import type { Search } from '../search/search.ts';
import { createAgentRecords } from './agent-records.ts';
import { type AgentVerbs, createAgentVerbs } from './agent-verbs.ts';
import { createCatalogs } from './catalog.ts';
import { createRequestVerbs, type RequestVerbs } from './request-verbs.ts';
import { createSessionRecords } from './session-records.ts';
import { createSessionVerbs, type SessionVerbs } from './session-verbs.ts';

export type AgentGroup = { agents: AgentVerbs; sessions: SessionVerbs & RequestVerbs };

/** Without a `toolSource` there are no tools. */
export function createAgentGroup(
  core: EngineCore,
  { search, toolSource }: { search: Search['search']; toolSource?: ToolSource | undefined },
): AgentGroup {
  const records = createAgentRecords({
    store: core.store.agents,
    clock: core.clock,
    keyed: core.keyed,
    onChange: (agentId, change) => core.publish('agent-changed', { agentId, change }),
  });
  const catalogs = createCatalogs(core, toolSource);
  const sessionRecords = createSessionRecords({
    store: core.store.sessions,
    clock: core.clock,
    onChange: ({ id: sessionId, lastSyncId }) =>
      core.publish('session-changed', { sessionId, change: 'updated', lastSyncId }),
  });
  const parts = { records: sessionRecords, agents: records, catalogs, search };
  return {
    agents: createAgentVerbs(core, { records, catalogs, search }),
    sessions: { ...createSessionVerbs(core, parts), ...createRequestVerbs(core, parts) },
  };
}
