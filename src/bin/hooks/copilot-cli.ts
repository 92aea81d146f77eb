/**
 * Hooks of Copilot CLI, as its "Hooks reference" defines them (source: docs/decisions.md), in the form that is
 * compatible with VS Code. VS Code calls them, too.
 */
import { outputOfEvent } from './claude-events.ts';
import {
  filesOfPatches,
  type HookTool,
  namedBySearch,
  questionAt,
  textAt,
  textsAt,
  type UsedPaths,
} from './hook-tool.ts';
import { pathsOfVsCodeTool } from './vscode-tools.ts';

const searchTools = ['Grep', 'Glob'];
const changingTools = ['Write', 'Edit'];
const fileTools = ['Read', ...changingTools];
/** The names of tools in events after their call. */
const ownNames = ['view', 'create', 'edit', 'str_replace_editor', 'apply_patch'];
const pathKeys = ['path', 'file_path', 'filePath'];

const hook = { type: 'command', command: 'contextd hook copilot-cli', timeoutSec: 30 };

export const copilotCli: HookTool = {
  id: 'copilot-cli',
  // It loads `CLAUDE.md` and `GEMINI.md` only at the top.
  loads: ['copilot', 'copilot-instructions', 'agents-md', 'agents-skills', 'claude-skills', 'copilot-skills'],
  name: 'Copilot CLI',
  // It accepts 10 KB from all hooks together.
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
    const [tool, toolInput] = [textAt(input, 'tool_name') ?? '', input.tool_input];
    switch (question.event) {
      case 'SessionStart':
        return { ...question, forgets: input.source !== 'resume', takesContext: true };
      case 'PreToolUse':
        return { ...question, ...pathsOf(tool, toolInput) };
      case 'PostToolUse':
        return { ...question, inPlay: pathsOf(tool, toolInput).files, takesContext: true };
      case 'PreCompact':
        return { ...question, forgets: true };
      default:
        return undefined;
    }
  },

  outputOf(question, { refusal, context }) {
    // VS Code reads only the inner object.
    const inner = outputOfEvent(question, { refusal, context });
    if (refusal !== undefined) return { permissionDecision: 'deny', permissionDecisionReason: refusal, ...inner };
    return context === undefined ? undefined : { additionalContext: context, ...inner };
  },
};

function pathsOf(tool: string, input: unknown): UsedPaths {
  const inVsCode = pathsOfVsCodeTool(tool, input);
  if (inVsCode !== undefined) return inVsCode;
  if (!searchTools.includes(tool))
    return { files: filesIn(input), searched: [], changes: changingTools.includes(tool) };
  return namedBySearch(input, { folder: pathKeys, patterns: [tool === 'Grep' ? 'glob' : 'pattern'] });
}

function filesIn(input: unknown): string[] {
  return [...textsAt(input, pathKeys), ...filesOfPatches(input)];
}
