/** Hooks of Claude Code, as its "Hooks reference" defines them (source: docs/decisions.md). VS Code calls them, too. */
import { tools } from '../../context/formats/tools.ts';
import { outputOfEvent, questionOfEvent } from './claude-events.ts';
import { type HookQuestion, type HookTool, namedBySearch, textAt, textsAt } from './hook-tool.ts';
import { pathsOfVsCodeTool } from './vscode-tools.ts';

const pathKeys = ['file_path', 'notebook_path', 'filePath'];
/** Tools that search a path. Default: the working directory. */
const searchTools = ['Grep', 'Glob', 'LS'];
const changingTools = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'];
const fileTools = ['Read', 'NotebookRead', ...changingTools];

const loadedByVsCode = tools.find(({ id }) => id === 'copilot')?.reads;

const hook = { type: 'command', command: 'contextd hook claude-code', timeout: 30 };

export const claudeCode: HookTool = {
  id: 'claude-code',
  name: 'Claude Code',
  // Claude Code accepts 10,000 characters. It writes a longer text to a file.
  contextLength: 9_500,
  settings: {
    path: '.claude/settings.json',
    base: {},
    entries: [
      { list: ['hooks', 'SessionStart'], entry: { hooks: [hook] } },
      { list: ['hooks', 'UserPromptSubmit'], entry: { hooks: [hook] } },
      {
        list: ['hooks', 'PreToolUse'],
        entry: { matcher: [...fileTools, ...searchTools].join('|'), hooks: [hook] },
      },
      { list: ['hooks', 'SubagentStart'], entry: { hooks: [hook] } },
    ],
  },

  questionOf(input, project) {
    const question = questionOfEvent(input, { project, aboutTool: toolQuestion });
    // Events of Claude Code have no time.
    const isOfVsCode = textAt(input, 'timestamp') !== undefined;
    return question && isOfVsCode ? { ...question, loads: loadedByVsCode } : question;
  },
  outputOf: outputOfEvent,
};

/** For an unknown tool, such as one of an MCP server, all usual names of paths are read. Rules apply to files only. */
function toolQuestion(question: HookQuestion, tool: string, input: unknown): HookQuestion {
  const inVsCode = pathsOfVsCodeTool(tool, input);
  if (inVsCode !== undefined) return { ...question, ...inVsCode, takesContext: inVsCode.files.length > 0 };
  if (!searchTools.includes(tool)) {
    const files = textsAt(input, [...pathKeys, 'path']);
    return { ...question, files, changes: changingTools.includes(tool), takesContext: files.length > 0 };
  }
  const patterns = [tool === 'Grep' ? 'glob' : 'pattern'];
  return { ...question, ...namedBySearch(input, { folder: ['path'], patterns }), takesContext: false };
}
