/** Verbs about MCP servers that know none. */
import type { Engine } from '../../../src/engine.ts';
import { ContextdError } from '../../../src/errors.ts';
import type { Called } from './observed-verbs.ts';

export function createFakeServers(called: Called): Engine['mcp'] {
  const unknown = (verb: string) => async (argument: unknown) => {
    called(`mcp.${verb}`, argument);
    throw new ContextdError('not_found', 'There is no such server.');
  };
  return {
    async list(place) {
      called('mcp.list', place);
      return { servers: [], warnings: [] };
    },
    approve: unknown('approve'),
    revoke: unknown('revoke'),
    start: unknown('start'),
    stop: unknown('stop'),
    restart: unknown('restart'),
    tools: unknown('tools'),
    call: unknown('call'),
    resources: unknown('resources'),
    readResource: unknown('readResource'),
    prompts: unknown('prompts'),
    getPrompt: unknown('getPrompt'),
    async wake() {},
  };
}
