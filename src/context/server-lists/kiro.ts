/** Servers of Kiro. `${NAME}` is its only variable; those of editors stand in some lists all the same. */
import type { ServerList } from './server-list.ts';
import { spelledAs, variableName } from './variables.ts';

export const kiroServers: ServerList = {
  tool: 'Kiro',
  in: 'root',
  firstOf: ['.kiro/settings/mcp.json'],
  formats: ['kiro'],
  key: 'mcpServers',
  variables: spelledAs(/\$\{([^{}]{1,256})\}/gu, (inner) =>
    variableName.test(inner) && inner !== 'workspaceFolder' ? { env: inner } : { unknown: `\${${inner}}` },
  ),
};
