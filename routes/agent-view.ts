/** Shows MCP servers to agent tokens: the program or the host, but no arguments, which may be secrets (S-26). */

import type { Agent } from '../src/agent/agent.ts';
import type { ResolveResult } from '../src/context/resolve-result.ts';
import type { McpServerEntry, McpServerList } from '../src/mcp/server-requests.ts';
import type { Caller } from '../src/ports/caller.ts';
import { mask, maskEach, maskPath } from '../src/texts/mask.ts';

/** The changed fields whose values agents may see. These values are not secret. */
const shownChanges = /^(?:program|foundAs|cwd|transport|name|scope|definedIn|unverifiable)$|^(?:files|below)\./u;

/** The list of servers that a caller may see. */
export function listFor(caller: Caller, { servers, warnings }: McpServerList): McpServerList {
  return { servers: caller.scope === 'agent' ? servers.map(entryForAgents) : servers, warnings };
}

/** Masks arguments, addresses and changed values. Reasons name only fields, so they stay. */
function entryForAgents(entry: McpServerEntry): McpServerEntry {
  const { command, url, env, headers, changes } = entry;
  return {
    ...entry,
    command: command?.map((part, at) => (at === 0 ? part : mask)),
    url: url && maskPath(url),
    env: env && maskEach(env),
    headers: headers && maskEach(headers),
    changes: changes?.map(({ field, before, after }) => {
      const shown = (value: string | undefined) => (value === undefined || shownChanges.test(field) ? value : mask);
      return { field, before: shown(before), after: shown(after) };
    }),
  };
}

export function resultForAgents(result: ResolveResult): ResolveResult {
  const { config } = result;
  return { ...result, config: { ...config, mcpServers: withoutArguments(config.mcpServers) } };
}

export function agentForAgents(agent: Agent): Agent {
  return agent.mcpServers === undefined ? agent : { ...agent, mcpServers: withoutArguments(agent.mcpServers) };
}

/** Values of `env` and `headers` are already masked, for every caller. */
function withoutArguments<Server extends object>(servers: Record<string, Server>): Record<string, Server> {
  const entries = Object.entries(servers).map(([name, server]): [string, Server] => {
    const { args, url } = server as { args?: string[]; url?: string };
    return [name, { ...server, args: args?.map(() => mask), url: url === undefined ? undefined : maskPath(url) }];
  });
  // `fromEntries` defines own properties, so a server named `__proto__` is only a name.
  return Object.fromEntries(entries);
}
