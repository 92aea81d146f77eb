/**
 * Messages in the shapes of model APIs: which replies are sent again as what they are, so that calls of tools and their
 * results can follow each other (RQ-03). A shape that is not known is sent as text.
 */
import { isRecord } from '../texts/is-record.ts';
import { replyText } from './reply-text.ts';

/** A part of a message, as the model's API has it. */
type MessageBlock = { type: string; [field: string]: unknown };

/** A message as a model API has it. One of OpenAI's Responses has a `type` instead of a role. */
export type ModelMessage = {
  role?: 'system' | 'user' | 'assistant' | 'tool' | undefined;
  content?: string | MessageBlock[] | null | undefined;
  [field: string]: unknown;
};

type Fields = Record<string, unknown>;

/**
 * A reply, or a part of it, as the messages it is sent as, in order: a whole answer of OpenAI's chat completions
 * (`choices`) or Responses (`output`), a message of theirs or of Anthropic's, content blocks, a list of these, or the
 * management document's `turns`. What only has text is one message of text.
 */
export function replyMessages(reply: unknown): ModelMessage[] {
  const parts = partsOf(reply);
  const isText = parts === undefined || parts.every(hasOnlyText);
  return isText ? [{ role: 'assistant', content: textOfReply(reply, parts) }] : parts;
}

/** A reply as text, whatever it is. */
export function replyAsText(reply: unknown): ModelMessage {
  return { role: 'assistant', content: textOfReply(reply, undefined) };
}

/** The result of a tool as it came; an item of OpenAI's Responses has no role. */
export function toolMessage(result: ModelMessage): ModelMessage {
  return isCallOutput(result.type) ? withoutRole(result) : result;
}

/** Whether a message has results of calls, which mean nothing without the message before. */
export function answersCalls({ role, type, content }: ModelMessage): boolean {
  if (role === 'tool' || isCallOutput(type)) return true;
  return role === 'user' && Array.isArray(content) && content.some((block) => fieldsOf(block)?.type === 'tool_result');
}

/** The ids of the calls in a message that the client is to answer, of those that have one. */
export function callsIn({ role, type, content, tool_calls: calls, call_id: id }: ModelMessage): string[] {
  if (role === undefined) return textsOf([typeof type === 'string' && type.endsWith('_call') ? id : undefined]);
  if (role !== 'assistant') return [];
  const blocks = Array.isArray(content) ? content.filter(({ type: kind }) => kind === 'tool_use') : [];
  return textsOf([...(Array.isArray(calls) ? calls : []), ...blocks].map((call) => fieldsOf(call)?.id));
}

/** The ids of the calls that a message answers, of those that have one. */
export function answersIn(message: ModelMessage): string[] {
  const { content, tool_call_id: id, call_id: itemId } = message;
  if (!answersCalls(message)) return [];
  if (message.role !== 'user') return textsOf([id ?? itemId]);
  const blocks = Array.isArray(content) ? content : [];
  return textsOf(blocks.filter(({ type }) => type === 'tool_result').map((block) => block.tool_use_id));
}

/**
 * Messages with calls that nothing answers, or with such answers, as text: a model takes neither as what they are. What
 * the user wrote beside an answer stays as it is; reasoning means nothing without its calls.
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

/** What of a message is counted, or shown where there is room for text only. */
export function modelText(message: ModelMessage): string {
  return typeof message.content === 'string' && Object.keys(message).length === 2
    ? message.content
    : JSON.stringify(message);
}

function textOfReply(reply: unknown, parts: readonly ModelMessage[] | undefined): string {
  if (parts === undefined) return replyText(reply) ?? JSON.stringify(reply);
  return parts.map((part) => replyText(part) ?? '').join('');
}

/** Undefined for a shape that is not known. */
function partsOf(reply: unknown): ModelMessage[] | undefined {
  if (Array.isArray(reply)) return partsOfList(reply);
  const fields = fieldsOf(reply);
  if (fields === undefined) return undefined;
  const { choices, output, turns } = fields;
  if (Array.isArray(choices)) return partsOf(fieldsOf(choices[0])?.message);
  if (fields.object === 'response' && Array.isArray(output)) return partsOfList(output);
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

/** Nobody speaks for the system here, nor as the user but to answer calls. */
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
  // Of a whole answer of Anthropic's, the message: its API takes back no more.
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

/** A reply of the assistant that is sent just as well as text. */
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
