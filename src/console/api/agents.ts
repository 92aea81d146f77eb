import type { AgentList } from '../../../routes/agents.ts';
import { request } from './request.ts';
import { type Resource, useResource } from './resource.ts';

/** All agents of the daemon. */
export function useAgents(): Resource<AgentList> {
  return useResource('agents', (signal) => request<AgentList>('/v1/agents', { signal }), {
    events: ['agent-changed'],
  });
}
