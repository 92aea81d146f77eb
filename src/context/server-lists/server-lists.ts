/** All server lists of other tools that are read in place, weakest first (FM-11). A new one is a file beside this and an entry here. */
import { joinPath } from '../../access/paths.ts';
import { claude } from './claude.ts';
import { cursorServers } from './cursor.ts';
import { geminiServers } from './gemini.ts';
import { junieServers } from './junie.ts';
import { kiloCodeServers, kiloServers } from './kilo.ts';
import { kiroServers } from './kiro.ts';
import { opencode } from './opencode.ts';
import { rooServers } from './roo.ts';
import type { ServerList } from './server-list.ts';
import { vscode } from './vscode.ts';

export const serverLists: readonly ServerList[] = [
  opencode,
  kiloCodeServers,
  kiloServers,
  junieServers,
  geminiServers,
  kiroServers,
  rooServers,
  cursorServers,
  vscode,
  claude,
];

/** The server list at a path in a directory. */
export function serverListAt(path: string, owner: string): ServerList | undefined {
  return serverLists.find(({ firstOf }) => firstOf.some((place) => joinPath(owner, place) === path));
}
