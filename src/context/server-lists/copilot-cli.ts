/** Servers of Copilot CLI. It also reads `.mcp.json`, which wins in the same directory. */
import type { ServerList } from './server-list.ts';
import { asInShells } from './variables.ts';

export const copilotCliServers: ServerList = {
  tool: 'Copilot CLI',
  in: 'every',
  firstOf: ['.github/mcp.json'],
  formats: ['copilot', 'copilot-instructions'],
  key: 'mcpServers',
  variables: asInShells,
};
