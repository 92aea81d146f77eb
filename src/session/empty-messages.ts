/**
 * Messages and parts that say nothing. Models answer with them, but refuse a conversation that has one, so they are not
 * sent (RQ-03).
 */
import { isRecord } from '../texts/is-record.ts';

type Fields = Record<string, unknown>;

/** The reply without what says nothing; an empty text if nothing is left. A refusal of the model becomes its text. */
export function whatIsSaid(reply: unknown): unknown {
  if (Array.isArray(reply)) {
    const rest = reply.filter((each) => !isEmptyMessage(each) && !isBlankPart(each)).map(withoutBlankParts);
    return rest.length === 0 ? '' : rest;
  }
  const { choices, output } = isRecord(reply) ? reply : {};
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (isRecord(first) && isRecord(first.message)) return whatIsSaid(first.message);
  const isEmpty = isEmptyMessage(reply) || (Array.isArray(output) && output.length === 0);
  return isEmpty ? '' : withoutBlankParts(reply);
}

/** Whether it is a message of the user or the assistant without text, tool calls or anything else that counts. */
export function isEmptyMessage(message: unknown): boolean {
  if (!isRecord(message) || !('content' in message)) return false;
  const { role, type = 'message', content, refusal } = message;
  // Items and blocks have another type, and no role. Models miss them, also those without content.
  const isUnnamed = role === undefined && type === 'message' && !isMissing(content);
  const isSaid = isUnnamed || role === 'user' || role === 'assistant';
  return isSaid && isBlank(content) && isMissing(refusal) && hasTextOnly(message);
}

export function withoutBlankParts<Value>(message: Value): Value | Fields {
  if (!isRecord(message)) return message;
  const { content, role, refusal } = message;
  if (typeof refusal === 'string' && isBlank(content) && hasTextOnly(message)) return { role, content: refusal };
  const parts: readonly unknown[] = Array.isArray(content) && role !== 'tool' ? content : [];
  const rest = parts.filter((part) => !isBlankPart(part));
  return rest.length === 0 || rest.length === parts.length ? message : { ...message, content: rest };
}

function hasTextOnly({ tool_calls: calls, function_call: call, audio, modelReply }: Fields): boolean {
  const noCalls = isMissing(calls) || (Array.isArray(calls) && calls.length === 0);
  return noCalls && [call, audio, modelReply].every(isMissing);
}

function isBlank(content: unknown): boolean {
  if (typeof content === 'string') return content.trim() === '';
  return Array.isArray(content) ? content.every(isBlankPart) : isMissing(content);
}

/** Not of OpenAI's Responses (`output_text`), because an item of reasoning needs the item that follows it. */
function isBlankPart(part: unknown): boolean {
  return isRecord(part) && part.type === 'text' && typeof part.text === 'string' && part.text.trim() === '';
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}
