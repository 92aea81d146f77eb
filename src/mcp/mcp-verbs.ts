/** All verbs for MCP servers (MC-01 … MC-04, S-17 … S-33). A verb that only reads never starts anything. */

import type { EngineCore } from '../engine-core.ts';
import type { ToolSource } from '../ports/ports.ts';
import type { AgentGroup } from '../session/agent-group.ts';
import { createDefinitions } from './definitions.ts';
import { createRunVerbs, type RunVerbs } from './run-verbs.ts';
import type { ServerRuns } from './server-runs.ts';
import { createServers, type McpPorts } from './servers.ts';
import { createToolSource } from './tool-source.ts';
import { createTrustVerbs, type TrustVerbs } from './trust-verbs.ts';
import { createUseVerbs, type UseVerbs } from './use-verbs.ts';

export type McpVerbs = TrustVerbs & RunVerbs & UseVerbs;

export type McpGroup = {
  verbs: McpVerbs;
  toolSource: ToolSource;
  /** Another daemon approved or revoked something. Stops servers whose approval ended. */
  takeApprovals(): Promise<void>;
  states: ServerRuns['states'];
  dispose(): Promise<void>;
};

export async function createMcpGroup(
  core: EngineCore,
  ports: McpPorts | undefined,
  findAgent: AgentGroup['findAgent'],
): Promise<McpGroup> {
  const servers = await createServers(core, createDefinitions(core, findAgent), ports);
  return {
    verbs: Object.freeze({
      ...createTrustVerbs(core, servers),
      ...createRunVerbs(core, servers),
      ...createUseVerbs(core, servers, ports?.schemaChecker),
    }),
    toolSource: createToolSource(servers),
    takeApprovals: servers.approvals.refresh,
    states: servers.runs.states,
    dispose: servers.dispose,
  };
}
