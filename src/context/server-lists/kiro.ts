/** Servers of Kiro. */
import type { ServerList } from './server-list.ts';
import { plainName, spelledAs } from './variables.ts';

export const kiroServers: ServerList = {
  tool: 'Kiro',
  in: 'root',
  firstOf: ['.kiro/settings/mcp.json'],
  formats: ['kiro'],
  key: 'mcpServers',
  variables: spelledAs(/\$\{([^{}]{1,256})\}/gu, plainName),
};
