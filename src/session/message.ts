/** Messages of a session, and what of them a model is sent (SE-03, RQ-03). */
import { z } from 'zod';
import { RequestContextItem } from '../agent/item.ts';
import { fixedLimits } from '../settings.ts';
import { type ModelMessage as AnyMessage, replyAsText, replyMessages, toolMessage } from './model-messages.ts';

const limits = fixedLimits.sessions;

/** What somebody wrote. It is kept and sent exactly as it is (RQ-03). */
export const MessageContent = z
  .string()
  .refine(
    (text) => Buffer.byteLength(text) <= limits.contentBytes,
    `must not be longer than ${limits.contentBytes} bytes`,
  );

const notTooLarge = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value) ?? '') <= limits.replyBytes;

export const ModelReply = z
  .unknown()
  .refine((value): boolean => value !== undefined, 'Required.')
  .refine(notTooLarge, `must not be larger than ${limits.replyBytes} bytes of JSON`)
  .describe(
    'What the model answered, in any shape. Known are: a message of OpenAI’s chat completions (also with `tool_calls`, or as a whole answer with `choices`), the `output` of OpenAI’s Responses (the whole answer or a list of its items), a message of Anthropic’s (whole, or its content blocks, with `tool_use`), a list of such messages with the results of tools between them, and `{turns}` of the management document. With calls of tools they are sent in later requests as what they are, in order; calls that nothing answers are sent as text. Anything else, and what has text only, is sent as text: a string as it is; of an object its `content` or `text`; else its JSON. At most 768 KiB.',
  );

const content = MessageContent.describe('The text, at most 256 KiB.');
const block = z.looseObject({ type: z.string().describe('Kind of the part.') });
const blocks = z
  .array(block)
  .min(1)
  .max(1_000)
  .refine(notTooLarge, `must not be larger than ${limits.replyBytes} bytes of JSON`);
const said = z
  .union([content, blocks])
  .describe('The text, at most 256 KiB, or parts as the model’s API has them, at most 768 KiB.');

const written = { role: z.enum(['system', 'error']).describe('Whose it is.'), content };
const asked = {
  role: z.literal('user').describe('What the user says, or results of tools in Anthropic’s shape.'),
  content: said,
};
const answered = {
  role: z.literal('tool').describe('The result of a call of a tool.'),
  type: z
    .string()
    .optional()
    .describe('Of an item of OpenAI’s Responses: `function_call_output`. It is sent without `role`.'),
  tool_call_id: z.string().max(1024).optional().describe('Of OpenAI’s chat completions: the call that it answers.'),
  call_id: z.string().max(1024).optional().describe('Of OpenAI’s Responses: the call that it answers.'),
};
const notTooLong = `must not be larger than ${limits.replyBytes} bytes of JSON`;
const replied = {
  role: z.literal('assistant').describe('A reply of the model.'),
  modelReply: ModelReply,
  requestContext: z
    .object({
      items: z.array(RequestContextItem).max(limits.items).describe('In the order of the request.'),
    })
    .optional()
    .describe('The items that were used for the request it answers.'),
};
const approved = {
  role: z.literal('approval').describe('Decisions of the user about calls of tools.'),
  toolCallApprovals: z
    .array(z.unknown())
    .max(1_000)
    .refine(notTooLarge, `must not be larger than ${limits.replyBytes} bytes of JSON`)
    .describe('As the client has them.'),
};

const place = {
  syncId: z.int().describe('Number of the change that brought it.'),
  at: z.string().describe('When, ISO 8601 UTC. Order is by `syncId`.'),
  requestId: z.string().optional().describe('The request it asked, or answered.'),
};
/** Messages that take any field take none that says where a message stands: that is not for a client to say. */
function refusePlace(value: Record<string, unknown>, context: z.core.$RefinementCtx): void {
  const keys = Object.keys(place).filter((key) => key in value);
  if (keys.length > 0) context.addIssue({ code: 'unrecognized_keys', keys, input: value });
}

const toolResult = z.looseObject(answered).refine(notTooLarge, notTooLong).superRefine(refusePlace);

/** A reply as `modelReply`, or as the model's API gives it, beside `role`. */
const givenReply = z
  .looseObject({
    ...replied,
    modelReply: z
      .unknown()
      .refine(isAbsentOr(notTooLarge), notTooLong)
      .optional()
      .describe(ModelReply.description ?? ''),
    content: z
      .union([z.string(), z.array(block), z.null()])
      .optional()
      .describe('Instead of `modelReply`: of a message as the model’s API gives it.'),
    tool_calls: z.array(z.looseObject({})).optional().describe('The same: calls of tools in OpenAI’s shape.'),
  })
  .refine(notTooLarge, notTooLong)
  .superRefine(refusePlace)
  .superRefine(({ role: _role, requestContext: _context, modelReply, ...own }, context) => {
    const isOwn = own.content !== undefined || own.tool_calls !== undefined;
    if (modelReply === undefined && !isOwn)
      context.addIssue({ code: 'custom', message: 'Required.', path: ['modelReply'] });
    if (modelReply !== undefined && Object.keys(own).length > 0)
      context.addIssue({ code: 'unrecognized_keys', keys: Object.keys(own), input: own });
  });

/** A message as a client gives it. */
export const GivenMessage = z
  .discriminatedUnion('role', [
    z.strictObject(written).meta({ id: 'NoticeMessage', description: 'A message that no model is sent.' }),
    z.strictObject(asked).meta({ id: 'UserMessage', description: 'A message of the user.' }),
    givenReply.meta({ id: 'AssistantMessage', description: 'A reply of the model.' }),
    toolResult.meta({ id: 'ToolMessage', description: 'The result of a call of a tool.' }),
    z.strictObject(approved).meta({ id: 'ApprovalMessage', description: 'What the user said about calls of tools.' }),
  ])
  .meta({ id: 'Message', description: 'A message of a session: as it is shown, or as the model’s API has it.' });
export type GivenMessage = z.infer<typeof GivenMessage>;

/** A message as it is kept. */
const KeptMessage = z.discriminatedUnion('role', [
  z.object(written),
  z.object(asked),
  z.object(replied),
  z.looseObject(answered),
  z.object(approved),
]);
export type Message = z.infer<typeof KeptMessage>;

/** A message as it is kept: a reply as the model's API gives it is a `modelReply`. */
export function keptMessage(given: GivenMessage): Message {
  if (given.role !== 'assistant') return given;
  const { requestContext, modelReply, ...own } = given;
  const reply = modelReply === undefined ? { ...own, role: 'assistant' } : modelReply;
  return { role: 'assistant', modelReply: reply, requestContext };
}

function isAbsentOr(holds: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || holds(value);
}

/** A message with its place in the session. */
export const SessionMessage = z
  .discriminatedUnion('role', [
    z
      .object({ ...written, ...place })
      .meta({ id: 'SessionNoticeMessage', description: 'A message that no model is sent, and its place.' }),
    z
      .object({ ...asked, ...place })
      .meta({ id: 'SessionUserMessage', description: 'A message of the user, and its place.' }),
    z
      .object({ ...replied, ...place })
      .meta({ id: 'SessionAssistantMessage', description: 'A reply of the model, and its place.' }),
    z
      .looseObject({ ...answered, ...place })
      .meta({ id: 'SessionToolMessage', description: 'The result of a call of a tool, and its place.' }),
    z
      .object({ ...approved, ...place })
      .meta({ id: 'SessionApprovalMessage', description: 'What the user said about calls of tools, and its place.' }),
  ])
  .meta({ id: 'SessionMessage', description: 'A message of a session, and its place in it.' });
export type SessionMessage = z.infer<typeof SessionMessage>;

export const ModelMessage = z
  .looseObject({
    role: z
      .enum(['system', 'user', 'assistant', 'tool'])
      .optional()
      .describe('As model APIs know it; absent in items of OpenAI’s Responses, which have a `type`.'),
    content: z
      .union([z.string(), z.array(block), z.null()])
      .optional()
      .describe('The text, or the parts that the reply, or the result of a tool, had.'),
  })
  .meta({
    id: 'ModelMessage',
    description:
      'A message as it is sent to a model. Those with calls of tools and their results have all fields with which they came.',
  });
export type ModelMessage = AnyMessage;

/**
 * A message of the session as history for the model, mostly one; none for those that are for people and programs only:
 * `system` (the agent has its prompt), `error` and `approval`. `asText`: as versions did that knew text only.
 */
export function historyMessages(message: Message, { asText = false } = {}): ModelMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.content }];
    case 'assistant':
      return asText ? [replyAsText(message.modelReply)] : replyMessages(message.modelReply);
    case 'tool':
      return [toolMessage(message)];
    default:
      return [];
  }
}
