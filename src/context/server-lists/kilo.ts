/** Servers of Kilo: in a configuration like that of opencode, and in the list of earlier versions. */
import { opencode } from './opencode.ts';
import { rooServers } from './roo.ts';
import type { ServerList } from './server-list.ts';

export const kiloServers: ServerList = {
  ...opencode,
  tool: 'Kilo Code',
  in: 'root',
  firstOf: ['.kilo/kilo.jsonc', '.kilo/kilo.json', 'kilo.jsonc', 'kilo.json'],
  formats: ['kilo'],
};

export const kiloCodeServers: ServerList = {
  ...rooServers,
  tool: 'Kilo Code',
  firstOf: ['.kilocode/mcp.json'],
  formats: ['kilo'],
};
