/** Messages of a session, and how they are sent to a model (SE-03, RQ-03). */
import { z } from 'zod';
import { RequestContextItem } from '../agent/item.ts';
import { fixedLimits } from '../settings.ts';
import { isEmptyMessage, whatIsSaid, withoutBlankParts } from './empty-messages.ts';
import { type ModelMessage as AnyMessage, replyAsText, replyMessages, toolMessage } from './model-messages.ts';

const limits = fixedLimits.sessions;

/** A text that somebody wrote. It is stored and sent unchanged (RQ-03). */
export const MessageContent = z
  .string()
  .refine(
    (text) => Buffer.byteLength(text) <= limits.contentBytes,
    `must not be longer than ${limits.contentBytes} bytes`,
  );

const notTooLarge = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value) ?? '') <= limits.replyBytes;
const tooLarge = `must not be larger than ${limits.replyBytes} bytes of JSON`;

export const ModelReply = z
  .unknown()
  .refine((value): boolean => value !== undefined, 'Required.')
  .refine(notTooLarge, tooLarge)
  .describe(
    'The answer of the model, in any form. Known forms: a message of OpenAI’s chat completions (also with `tool_calls`, or the whole answer with `choices`); the `output` of OpenAI’s Responses (the whole answer, or a list of its items); a message of Anthropic (whole, or its content blocks, with `tool_use`); a list of such messages with tool results between them; `{turns}` of the management document. Known forms with tool calls keep their form and order in later requests. Tool calls without a result are sent as text. Everything else is sent as text: a string as it is, an object by its `content` or `text`, else its JSON. Empty messages and blank parts are not sent, and a `refusal` is sent as text. At most 768 KiB.',
  );

const content = MessageContent.describe('The text, at most 256 KiB.');
const block = z.looseObject({ type: z.string().describe('Type of the part.') });
const modelContent = z.union([z.string(), z.array(block), z.null()]).optional();
const blocks = z.array(block).min(1).max(1_000).refine(notTooLarge, tooLarge);
const said = z
  .union([content, blocks])
  .describe('The text, at most 256 KiB, or parts in the form of the model’s API, at most 768 KiB.');

const written = { role: z.enum(['system', 'error']).describe('Role of the message.'), content };
const asked = {
  role: z.literal('user').describe('A message of the user, or tool results in the form of Anthropic.'),
  content: said,
};
const answered = {
  role: z.literal('tool').describe('The result of a tool call.'),
  type: z
    .string()
    .optional()
    .describe(
      'Type of an item of OpenAI’s Responses, such as `function_call_output`. The item is sent without `role`.',
    ),
  tool_call_id: z
    .string()
    .max(1024)
    .optional()
    .describe('In OpenAI’s chat completions: id of the call that this result answers.'),
  call_id: z.string().max(1024).optional().describe('In OpenAI’s Responses: id of the call that this result answers.'),
};
const replied = {
  role: z.literal('assistant').describe('A reply of the model.'),
  modelReply: ModelReply,
  requestContext: z
    .object({
      items: z.array(RequestContextItem).max(limits.items).describe('The items, in the order of the request.'),
    })
    .optional()
    .describe('The items of the request that this message answers.'),
};
const approved = {
  role: z.literal('approval').describe('A message with decisions of the user about tool calls.'),
  toolCallApprovals: z
    .array(z.unknown())
    .max(1_000)
    .refine(notTooLarge, tooLarge)
    .describe('The decisions, in the form that the client uses.'),
};

const place = {
  syncId: z.int().describe('Number of the change that added the message.'),
  at: z.string().describe('Time, ISO 8601 UTC. The order of messages is that of `syncId`.'),
  requestId: z.string().optional().describe('The request that the message made or answered.'),
};
/** Refuses the fields that give a message its place in the session: a client cannot set them. */
function refusePlace(value: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  const keys = Object.keys(place).filter((key) => key in value);
  if (keys.length > 0) context.addIssue({ code: 'unrecognized_keys', keys, input: value });
}

const toolResult = z.looseObject(answered).refine(notTooLarge, tooLarge).superRefine(refusePlace);

/** A reply as `modelReply`, or in the form of the model's API with a `role`. */
const givenReply = z
  .looseObject({
    ...replied,
    modelReply: z
      .unknown()
      .refine(notTooLarge, tooLarge)
      .optional()
      .describe(ModelReply.description ?? ''),
    content: modelContent.describe('Content of the message in the form of the model’s API, instead of `modelReply`.'),
    tool_calls: z
      .array(z.looseObject({}))
      .optional()
      .describe('Tool calls in the form of OpenAI, instead of `modelReply`.'),
  })
  .refine(notTooLarge, tooLarge)
  .superRefine(refusePlace)
  .superRefine(({ role: _role, requestContext: _context, modelReply, ...own }, context) => {
    const isOwn = own.content !== undefined || own.tool_calls !== undefined;
    if (modelReply === undefined && !isOwn)
      context.addIssue({ code: 'custom', message: 'Required.', path: ['modelReply'] });
    if (modelReply !== undefined && Object.keys(own).length > 0)
      context.addIssue({ code: 'unrecognized_keys', keys: Object.keys(own), input: own });
  });

/** A message that a client sends. */
export const GivenMessage = z
  .discriminatedUnion('role', [
    z.strictObject(written).meta({ id: 'NoticeMessage', description: 'A message that is not sent to a model.' }),
    z.strictObject(asked).meta({ id: 'UserMessage', description: 'A message of the user.' }),
    givenReply.meta({ id: 'AssistantMessage', description: 'A reply of the model.' }),
    toolResult.meta({ id: 'ToolMessage', description: 'The result of a tool call.' }),
    z.strictObject(approved).meta({ id: 'ApprovalMessage', description: 'Decisions of the user about tool calls.' }),
  ])
  .meta({
    id: 'Message',
    description: 'A message to append: in the form of a session, or in the form of the model’s API.',
  });
export type GivenMessage = z.infer<typeof GivenMessage>;

/** A stored message. */
export type Message = z.infer<
  | z.ZodObject<typeof written>
  | z.ZodObject<typeof asked>
  | z.ZodObject<typeof replied>
  | z.ZodObject<typeof answered, z.core.$loose>
  | z.ZodObject<typeof approved>
>;

/** The message to store. A reply in the form of the model's API becomes a `modelReply`. */
export function keptMessage(given: GivenMessage): Message {
  if (given.role !== 'assistant') return given;
  const { requestContext, modelReply, ...own } = given;
  const reply = modelReply === undefined ? { ...own, role: 'assistant' } : modelReply;
  return { role: 'assistant', modelReply: reply, requestContext };
}

/** A message with its place in the session. */
export const SessionMessage = z
  .discriminatedUnion('role', [
    z.object({ ...written, ...place }).meta({
      id: 'SessionNoticeMessage',
      description: 'A message that is not sent to a model, with its place in the session.',
    }),
    z
      .object({ ...asked, ...place })
      .meta({ id: 'SessionUserMessage', description: 'A message of the user, with its place in the session.' }),
    z
      .object({ ...replied, ...place })
      .meta({ id: 'SessionAssistantMessage', description: 'A reply of the model, with its place in the session.' }),
    z
      .looseObject({ ...answered, ...place })
      .meta({ id: 'SessionToolMessage', description: 'The result of a tool call, with its place in the session.' }),
    z.object({ ...approved, ...place }).meta({
      id: 'SessionApprovalMessage',
      description: 'Decisions of the user about tool calls, with the place in the session.',
    }),
  ])
  .meta({ id: 'SessionMessage', description: 'A message of a session, with its place in the session.' });
export type SessionMessage = z.infer<typeof SessionMessage>;

export const ModelMessage = z
  .looseObject({
    role: z
      .enum(['system', 'user', 'assistant', 'tool'])
      .optional()
      .describe('Role, as in model APIs. Absent in items of OpenAI’s Responses, which have a `type`.'),
    content: modelContent.describe('The text, or the parts of the reply or of the tool result.'),
  })
  .meta({
    id: 'ModelMessage',
    description: 'A message that is sent to a model. Messages with tool calls or tool results keep all their fields.',
  });
export type ModelMessage = AnyMessage;

/** What older versions did otherwise. `asText`: they sent replies as text only. `withEmpty`: also what says nothing. */
export type HistoryForm = { asText?: boolean; withEmpty?: boolean };

/**
 * A message of the session as history for the model: usually one message, and none for an empty message, `system` (the
 * agent has its own prompt), `error` and `approval`.
 */
export function historyMessages(
  message: Message,
  { asText = false, withEmpty = asText }: HistoryForm = {},
): ModelMessage[] {
  const messages = saidMessages(message, { asText, withEmpty });
  return withEmpty ? messages : messages.filter((each) => !isEmptyMessage(each)).map(withoutBlankParts);
}

function saidMessages(message: Message, { asText, withEmpty }: HistoryForm): ModelMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.content }];
    case 'assistant':
      if (asText) return [replyAsText(message.modelReply)];
      return replyMessages(withEmpty ? message.modelReply : whatIsSaid(message.modelReply));
    case 'tool':
      return [toolMessage(message)];
    default:
      return [];
  }
}
