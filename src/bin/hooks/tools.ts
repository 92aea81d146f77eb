/** The tools whose hooks are answered. A new one is a file beside this and an entry here. */
import { claudeCode } from './claude-code.ts';
import type { HookTool } from './hook-tool.ts';

export const hookTools: readonly HookTool[] = [claudeCode];
