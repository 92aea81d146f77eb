/** Hooks of Copilot CLI, by its "Hooks reference" (docs/decisions.md says which), in the form that is compatible with VS Code. */
import { filesOfPatch, type HookQuestion, type HookTool, namedBy, questionAt, textAt, textsAt } from './hook-tool.ts';

const searchTools = ['Grep', 'Glob'];
const changingTools = ['Write', 'Edit'];
const fileTools = ['Read', ...changingTools];
/** As they are called after they ran. */
const ownNames = ['view', 'create', 'edit', 'str_replace_editor', 'apply_patch'];
const pathKeys = ['path', 'file_path', 'filePath'];

const hook = { type: 'command', command: 'contextd hook copilot-cli', timeoutSec: 30 };

export const copilotCli: HookTool = {
  id: 'copilot-cli',
  // Of `CLAUDE.md` and `GEMINI.md` it loads those at the top alone.
  loads: ['copilot', 'copilot-instructions', 'agents-md', 'agents-skills', 'claude-skills', 'copilot-skills'],
  name: 'Copilot CLI',
  // It takes 10 KB of all hooks together.
  contextLength: 9_000,
  refusesWithout: 'what it is about to do with a file',
  settings: {
    path: '.github/hooks/contextd.json',
    base: { version: 1 },
    entries: [
      { list: ['hooks', 'SessionStart'], entry: hook },
      { list: ['hooks', 'PreToolUse'], entry: { ...hook, matcher: [...fileTools, ...searchTools].join('|') } },
      { list: ['hooks', 'PostToolUse'], entry: { ...hook, matcher: [...ownNames, ...fileTools].join('|') } },
      { list: ['hooks', 'PreCompact'], entry: hook },
    ],
  },

  questionOf(input, project) {
    const question = questionAt(input, project);
    if (question === undefined) return undefined;
    switch (question.event) {
      case 'SessionStart':
        return { ...question, forgets: input.source !== 'resume', takesContext: true };
      case 'PreToolUse':
        return { ...question, ...pathsOf(textAt(input, 'tool_name') ?? '', input.tool_input) };
      case 'PostToolUse':
        return { ...question, inPlay: filesIn(input.tool_input), takesContext: true };
      case 'PreCompact':
        return { ...question, forgets: true };
      default:
        return undefined;
    }
  },

  outputOf(_, { refusal, context }) {
    if (refusal !== undefined) return { permissionDecision: 'deny', permissionDecisionReason: refusal };
    return context === undefined ? undefined : { additionalContext: context };
  },
};

function pathsOf(tool: string, input: unknown): Pick<HookQuestion, 'files' | 'searched' | 'changes'> {
  if (!searchTools.includes(tool))
    return { files: filesIn(input), searched: [], changes: changingTools.includes(tool) };
  const [folder = '.'] = textsAt(input, pathKeys);
  const { files, searched } = namedBy(textsAt(input, [tool === 'Grep' ? 'glob' : 'pattern']), folder);
  return { files, searched: [folder, ...searched] };
}

/** A patch is a text of its own, or in one of these fields. */
function filesIn(input: unknown): string[] {
  const patches = typeof input === 'string' ? [input] : textsAt(input, ['input', 'patch', 'command']);
  return [...textsAt(input, pathKeys), ...patches.flatMap(filesOfPatch)];
}
