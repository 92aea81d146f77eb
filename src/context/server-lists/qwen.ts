/** Servers of Qwen Code, in settings like those of Gemini CLI. Its variables have no defaults. */
import { geminiServers } from './gemini.ts';
import type { ServerList } from './server-list.ts';
import { spelledAs, variableName } from './variables.ts';

export const qwenServers: ServerList = {
  ...geminiServers,
  tool: 'Qwen Code',
  firstOf: ['.qwen/settings.json'],
  formats: ['qwen'],
  variables: spelledAs(/\$(?:(\w{1,256})|\{([^{}]{1,256})\})/gu, (inner) =>
    variableName.test(inner) ? { env: inner } : undefined,
  ),
};
