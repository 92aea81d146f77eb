/** Hooks of Claude Code, by its "Hooks reference" (docs/decisions.md says which). VS Code calls them, too. */
import { tools } from '../../context/formats/tools.ts';
import { outputOfEvent, questionOfEvent } from './claude-events.ts';
import { type HookQuestion, type HookTool, namedBy, textAt, textsAt } from './hook-tool.ts';
import { pathsOfVsCodeTool } from './vscode-tools.ts';

const pathKeys = ['file_path', 'notebook_path', 'filePath'];
/** Tools that look through what lies at a path; it is the working directory where none is given. */
const searchTools = ['Grep', 'Glob', 'LS'];
const changingTools = ['Edit', 'MultiEdit', 'Write', 'NotebookEdit'];
const fileTools = ['Read', 'NotebookRead', ...changingTools];

const loadedByVsCode = tools.find(({ id }) => id === 'copilot')?.reads;

const hook = { type: 'command', command: 'contextd hook claude-code', timeout: 30 };

export const claudeCode: HookTool = {
  id: 'claude-code',
  name: 'Claude Code',
  // It takes 10,000 characters of a hook, and keeps what is longer in a file.
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

/** Of a tool that is not its own, a server's for example, whatever it calls a path. Rules are about files only. */
function toolQuestion(question: HookQuestion, tool: string, input: unknown): HookQuestion {
  const inVsCode = pathsOfVsCodeTool(tool, input);
  if (inVsCode !== undefined) return { ...question, ...inVsCode, takesContext: inVsCode.files.length > 0 };
  if (!searchTools.includes(tool)) {
    const files = textsAt(input, [...pathKeys, 'path']);
    return { ...question, files, changes: changingTools.includes(tool), takesContext: files.length > 0 };
  }
  const [path = '.'] = textsAt(input, ['path']);
  const { files, searched } = namedBy(textsAt(input, [tool === 'Grep' ? 'glob' : 'pattern']), path);
  return { ...question, files, searched: [path, ...searched], takesContext: false };
}
