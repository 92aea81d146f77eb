/** Servers of Junie. */
import type { ServerList } from './server-list.ts';
import { asInEditors } from './variables.ts';

export const junieServers: ServerList = {
  tool: 'Junie',
  in: 'root',
  firstOf: ['.junie/mcp/mcp.json'],
  formats: ['junie'],
  key: 'mcpServers',
  variables: asInEditors,
};
