/** Servers of Roo Code. */
import type { ServerList } from './server-list.ts';
import { asInEditors } from './variables.ts';

export const rooServers: ServerList = {
  tool: 'Roo Code',
  in: 'root',
  firstOf: ['.roo/mcp.json'],
  formats: ['roo'],
  key: 'mcpServers',
  variables: asInEditors,
};
