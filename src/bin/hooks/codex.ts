/** Hooks of Codex, by the schemas of its repository (docs/decisions.md says which). */
import { outputOfEvent, questionOfEvent } from './claude-events.ts';
import { filesOfPatches, type HookQuestion, type HookTool, textsAt } from './hook-tool.ts';

const hook = { type: 'command', command: 'contextd hook codex', timeout: 30 };

export const codex: HookTool = {
  id: 'codex',
  name: 'Codex',
  // It takes 2,500 tokens, of four bytes each, and keeps what is longer in a file.
  contextLength: 9_000,
  firstStep: 'Codex runs these hooks only after you trusted the project and them: /hooks in Codex.',
  settings: {
    path: '.codex/hooks.json',
    base: {},
    entries: [
      { list: ['hooks', 'SessionStart'], entry: { hooks: [hook] } },
      { list: ['hooks', 'UserPromptSubmit'], entry: { hooks: [hook] } },
      // All but the shell, of which nothing can be said.
      { list: ['hooks', 'PreToolUse'], entry: { matcher: '^(?:apply_patch|mcp__.*)$', hooks: [hook] } },
      { list: ['hooks', 'SubagentStart'], entry: { hooks: [hook] } },
    ],
  },
  questionOf: (input, project) => questionOfEvent(input, { project, aboutTool: toolQuestion }),
  outputOf: outputOfEvent,
};

/** A tool of a server may call a path whatever it likes: the usual names are looked at. */
function toolQuestion(question: HookQuestion, tool: string, input: unknown): HookQuestion {
  const isPatch = tool === 'apply_patch';
  const files = isPatch ? filesOfPatches(input) : textsAt(input, ['file_path', 'path']);
  return { ...question, files, changes: isPatch, takesContext: files.length > 0 };
}
