import type { z } from 'zod';
import type { AgentList } from '../../../routes/agents.ts';
import { request } from './request.ts';
import { type Resource, useResource } from './resource.ts';

/** All agents of the daemon. */
export function useAgents(): Resource<z.infer<typeof AgentList>> {
  return useResource('agents', (signal) => request<z.infer<typeof AgentList>>('/v1/agents', { signal }), {
    events: ['agent-changed'],
  });
}
