/** The tools whose hooks are answered. To add one, add a file beside this one and an entry here. */
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { copilotCli } from './copilot-cli.ts';
import { cursor } from './cursor.ts';
import { geminiCli } from './gemini-cli.ts';
import type { HookTool } from './hook-tool.ts';

export const hookTools: readonly HookTool[] = [claudeCode, codex, copilotCli, cursor, geminiCli];

export function hookToolOf(id: string): HookTool | undefined {
  return hookTools.find((tool) => tool.id === id);
}
