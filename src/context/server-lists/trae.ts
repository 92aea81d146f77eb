/** Servers of Trae. */
import type { ServerList } from './server-list.ts';
import { asUnknown } from './variables.ts';

export const traeServers: ServerList = {
  tool: 'Trae',
  in: 'root',
  firstOf: ['.trae/mcp.json'],
  formats: ['trae'],
  key: 'mcpServers',
  variables: asUnknown,
};
