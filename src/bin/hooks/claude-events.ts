/** The events of Claude Code. Other tools use the same ones. */
import { type HookAnswer, type HookQuestion, questionAt, textAt } from './hook-tool.ts';

type Input = Readonly<Record<string, unknown>>;
type AboutTool = (question: HookQuestion, tool: string, input: unknown) => HookQuestion;

/** `aboutTool` says what a tool is about to do. Undefined for an event that needs no answer. */
export function questionOfEvent(
  input: Input,
  { project, aboutTool }: { project: string | undefined; aboutTool: AboutTool },
): HookQuestion | undefined {
  const base = questionAt(input, project);
  if (base === undefined) return undefined;
  const { conversation: session } = base;
  const agent = textAt(input, 'agent_id');
  const conversation = session === undefined || agent === undefined ? session : `${session}/${agent}`;
  const question: HookQuestion = { ...base, conversation, takesContext: true };
  switch (question.event) {
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

export function outputOfEvent({ event }: HookQuestion, { refusal, context }: HookAnswer): object | undefined {
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
