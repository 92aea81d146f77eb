/** Hooks of Cursor, as its page "Hooks" defines them (source: docs/decisions.md). */
import { type HookQuestion, type HookTool, namedBy, questionAt, textAt, textsAt, type UsedPaths } from './hook-tool.ts';

const fileKeys = ['file_path', 'target_file', 'path'];
const pathKeys = [...fileKeys, 'target_directory'];

const hook = { command: 'contextd hook cursor', timeout: 30 };
/** Without this setting, Cursor continues when a hook fails. */
const guard = { ...hook, failClosed: true };

export const cursor: HookTool = {
  id: 'cursor',
  name: 'Cursor',
  contextLength: 50_000,
  refusesWithout: 'prompts, and what it is about to do with a file',
  settings: {
    path: '.cursor/hooks.json',
    base: { version: 1 },
    entries: [
      { list: ['hooks', 'sessionStart'], entry: hook },
      { list: ['hooks', 'beforeSubmitPrompt'], entry: guard },
      { list: ['hooks', 'beforeReadFile'], entry: guard },
      { list: ['hooks', 'beforeTabFileRead'], entry: guard },
      { list: ['hooks', 'preToolUse'], entry: { ...guard, matcher: 'Write|StrReplace|Edit|Delete|Grep|Glob' } },
      { list: ['hooks', 'postToolUse'], entry: { ...hook, matcher: 'Read|Write|StrReplace|Edit' } },
      { list: ['hooks', 'preCompact'], entry: hook },
    ],
  },

  questionOf(input, named) {
    const [root] = Array.isArray(input.workspace_roots) ? (input.workspace_roots as unknown[]) : [];
    const project = typeof root === 'string' ? root : named;
    const base = questionAt(input, project);
    if (base === undefined) return undefined;
    const conversation = textAt(input, 'conversation_id') ?? base.conversation;
    const question: HookQuestion = { ...base, conversation, cwd: base.cwd ?? project };
    switch (question.event) {
      case 'sessionStart':
        return { ...question, takesContext: true };
      case 'beforeSubmitPrompt':
        return { ...question, files: attachedFiles(input.attachments), prompt: textAt(input, 'prompt') ?? '' };
      case 'beforeReadFile':
      case 'beforeTabFileRead':
        return { ...question, files: [...textsAt(input, ['file_path']), ...attachedFiles(input.attachments)] };
      case 'preToolUse':
        return { ...question, ...pathsOf(textAt(input, 'tool_name') ?? '', input.tool_input) };
      case 'postToolUse':
        return { ...question, inPlay: textsAt(input.tool_input, fileKeys), takesContext: true };
      case 'preCompact':
        return { ...question, forgets: true };
      default:
        return undefined;
    }
  },

  outputOf({ event }, { refusal, context }) {
    if (event === 'beforeSubmitPrompt')
      return refusal === undefined ? { continue: true } : { continue: false, user_message: refusal };
    if (event === 'beforeReadFile' || event === 'beforeTabFileRead')
      return refusal === undefined ? { permission: 'allow' } : { permission: 'deny', user_message: refusal };
    if (refusal !== undefined) return { permission: 'deny', user_message: refusal, agent_message: refusal };
    if (event === 'preToolUse') return { permission: 'allow' };
    return context === undefined ? undefined : { additional_context: context };
  },
};

/** The files that the user attached to a prompt, with `@` or by hand. */
function attachedFiles(attachments: unknown): string[] {
  if (!Array.isArray(attachments)) return [];
  return attachments.flatMap((each) => textsAt(each, ['file_path', 'filePath']));
}

function pathsOf(tool: string, input: unknown): UsedPaths {
  const paths = textsAt(input, pathKeys);
  if (tool === 'Grep' || tool === 'Glob') {
    const { files, searched } = namedBy(textsAt(input, ['glob', 'glob_pattern']), paths[0] ?? '.');
    return { files, searched: [...paths, ...searched] };
  }
  return { files: paths, searched: [], changes: tool !== 'Read' };
}
