/** Hooks of Codex, as the schemas in its repository define them (source: docs/decisions.md). */
import { outputOfEvent, questionOfEvent } from './claude-events.ts';
import { filesOfPatches, type HookQuestion, type HookTool, textsAt } from './hook-tool.ts';

const hook = { type: 'command', command: 'contextd hook codex', timeout: 30 };

export const codex: HookTool = {
  id: 'codex',
  name: 'Codex',
  // Codex accepts 2,500 tokens of four bytes each. It writes a longer text to a file.
  contextLength: 9_000,
  firstStep: 'Codex runs these hooks only after you trusted the project and them: /hooks in Codex.',
  settings: {
    path: '.codex/hooks.json',
    base: {},
    entries: [
      { list: ['hooks', 'SessionStart'], entry: { hooks: [hook] } },
      { list: ['hooks', 'UserPromptSubmit'], entry: { hooks: [hook] } },
      // All tools except the shell: the files that a command opens are not known.
      { list: ['hooks', 'PreToolUse'], entry: { matcher: '^(?:apply_patch|mcp__.*)$', hooks: [hook] } },
      { list: ['hooks', 'SubagentStart'], entry: { hooks: [hook] } },
    ],
  },
  questionOf: (input, project) => questionOfEvent(input, { project, aboutTool: toolQuestion }),
  outputOf: outputOfEvent,
};

/** Tools of MCP servers may give a path any name. Only the usual names are checked. */
function toolQuestion(question: HookQuestion, tool: string, input: unknown): HookQuestion {
  const isPatch = tool === 'apply_patch';
  const files = isPatch ? filesOfPatches(input) : textsAt(input, ['file_path', 'path']);
  return { ...question, files, changes: isPatch, takesContext: files.length > 0 };
}
