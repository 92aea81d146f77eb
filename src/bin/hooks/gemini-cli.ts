/** Hooks of Gemini CLI, as its "Hooks reference" defines them (source: docs/decisions.md). */
import { type HookTool, namedBy, namedBySearch, questionAt, textAt, textsAt, type UsedPaths } from './hook-tool.ts';

const changingTools = ['write_file', 'replace'];
const fileTools = ['read_file', 'read_many_files', ...changingTools];
const searchTools = ['glob', 'grep_search', 'search_file_content', 'list_directory'];
const folderKeys = ['dir_path', 'path'];

const hook = { type: 'command', name: 'contextd', command: 'contextd hook gemini-cli', timeout: 30_000 };

export const geminiCli: HookTool = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  contextLength: 50_000,
  settings: {
    path: '.gemini/settings.json',
    base: {},
    entries: [
      { list: ['hooks', 'SessionStart'], entry: { hooks: [hook] } },
      { list: ['hooks', 'BeforeAgent'], entry: { hooks: [hook] } },
      { list: ['hooks', 'BeforeTool'], entry: { matcher: [...fileTools, ...searchTools].join('|'), hooks: [hook] } },
      { list: ['hooks', 'AfterTool'], entry: { matcher: fileTools.join('|'), hooks: [hook] } },
      { list: ['hooks', 'PreCompress'], entry: { hooks: [hook] } },
    ],
  },

  questionOf(input, project) {
    const question = questionAt(input, project);
    if (question === undefined) return undefined;
    switch (question.event) {
      case 'SessionStart':
        return { ...question, forgets: input.source !== 'resume', takesContext: true };
      case 'BeforeAgent':
        return { ...question, prompt: textAt(input, 'prompt') ?? '', mentionsInWords: true, takesContext: true };
      case 'BeforeTool':
        return { ...question, ...pathsOf(textAt(input, 'tool_name') ?? '', input.tool_input) };
      case 'AfterTool':
        return { ...question, inPlay: namedIn(input.tool_input).files, takesContext: true };
      case 'PreCompress':
        return { ...question, forgets: true };
      default:
        return undefined;
    }
  },

  outputOf({ event }, { refusal, context }) {
    if (refusal !== undefined) return { decision: 'deny', reason: refusal };
    if (context === undefined) return undefined;
    return { hookSpecificOutput: { hookEventName: event, additionalContext: context } };
  },
};

function pathsOf(tool: string, input: unknown): UsedPaths {
  if (!searchTools.includes(tool)) return { ...namedIn(input), changes: changingTools.includes(tool) };
  const patterns = ['include', 'include_pattern', ...(tool === 'glob' ? ['pattern'] : [])];
  return namedBySearch(input, { folder: folderKeys, patterns });
}

/** Also the paths in patterns of `read_many_files`. */
function namedIn(input: unknown): UsedPaths {
  const { include, paths } = (input ?? {}) as { include?: unknown; paths?: unknown };
  const many = [include, paths].flat().filter((each): each is string => typeof each === 'string');
  const { files, searched } = namedBy(many, '.');
  return { files: [...textsAt(input, ['file_path', 'absolute_path', 'path']), ...files], searched };
}
