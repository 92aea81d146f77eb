/** Messages of a session, and what of them a model is sent (SE-03, RQ-03). */
import { z } from 'zod';
import { RequestContextItem } from './item.ts';
import { replyText } from './reply-text.ts';

/** Longest content of a message and longest reply of a model, in bytes of UTF-8. */
export const messageBounds = { contentBytes: 256 * 1024, replyBytes: 768 * 1024, items: 4_000 } as const;

/** What somebody wrote. It is kept and sent exactly as it is (RQ-03). */
export const MessageContent = z
  .string()
  .refine(
    (text) => Buffer.byteLength(text) <= messageBounds.contentBytes,
    `must not be longer than ${messageBounds.contentBytes} bytes`,
  );

const notTooLarge = (value: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(value) ?? '') <= messageBounds.replyBytes;

export const ModelReply = z
  .unknown()
  .refine((value): boolean => value !== undefined, 'Required.')
  .refine(notTooLarge, `must not be larger than ${messageBounds.replyBytes} bytes of JSON`)
  .describe(
    'What the model answered, in any shape. In later requests it is sent as text: a string as it is; of an object its `content` or `text`, when that is a string or a list of parts with a `text`; else its JSON. At most 768 KiB.',
  );

const content = MessageContent.describe('The text, at most 256 KiB.');

const written = { role: z.enum(['system', 'user', 'error']).describe('Whose it is.'), content };
const replied = {
  role: z.literal('assistant').describe('A reply of the model.'),
  modelReply: ModelReply,
  requestContext: z
    .object({ items: z.array(RequestContextItem).max(messageBounds.items).describe('In the order of the request.') })
    .optional()
    .describe('The items that were used for the request it answers.'),
};
const approved = {
  role: z.literal('approval').describe('Decisions of the user about calls of tools.'),
  toolCallApprovals: z
    .array(z.unknown())
    .max(1_000)
    .refine(notTooLarge, `must not be larger than ${messageBounds.replyBytes} bytes of JSON`)
    .describe('As the client has them.'),
};

/** A message as a client gives it. */
export const Message = z
  .discriminatedUnion('role', [z.strictObject(written), z.strictObject(replied), z.strictObject(approved)])
  .meta({ id: 'Message', description: 'A message of a session.' });
export type Message = z.infer<typeof Message>;

const place = {
  syncId: z.int().describe('Number of the change that brought it.'),
  at: z.string().describe('When, ISO 8601 UTC. Order is by `syncId`.'),
  requestId: z.string().optional().describe('The request it asked, or answered.'),
};
/** A message with its place in the session. */
export const SessionMessage = z
  .discriminatedUnion('role', [
    z.object({ ...written, ...place }),
    z.object({ ...replied, ...place }),
    z.object({ ...approved, ...place }),
  ])
  .meta({ id: 'SessionMessage', description: 'A message of a session, and its place in it.' });
export type SessionMessage = z.infer<typeof SessionMessage>;

export const ModelMessage = z
  .object({
    role: z.enum(['system', 'user', 'assistant']).describe('As model APIs know it.'),
    content: z.string().describe('The text.'),
  })
  .meta({ id: 'ModelMessage', description: 'A message as it is sent to a model.' });
export type ModelMessage = z.infer<typeof ModelMessage>;

/**
 * A message of the session as history for the model; undefined for those that are for people and programs only: `system`
 * (the agent has its prompt), `error` and `approval`.
 */
export function historyMessage(message: Message): ModelMessage | undefined {
  if (message.role === 'user') return { role: 'user', content: message.content };
  if (message.role === 'assistant')
    return { role: 'assistant', content: replyText(message.modelReply) ?? JSON.stringify(message.modelReply) };
  return undefined;
}
