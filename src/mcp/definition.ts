/** What an MCP server is, and who it is: where it is defined, and by which name (CC-32, S-21). */
import { hash } from 'node:crypto';
import type { ListedServer, McpServer } from '../context/config.ts';
import type { Scope } from '../context/context-file.ts';
import type { ServerList } from '../context/server-lists/server-list.ts';

/** Where a definition stands: in a configuration file, or in an agent. */
export type DefinitionSource =
  | Readonly<{ scope: Scope; path: string; owner: string }>
  | Readonly<{ scope: 'agent'; agentId: string }>;

/**
 * A server as it is defined now. `definedIn` is the real path of the configuration, or `agent:<id>`; `cwd` is where its
 * program works: the directory that holds the context directory, for the user's own the home directory. `list` is the kind of
 * list of another tool that has it, and `workspace` what that tool calls its workspace.
 */
export type Definition = Readonly<{
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

/** Two servers are the same when the same place defines them by the same name: 32 hexadecimal digits. */
export function idOfServer(definedIn: string, name: string): string {
  return hash('sha256', JSON.stringify([definedIn, name])).slice(0, 32);
}

export function transportOf(server: McpServer): 'stdio' | 'http' | 'sse' {
  if ('command' in server) return 'stdio';
  return server.type === 'sse' ? 'sse' : 'http';
}
