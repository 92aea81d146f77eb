/**
 * Messages in the forms of model APIs. Known forms are sent again unchanged, so that tool calls and their results stay
 * together (RQ-03). Unknown forms are sent as text.
 */
import { isRecord } from '../texts/is-record.ts';
import { replyText } from './reply-text.ts';

/** A part of a message in the form of the model's API. */
type MessageBlock = { type: string; [field: string]: unknown };

/** A message in the form of a model's API. Items of OpenAI's Responses have a `type` instead of a role. */
export type ModelMessage = {
  role?: 'system' | 'user' | 'assistant' | 'tool' | undefined;
  content?: string | MessageBlock[] | null | undefined;
  [field: string]: unknown;
};

type Fields = Record<string, unknown>;

/**
 * The messages to send for a reply, in order. A reply can be a whole answer of OpenAI's chat completions (`choices`) or
 * Responses (`output`), a message of OpenAI or Anthropic, content blocks, a list of these, or `turns` of the management
 * document. A reply with only text becomes one message.
 */
export function replyMessages(reply: unknown): ModelMessage[] {
  const parts = partsOf(reply);
  const isText = parts === undefined || parts.every(hasOnlyText);
  return isText ? [{ role: 'assistant', content: textOfReply(reply, parts) }] : parts;
}

/** Any reply as one text message. */
export function replyAsText(reply: unknown): ModelMessage {
  return { role: 'assistant', content: textOfReply(reply, undefined) };
}

/** The result of a tool, unchanged. An item of OpenAI's Responses gets no role. */
export function toolMessage(result: ModelMessage): ModelMessage {
  return isCallOutput(result.type) ? withoutRole(result) : result;
}

/** Whether a message has results of tool calls, which need the message before. */
export function answersCalls({ role, type, content }: ModelMessage): boolean {
  if (role === 'tool' || isCallOutput(type)) return true;
  return role === 'user' && Array.isArray(content) && content.some((block) => fieldsOf(block)?.type === 'tool_result');
}

/** The ids of the tool calls in a message that the client must answer. */
export function callsIn({ role, type, content, tool_calls: calls, call_id: id }: ModelMessage): string[] {
  if (role === undefined) return textsOf([typeof type === 'string' && type.endsWith('_call') ? id : undefined]);
  if (role !== 'assistant') return [];
  const blocks = Array.isArray(content) ? content.filter(({ type: kind }) => kind === 'tool_use') : [];
  return textsOf([...(Array.isArray(calls) ? calls : []), ...blocks].map((call) => fieldsOf(call)?.id));
}

/** The ids of the tool calls that a message answers. */
export function answersIn(message: ModelMessage): string[] {
  const { content, tool_call_id: id, call_id: itemId } = message;
  if (!answersCalls(message)) return [];
  if (message.role !== 'user') return textsOf([id ?? itemId]);
  const blocks = Array.isArray(content) ? content : [];
  return textsOf(blocks.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id));
}

/**
 * Turns calls without results, and results without calls, into text, because a model accepts neither. Other text of the
 * user stays unchanged. Reasoning is dropped, because it means nothing without its calls.
 */
export function asPlainMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const spoken = messages.filter(({ type }) => type !== 'reasoning');
  return spoken.map((message): ModelMessage => {
    const { role, content } = message;
    if (role !== 'user' || !Array.isArray(content))
      return { role: 'assistant', content: replyTextOf(message) || JSON.stringify(message) };
    const isAnswer = ({ type }: MessageBlock) => type === 'tool_result';
    return {
      role,
      content: content.map((block) => (isAnswer(block) ? { type: 'text', text: JSON.stringify(block) } : block)),
    };
  });
}

/** The text of a message for counting tokens, or for places that show only text. */
export function modelText(message: ModelMessage): string {
  return typeof message.content === 'string' && Object.keys(message).length === 2
    ? message.content
    : JSON.stringify(message);
}

function textOfReply(reply: unknown, parts: readonly ModelMessage[] | undefined): string {
  if (parts === undefined) return replyText(reply) ?? JSON.stringify(reply);
  return parts.map((part) => replyText(part) ?? '').join('');
}

/** Undefined for an unknown form. */
function partsOf(reply: unknown): ModelMessage[] | undefined {
  if (Array.isArray(reply)) return partsOfList(reply);
  const fields = fieldsOf(reply);
  if (fields === undefined) return undefined;
  const { choices, output, role, turns, type } = fields;
  if (Array.isArray(choices)) return partsOf(fieldsOf(choices[0])?.message);
  // A result of a tool has an output, too.
  if (role === undefined && type === undefined && Array.isArray(output)) return partsOfList(output);
  if (Array.isArray(turns) && turns.every(fieldsOf))
    return [{ role: 'assistant', content: textOfTurns(turns), modelReply: reply }];
  const message = messageOf(fields);
  return message && [message];
}

function partsOfList(list: readonly unknown[]): ModelMessage[] | undefined {
  if (list.length > 0 && list.every(isBlock)) return [ofBlocks(list)];
  const parts = list.map((each) => {
    const fields = fieldsOf(each);
    return fields && messageOf(fields);
  });
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
}

/** The message in these fields, if it is the assistant's or a tool result. Other roles are not accepted. */
function messageOf(fields: Fields): ModelMessage | undefined {
  const { role, type, content } = fields;
  if (role === undefined && isResponsesItem(type)) return fields;
  if (role === 'tool') return toolMessage(fields as ModelMessage);
  const isBlocks = Array.isArray(content) && content.length > 0 && content.every(isTyped);
  if (role === undefined) return isBlocks && content.every(isBlock) ? ofBlocks(content) : undefined;
  if (role === 'user') return isBlocks && answersCalls(fields as ModelMessage) ? (fields as ModelMessage) : undefined;
  if (role !== 'assistant') return undefined;
  const isMessage = isBlocks || typeof content === 'string' || hasCalls(fields);
  if (!isMessage) return undefined;
  // For a whole answer of Anthropic, only the message, because the API does not accept the other fields.
  return type === 'message' && 'stop_reason' in fields ? ({ role, content } as ModelMessage) : (fields as ModelMessage);
}

function replyTextOf(message: ModelMessage): string | undefined {
  return message.role === 'assistant' ? replyText(message) : undefined;
}

function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

function withoutRole({ role: _role, ...item }: Fields): ModelMessage {
  return item;
}

function ofBlocks(content: readonly unknown[]): ModelMessage {
  const isAnswer = content.some((block) => fieldsOf(block)?.type === 'tool_result');
  return { role: isAnswer ? 'user' : 'assistant', content: [...content] as MessageBlock[] };
}

function hasCalls({ tool_calls: calls, function_call: call }: Fields): boolean {
  return (Array.isArray(calls) && calls.length > 0) || fieldsOf(call) !== undefined;
}

/** A reply of the assistant that loses nothing as text. */
function hasOnlyText(message: ModelMessage): boolean {
  const { role, content } = message;
  if (role !== 'assistant' || hasCalls(message) || 'modelReply' in message) return false;
  if (!Array.isArray(content)) return typeof content === 'string';
  return content.every((block) => {
    const { type, text } = fieldsOf(block) ?? {};
    return typeof text === 'string' && (type === 'text' || type === 'output_text');
  });
}

function textOfTurns(turns: readonly unknown[]): string {
  const texts = turns.flatMap((turn) => {
    const { message, results } = fieldsOf(turn) ?? {};
    return [message, ...(Array.isArray(results) ? results.map((each) => fieldsOf(each)?.text) : [])];
  });
  return texts.filter((text) => typeof text === 'string').join('\n\n');
}

const blockTypes: ReadonlySet<unknown> = new Set([
  'text',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'web_search_tool_result',
  'image',
]);
const itemTypes: ReadonlySet<unknown> = new Set(['reasoning', 'mcp_list_tools', 'mcp_approval_request']);

function isBlock(value: unknown): boolean {
  return blockTypes.has(fieldsOf(value)?.type);
}

function isTyped(value: unknown): boolean {
  return typeof fieldsOf(value)?.type === 'string';
}

function isCallOutput(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_call_output');
}

function isResponsesItem(type: unknown): boolean {
  return itemTypes.has(type) || isCallOutput(type) || (typeof type === 'string' && type.endsWith('_call'));
}

function fieldsOf(value: unknown): Fields | undefined {
  return isRecord(value) ? value : undefined;
}
