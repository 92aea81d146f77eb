/** Servers of Antigravity. */
import type { ServerList } from './server-list.ts';
import { asUnknown } from './variables.ts';

export const antigravityServers: ServerList = {
  tool: 'Antigravity',
  in: 'root',
  firstOf: ['.agents/mcp_config.json'],
  formats: ['antigravity'],
  key: 'mcpServers',
  fields: { serverUrl: 'url' },
  variables: asUnknown,
};
