/** Requests to a model: what a client asks, and the receipt it gets (RQ-01 … RQ-05). */
import { z } from 'zod';
import { AgentId } from '../agent/agent.ts';
import { ItemInclude, RequestContextItem, SentItem } from '../agent/item.ts';
import { Expand } from '../context/offered-part.ts';
import { Budget, RequestPath } from '../context/resolve-request.ts';
import { SemanticStatus } from '../context/resolve-result.ts';
import { Include, OpenDocument } from '../prompt/context-request.ts';
import { ContextItem, OmittedContext } from '../prompt/context-result.ts';
import { SearchOptions } from '../search/search-options.ts';
import { Reason, Warning } from '../warnings.ts';
import { MessageContent, ModelMessage, ModelReply } from './message.ts';

export const NewRequest = z
  .strictObject({
    message: MessageContent.min(1).describe('What the user says, at most 256 KiB. It is sent as it is.'),
    files: z
      .array(RequestPath)
      .max(256)
      .optional()
      .describe(
        'Files in play, relative to the mounted directory of the agent or absolute. Those outside it are in `omitted`.',
      ),
    documents: z
      .array(OpenDocument)
      .max(256)
      .optional()
      .describe(
        'Documents that are open, as in `POST /v1/context`: they are in play, what is not saved counts, and what the active one imports and the message finds goes along.',
      ),
    include: Include.optional().describe(
      'What goes along besides, as in `POST /v1/context`, within what items, history and message leave of the budget, or 16,000 tokens. Without this and `documents` it is nothing. `rules` says whether the items of the session go along.',
    ),
    mentions: z
      .array(z.string().min(1).max(4096))
      .max(256)
      .optional()
      .describe('Items for this request only: by name, relative path or absolute path. They count as `manual`.'),
    expand: Expand.optional(),
    search: SearchOptions.optional().describe(
      'How `agent` items are searched, over the settings of session and agent.',
    ),
    toolSearch: SearchOptions.optional().describe('The same for tools, where it differs from `search`.'),
    budget: Budget.optional().describe(
      'Max tokens of messages and tools together. What does not fit is left out in this order: `agent` items, least relevant first; `auto` items, last first; messages, oldest first; `manual` items, then `always` items, last first. System prompt and message always stay.',
    ),
  })
  .meta({ id: 'NewRequest', description: 'What the user says, and where work happens.' });
export type NewRequest = z.infer<typeof NewRequest>;

const named = {
  type: z.enum(['rule', 'reference', 'tool']).describe('What it is.'),
  name: z.string().describe('Name of the item.'),
  serverName: z.string().optional().describe('Of a tool: the MCP server that has it.'),
};
const tokens = z.int().min(0).describe('Tokens it would have cost.');

/** What could not be sent: items, and how many of the oldest messages. */
export const OmittedPart = z
  .discriminatedUnion('type', [
    z
      .object({
        ...named,
        includeMode: ItemInclude.describe('Why it would have been part of the request.'),
        similarityScore: z.number().optional().describe('Its relevance, where search selected it.'),
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
      .meta({ id: 'OmittedRequestFile', description: 'A file in play that counts for nothing.' }),
    z
      .object({
        type: z.literal('history').describe('Earlier messages.'),
        messages: z.int().describe('How many of the oldest.'),
        tokens,
        reason: Reason,
      })
      .meta({ id: 'OmittedHistory', description: 'Messages that were left out.' }),
    OmittedContext.extend({ type: z.literal('context').describe('Of the workspace.'), tokens }).meta({
      id: 'OmittedRequestContext',
      description: 'What of the workspace was left out.',
    }),
  ])
  .meta({
    id: 'OmittedPart',
    description:
      'What was left out of a request, and why: `over_budget`, `missing`, `limit_reached`; `outside_roots` of a file outside the mounted directory; of the workspace, the reasons of `POST /v1/context`.',
  });
export type OmittedPart = z.infer<typeof OmittedPart>;

export const ToolDefinition = z
  .object({
    serverName: z.string().describe('The MCP server that has it.'),
    name: z.string().describe('Name of the tool.'),
    description: z.string().describe('What it does, as the server says it.'),
    inputSchema: z.unknown().describe('JSON Schema of its arguments, as the server gives it.'),
  })
  .meta({ id: 'ToolDefinition', description: 'A tool that the model may call.' });
export type ToolDefinition = z.infer<typeof ToolDefinition>;

const RequestUsage = z
  .object({
    tokens: z.int().describe('Tokens of all messages and tools.'),
    systemPrompt: z.int().describe('Of the system prompt.'),
    history: z.int().describe('Of earlier messages.'),
    items: z.int().describe('Of rules, references and tools.'),
    message: z.int().describe('Of what the user says.'),
    context: z.int().optional().describe('Of what goes along of the workspace, where that was asked for.'),
    maxTokens: z.int().optional().describe('The budget, where there was one.'),
    estimated: z.literal(true).optional().describe('Present if the tokens were estimated: four bytes are one token.'),
  })
  .meta({ id: 'RequestUsage', description: 'What a request costs, in tokens.' });

export const SentContext = ContextItem.omit({ content: true }).meta({
  id: 'SentContext',
  description: 'One piece of the workspace that went along.',
});
export type SentContext = z.infer<typeof SentContext>;

const context = z
  .array(SentContext)
  .optional()
  .describe('What goes along of the workspace, in the order in which it is sent. Absent where it was not asked for.');
const requestContext = z
  .object({
    items: z.array(RequestContextItem).describe('All items that are sent, in the order of their choice.'),
    context,
  })
  .describe('What was used, and why.');
const sentFields = {
  messages: z
    .array(ModelMessage)
    .describe(
      'What the model is to be sent: system prompt, history, references, rules, what goes along of the workspace, the message of the user.',
    ),
  tools: z.array(ToolDefinition).describe('Tools among the items, with their definitions.'),
};
const receiptFields = {
  requestId: z.string().describe('Id of the request.'),
  requestContext,
  omitted: z.array(OmittedPart).describe('What was left out, in the order in which it was let go.'),
  usage: RequestUsage,
  semantic: SemanticStatus,
  warnings: z.array(Warning).describe('What is wrong with files of the agent, mentions that name nothing.'),
};

export const RequestReceipt = z
  .object({ ...receiptFields, ...sentFields, lastSyncId: z.int().describe('Of the session: the message is in it.') })
  .meta({ id: 'RequestReceipt', description: 'What the model is to be sent, and why.' });
export type RequestReceipt = z.infer<typeof RequestReceipt>;

const { files, include, mentions, budget } = NewRequest.shape;
const askedFields = {
  files: files.describe('Files that were in play, as they were named.'),
  documents: z
    .array(OpenDocument.omit({ content: true }))
    .optional()
    .describe('Documents that were open. What was not saved of them is not kept.'),
  include: include.describe('What was to go along.'),
  mentions: mentions.describe('What was mentioned.'),
  expand: Expand.optional(),
  search: SearchOptions.optional().describe(
    'How rules and references were searched: options of request, session and agent together.',
  ),
  toolSearch: SearchOptions.optional().describe('The same for tools.'),
  budget: budget.describe('The budget it was to keep.'),
};
/** Where and how a request was asked, as far as it said so. */
export type AskedContext = Partial<z.infer<z.ZodObject<typeof askedFields>>>;

const storedFields = {
  ...askedFields,
  sessionId: z.string().describe('The session it was made in.'),
  agentId: AgentId,
  createdAt: z.string().describe('ISO 8601 UTC.'),
  message: z.string().describe('What the user said.'),
  syncId: z.int().describe('Number of the change that brought the message.'),
  replySyncId: z.int().optional().describe('Number of the change that brought the reply, once it is there.'),
};

export const StoredReceipt = z
  .object({ ...receiptFields, ...storedFields })
  .meta({ id: 'StoredReceipt', description: 'A past request: what was used, and why.' });
export type StoredReceipt = z.infer<typeof StoredReceipt>;

export const ChangedItem = z
  .object({
    ...named,
    change: z
      .enum(['changed', 'missing'])
      .describe('`missing`: the agent does not have it now: it is gone, excluded, or blocked by a policy.'),
    sha256: z.string().optional().describe('What it is now.'),
  })
  .meta({ id: 'ChangedItem', description: 'An item that is not what it was when it was sent.' });
export type ChangedItem = z.infer<typeof ChangedItem>;

export const RebuiltRequest = z
  .object({
    ...receiptFields,
    ...storedFields,
    ...sentFields,
    requestContext: z
      .object({
        items: z.array(SentItem).describe('All items that were sent, in the order of their choice.'),
        context,
      })
      .describe('What was used, and why.'),
    changedItems: z.array(ChangedItem).describe('Items that have changed since; what was sent is shown as it was.'),
  })
  .meta({ id: 'RebuiltRequest', description: 'A past request exactly as it was sent.' });
export type RebuiltRequest = z.infer<typeof RebuiltRequest>;

export const Reply = z
  .strictObject({ modelReply: ModelReply })
  .meta({ id: 'Reply', description: 'What the model answered to a request.' });
