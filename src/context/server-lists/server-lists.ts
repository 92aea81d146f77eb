/**
 * All server lists of other tools that are read in place, weakest first (FM-11). A new one is a file beside this and an
 * entry here.
 */
import { joinPath } from '../../access/paths.ts';
import { amazonQServers } from './amazon-q.ts';
import { antigravityServers } from './antigravity.ts';
import { claude } from './claude.ts';
import { codexServers } from './codex.ts';
import { copilotCliServers } from './copilot-cli.ts';
import { crushServers, hiddenCrushServers } from './crush.ts';
import { cursorServers } from './cursor.ts';
import { geminiServers } from './gemini.ts';
import { grokServers } from './grok.ts';
import { junieServers } from './junie.ts';
import { kiloCodeServers, kiloServers } from './kilo.ts';
import { kiroServers } from './kiro.ts';
import { opencode } from './opencode.ts';
import { qwenServers } from './qwen.ts';
import { rooServers } from './roo.ts';
import type { ServerList } from './server-list.ts';
import { traeServers } from './trae.ts';
import { vscode } from './vscode.ts';
import { zedServers } from './zed.ts';

export const serverLists: readonly ServerList[] = [
  crushServers,
  hiddenCrushServers,
  amazonQServers,
  traeServers,
  grokServers,
  zedServers,
  opencode,
  kiloCodeServers,
  kiloServers,
  junieServers,
  qwenServers,
  antigravityServers,
  geminiServers,
  kiroServers,
  rooServers,
  codexServers,
  cursorServers,
  vscode,
  copilotCliServers,
  claude,
];

/** The server list at a path in a directory. */
export function serverListAt(path: string, owner: string): ServerList | undefined {
  return serverLists.find(({ firstOf }) => firstOf.some((place) => joinPath(owner, place) === path));
}
