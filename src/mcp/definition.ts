/** The definition of an MCP server, and its identity: where it is defined, and with which name (CC-32, S-21). */
import { hash } from 'node:crypto';
import type { Scope } from '../context/item-values.ts';
import type { ListedServer, McpServer } from '../context/server-entry.ts';
import type { ServerList } from '../context/server-lists/server-list.ts';
import { shellWord } from '../texts/shell-word.ts';

/** The source of a definition: a configuration file or an agent. */
export type DefinitionSource =
  | Readonly<{ scope: Scope; path: string; owner: string }>
  | Readonly<{ scope: 'agent'; agentId: string }>;

/**
 * The present definition of a server. `definedIn`: the real path of the configuration, or `agent:<id>`. `cwd`: the
 * working directory of its program. It is the directory with the context directory, or for the user's own servers the
 * home directory. `list`: the kind of list, if it is in a list of another tool. `workspace`: the directory that this
 * tool calls its workspace.
 */
export type ServerDefinition = Readonly<{
  id: string;
  name: string;
  scope: Scope | 'agent';
  definedIn: string;
  source: DefinitionSource;
  cwd: string;
  server: ListedServer;
  workspace: string;
  list?: ServerList;
}>;

/** An id of 32 hexadecimal digits. Two servers are the same if they have the same source and the same name. */
export function idOfServer(definedIn: string, name: string): string {
  return hash('sha256', JSON.stringify([definedIn, name])).slice(0, 32);
}

/** The command that lists the server, whatever directory it is run in. */
export function listCommand({ source }: ServerDefinition): string {
  if (source.scope === 'agent') return `contextd mcp list --agent ${source.agentId}`;
  return source.scope === 'global' ? 'contextd mcp list' : `contextd mcp list -d ${shellWord(source.owner)}`;
}

/** The command that starts the server, whatever directory it is run in. */
export const startCommand = (id: string): string => `contextd mcp start ${id}`;

export function transportOf(server: McpServer): 'stdio' | 'http' | 'sse' {
  if ('command' in server) return 'stdio';
  return server.type === 'sse' ? 'sse' : 'http';
}
