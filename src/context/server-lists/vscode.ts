/** Servers of VS Code. Values that it asks the user for (`${input:…}`) are unknown here. */
import type { ServerList } from './server-list.ts';
import { asInEditors } from './variables.ts';

export const vscode: ServerList = {
  tool: 'VS Code',
  in: 'root',
  firstOf: ['.vscode/mcp.json'],
  formats: ['copilot', 'copilot-instructions'],
  key: 'servers',
  variables: asInEditors,
};
