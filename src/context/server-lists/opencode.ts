/** Servers of opencode, which reads its configuration from the directory it works in upwards. */
import type { ServerList } from './server-list.ts';
import { spelledAs, withDefault } from './variables.ts';

export const opencode: ServerList = {
  tool: 'opencode',
  in: 'every',
  firstOf: ['opencode.jsonc', 'opencode.json'],
  formats: ['opencode'],
  key: 'mcp',
  fields: { environment: 'env' },
  variables: spelledAs(/\{((?:env|file):[^{}]{1,256})\}/gu, (inner) =>
    inner.startsWith('env:') ? withDefault(inner.slice(4)) : { unknown: `{${inner}}` },
  ),
};
