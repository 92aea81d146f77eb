import type { AgentItems } from '../../../../routes/agents.ts';
import { request } from '../../api/request.ts';
import { type Resource, useResource } from '../../api/resource.ts';

/** The items the agent has now: context files, its own items, tools. */
export function useAgentItems(agentId: string | undefined): Resource<AgentItems> {
  return useResource(
    agentId === undefined ? undefined : `items of ${agentId}`,
    (signal) => request<AgentItems>(`/v1/agents/${encodeURIComponent(agentId ?? '')}/items`, { signal }),
    {
      events: ['context-changed', 'policy-changed', 'agent-changed', 'mcp-state-changed'],
      concerns: (event) => event.type !== 'agent-changed' || event.data.agentId === agentId,
    },
  );
}
