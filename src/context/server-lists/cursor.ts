/** Servers of Cursor. */
import type { ServerList } from './server-list.ts';
import { asInEditors } from './variables.ts';

export const cursorServers: ServerList = {
  tool: 'Cursor',
  in: 'root',
  firstOf: ['.cursor/mcp.json'],
  formats: ['cursor', 'cursorrules'],
  key: 'mcpServers',
  variables: asInEditors,
};
