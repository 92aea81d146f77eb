/** Servers of Amazon Q, for agents without a list of their own. */
import type { ServerList } from './server-list.ts';
import { spelledAs, variableName } from './variables.ts';

export const amazonQServers: ServerList = {
  tool: 'Amazon Q',
  in: 'root',
  firstOf: ['.amazonq/mcp.json'],
  formats: ['amazon-q'],
  key: 'mcpServers',
  variables: spelledAs(/\$\{env:([^{}]{1,256})\}/gu, (inner) =>
    variableName.test(inner) ? { env: inner } : undefined,
  ),
};
