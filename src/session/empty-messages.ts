/** Messages that say nothing. Models refuse a conversation that has one, so they are not sent (RQ-03). */
import { isRecord } from '../texts/is-record.ts';

/** The reply without its empty messages; an empty text if it has no others. */
export function withoutEmptyMessages(reply: unknown): unknown {
  if (Array.isArray(reply)) {
    const rest = reply.filter((each) => !isEmptyMessage(each));
    return rest.length === 0 ? '' : rest;
  }
  const { choices, output } = isRecord(reply) ? reply : {};
  const isEmpty =
    isEmptyMessage(reply) ||
    (Array.isArray(choices) && isRecord(choices[0]) && isEmptyMessage(choices[0].message)) ||
    (Array.isArray(output) && output.length === 0);
  return isEmpty ? '' : reply;
}

/** Whether it is a message of the user or the assistant without text, tool calls or anything else that counts. */
export function isEmptyMessage(message: unknown): boolean {
  if (!isRecord(message) || !('content' in message)) return false;
  const { role, content, tool_calls: calls, function_call: call, refusal, audio, modelReply } = message;
  const others = [Array.isArray(calls) && calls.length === 0 ? null : calls, call, refusal, audio, modelReply];
  const isSaid = role === undefined || role === 'user' || role === 'assistant';
  return isSaid && others.every((each) => each === undefined || each === null) && isBlank(content);
}

function isBlank(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() === '';
  if (!Array.isArray(content)) return content === null;
  return content.every((part) => isRecord(part) && typeof part.text === 'string' && part.text.trim() === '');
}
