/** Events as Claude Code has them, which other tools have taken over. */
import { type HookAnswer, type HookQuestion, textAt } from './hook-tool.ts';

type Input = Readonly<Record<string, unknown>>;
type AboutTool = (question: HookQuestion, tool: string, input: unknown) => HookQuestion;

/** `aboutTool` says what a tool is about to do. Undefined for an event that needs no answer. */
export function questionOfEvent(
  input: Input,
  { project, aboutTool }: { project?: string | undefined; aboutTool: AboutTool },
): HookQuestion | undefined {
  const event = textAt(input, 'hook_event_name');
  const session = textAt(input, 'session_id');
  const agent = textAt(input, 'agent_id');
  if (event === undefined) return undefined;
  const question: HookQuestion = {
    event,
    conversation: session === undefined || agent === undefined ? session : `${session}/${agent}`,
    cwd: textAt(input, 'cwd'),
    project,
    files: [],
    searched: [],
    takesContext: true,
  };
  switch (event) {
    case 'SessionStart':
      return { ...question, forgets: input.source !== 'resume' };
    case 'SubagentStart':
      return question;
    case 'UserPromptSubmit':
      return { ...question, prompt: textAt(input, 'prompt') ?? '' };
    case 'PreToolUse':
      return aboutTool(question, textAt(input, 'tool_name') ?? '', input.tool_input);
    default:
      return undefined;
  }
}

export function outputOfEvent({ event }: HookQuestion, { refusal, context }: HookAnswer): unknown {
  if (refusal !== undefined && event === 'UserPromptSubmit') return { decision: 'block', reason: refusal };
  if (refusal !== undefined)
    return {
      hookSpecificOutput: {
        hookEventName: event,
        permissionDecision: 'deny',
        permissionDecisionReason: refusal,
      },
    };
  if (context === undefined) return undefined;
  return { hookSpecificOutput: { hookEventName: event, additionalContext: context } };
}
