/** What agents and sessions have in common, built once. */
import type { EngineCore } from '../engine-core.ts';
import type { ToolSource } from '../ports.ts';
import type { Search } from '../search/search.ts';
import { createAgentRecords } from './agent-records.ts';
import { type AgentVerbs, createAgentVerbs } from './agent-verbs.ts';
import { createCatalogs } from './catalog.ts';

export type AgentGroup = { agents: AgentVerbs };

/** Without a `toolSource` there are no tools. */
export function createAgentGroup(
  core: EngineCore,
  { search, toolSource }: { search: Search['search']; toolSource?: ToolSource | undefined },
): AgentGroup {
  const records = createAgentRecords({
    store: core.store.agents,
    clock: core.clock,
    onChange: (agentId, change) => core.publish('agent-changed', { agentId, change }),
  });
  const catalogs = createCatalogs(core, toolSource);
  return { agents: createAgentVerbs(core, { records, catalogs, search }) };
}
