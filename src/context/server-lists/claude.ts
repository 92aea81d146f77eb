/** Servers of Claude Code. It reads `.mcp.json` from the directory it works in upwards. */
import type { ServerList } from './server-list.ts';
import { spelledAs, withDefault } from './variables.ts';

export const claude: ServerList = {
  tool: 'Claude Code',
  in: 'every',
  firstOf: ['.mcp.json'],
  formats: ['claude-md', 'claude-rules'],
  key: 'mcpServers',
  variables: spelledAs(/\$\{([^{}]{1,256})\}/gu, (inner) =>
    /^CLAUDE_PROJECT_DIR(?::-|$)/u.test(inner) ? { place: 'workspaceFolder' } : withDefault(inner),
  ),
};
