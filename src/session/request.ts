/** Requests to a model: what a client sends, and the receipt that it gets (RQ-01 … RQ-05). */
import { z } from 'zod';
import { AgentId } from '../agent/agent.ts';
import { ItemInclude, itemFields, RequestContextItem, SentItem } from '../agent/item.ts';
import { Expand } from '../context/offered-part.ts';
import { Budget, ResolveRequest } from '../context/resolve-request.ts';
import { SemanticStatus } from '../context/resolve-result.ts';
import { Include, OpenDocument } from '../prompt/context-request.ts';
import { ContextItem, OmittedContext } from '../prompt/context-result.ts';
import { SearchOptions } from '../search/search-options.ts';
import { Reason, Warning } from '../warnings.ts';
import { MessageContent, ModelMessage, ModelReply } from './message.ts';

export const NewRequest = z
  .strictObject({
    message: MessageContent.min(1).describe('The message of the user, at most 256 KiB. It is sent unchanged.'),
    files: ResolveRequest.shape.files.describe(
      'Files in play, relative to the mounted directory of the agent or absolute. Files outside it, which are ignored, and files that do not exist are in `omitted`.',
    ),
    documents: z
      .array(OpenDocument)
      .max(256)
      .optional()
      .describe(
        'Open documents, as in `POST /v1/context`. They are in play, and their unsaved text is used. What the active document imports and what the message finds is sent too.',
      ),
    include: Include.optional().describe(
      'What else is sent, as in `POST /v1/context`. It gets the tokens that items, history and message leave of the budget, or 16,000 tokens without a budget. Without this and `documents`, nothing is added. `rules` says whether the items of the session are sent.',
    ),
    mentions: ResolveRequest.shape.mentions.describe(
      'Items for this request only, by name, relative path or absolute path; tools also as `<server>/<tool>`. Their include mode is `manual`.',
    ),
    expand: ResolveRequest.shape.expand,
    search: SearchOptions.optional().describe(
      'Search options for `agent` items. They override the settings of the session and the agent.',
    ),
    toolSearch: SearchOptions.optional().describe('Search options for tools, if they differ from `search`.'),
    budget: Budget.optional().describe(
      'Max tokens of messages and tools together. What does not fit is left out in this order: `agent` items, least relevant first; `auto` items, last first; messages, oldest first; `manual` items, then `always` items, last first. The system prompt and the message always stay.',
    ),
  })
  .meta({ id: 'NewRequest', description: 'A message of the user, and where work happens.' });
export type NewRequest = z.infer<typeof NewRequest>;

const tokens = z.int().min(0).describe('Tokens that it would have used.');

/** What was not sent: items, files, parts of the workspace, and how many of the oldest messages. */
export const OmittedPart = z
  .discriminatedUnion('type', [
    z
      .object({
        ...itemFields,
        includeMode: ItemInclude.describe('Include mode that the item would have had.'),
        similarityScore: z.number().optional().describe('Relevance, if search selected the item.'),
        tokens,
        reason: Reason,
      })
      .meta({ id: 'OmittedRequestItem', description: 'An item that was left out.' }),
    z
      .object({
        type: z.literal('file').describe('One of `files`.'),
        path: z.string().describe('Absolute path.'),
        tokens,
        reason: Reason,
      })
      .meta({ id: 'OmittedRequestFile', description: 'A file in play that is ignored.' }),
    z
      .object({
        type: z.literal('history').describe('Earlier messages.'),
        messages: z.int().describe('Number of left-out messages. They are the oldest.'),
        tokens,
        reason: Reason,
      })
      .meta({ id: 'OmittedHistory', description: 'Messages that were left out.' }),
    OmittedContext.extend({ type: z.literal('context').describe('Context of the workspace.'), tokens }).meta({
      id: 'OmittedRequestContext',
      description: 'Something of the workspace that was left out.',
    }),
  ])
  .meta({
    id: 'OmittedPart',
    description:
      'Something that was left out of a request. Reasons: `over_budget`, `missing`, `limit_reached`; for a file in play, `outside_roots` or `not_found`; for the workspace, the reasons of `POST /v1/context`.',
  });
export type OmittedPart = z.infer<typeof OmittedPart>;

export const ToolDefinition = z
  .object({
    serverName: z.string().describe('Name of the MCP server that has the tool.'),
    name: z.string().describe('Name of the tool.'),
    description: z.string().describe('Description that the server gives.'),
    inputSchema: z.unknown().describe('JSON Schema of the arguments, as the server gives it.'),
  })
  .meta({ id: 'ToolDefinition', description: 'A tool that the model may call.' });
export type ToolDefinition = z.infer<typeof ToolDefinition>;

const RequestUsage = z
  .object({
    tokens: z.int().describe('Tokens of all messages and tools.'),
    systemPrompt: z.int().describe('Tokens of the system prompt.'),
    history: z.int().describe('Tokens of earlier messages.'),
    items: z.int().describe('Tokens of rules, references and tools.'),
    message: z.int().describe('Tokens of the message of the user.'),
    context: z.int().optional().describe('Tokens of the workspace context, if the request asked for it.'),
    maxTokens: z.int().optional().describe('The budget, if there was one.'),
    estimated: z.literal(true).optional().describe('Present if the tokens were estimated: four bytes are one token.'),
  })
  .meta({ id: 'RequestUsage', description: 'What a request costs, in tokens.' });

export const SentContext = ContextItem.omit({ content: true }).meta({
  id: 'SentContext',
  description: 'A part of the workspace that was sent.',
});
export type SentContext = z.infer<typeof SentContext>;

const context = z
  .array(SentContext)
  .optional()
  .describe('Parts of the workspace, in the order in which they are sent. Absent if the request did not ask for them.');
const requestContext = z
  .object({
    items: z.array(RequestContextItem).describe('All items that are sent, in the order in which they were chosen.'),
    context,
  })
  .describe('The items that were used, and why.');
const sentFields = {
  messages: z
    .array(ModelMessage)
    .describe(
      'Messages for the model, in this order: system prompt, history, references, rules, context of the workspace, message of the user.',
    ),
  tools: z.array(ToolDefinition).describe('Tools among the items, with their definitions.'),
};
const receiptFields = {
  requestId: z.string().describe('Id of the request.'),
  requestContext,
  omitted: z.array(OmittedPart).describe('What was left out, in order of removal.'),
  usage: RequestUsage,
  semantic: SemanticStatus,
  warnings: z.array(Warning).describe('Problems with files of the agent, and mentions that match nothing.'),
};

export const RequestReceipt = z
  .object({
    ...receiptFields,
    ...sentFields,
    lastSyncId: z.int().describe('`lastSyncId` of the session after the message was added.'),
  })
  .meta({ id: 'RequestReceipt', description: 'What to send to the model, and why.' });
export type RequestReceipt = z.infer<typeof RequestReceipt>;

const { files, include, mentions, budget } = NewRequest.shape;
const askedFields = {
  files: files.describe('Files in play, as written in the request.'),
  documents: z
    .array(OpenDocument.omit({ content: true }))
    .optional()
    .describe('Documents that were open. Their unsaved text is not stored.'),
  include: include.describe('The `include` of the request.'),
  mentions: mentions.describe('The `mentions` of the request.'),
  expand: Expand.optional(),
  search: SearchOptions.optional().describe(
    'Search options for rules and references, merged from request, session and agent.',
  ),
  toolSearch: SearchOptions.optional().describe('Search options for tools, merged in the same way.'),
  budget: budget.describe('The budget of the request.'),
};
/** The fields of a request that say where and how it was made. */
export type AskedContext = Partial<z.infer<z.ZodObject<typeof askedFields>>>;

const storedFields = {
  ...askedFields,
  sessionId: z.string().describe('The session of the request.'),
  agentId: AgentId,
  createdAt: z.string().describe('When the request was made, ISO 8601 UTC.'),
  message: z.string().describe('The message of the user.'),
  syncId: z.int().describe('Number of the change that added the message.'),
  replySyncId: z.int().optional().describe('Number of the change that added the reply. Absent until there is a reply.'),
};

export const StoredReceipt = z
  .object({ ...receiptFields, ...storedFields })
  .meta({ id: 'StoredReceipt', description: 'A past request: what was used, and why.' });
export type StoredReceipt = z.infer<typeof StoredReceipt>;

export const ChangedItem = z
  .object({
    ...itemFields,
    change: z
      .enum(['changed', 'missing'])
      .describe(
        '`changed`: the item is different now. `missing`: the agent does not have it now, because it was removed, excluded, or blocked by a policy.',
      ),
    sha256: z
      .string()
      .optional()
      .describe('SHA-256 of the item as it is now, in hexadecimal. Absent if the item is missing.'),
  })
  .meta({ id: 'ChangedItem', description: 'An item that has changed since it was sent.' });
export type ChangedItem = z.infer<typeof ChangedItem>;

export const RebuiltRequest = z
  .object({
    ...receiptFields,
    ...storedFields,
    ...sentFields,
    requestContext: z
      .object({
        items: z.array(SentItem).describe('All items that were sent, in the order in which they were chosen.'),
        context,
      })
      .describe('The items that were used, and why.'),
    changedItems: z
      .array(ChangedItem)
      .describe('Items that have changed since then. The answer shows them as they were sent.'),
  })
  .meta({ id: 'RebuiltRequest', description: 'A past request exactly as it was sent.' });
export type RebuiltRequest = z.infer<typeof RebuiltRequest>;

export const Reply = z
  .strictObject({ modelReply: ModelReply })
  .meta({ id: 'Reply', description: 'The answer of the model to a request.' });
