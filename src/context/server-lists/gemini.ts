/** Servers of Gemini CLI, in its settings. `url` uses server-sent events, `httpUrl` streamable HTTP. */
import type { ServerList } from './server-list.ts';
import { asInShells } from './variables.ts';

export const geminiServers: ServerList = {
  tool: 'Gemini CLI',
  in: 'root',
  firstOf: ['.gemini/settings.json'],
  formats: ['gemini'],
  key: 'mcpServers',
  fields: { httpUrl: 'url' },
  urlType: 'sse',
  variables: asInShells,
};
