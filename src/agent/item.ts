/** Context items and how they are named (AG-01 … AG-04, SE-02). */
import { z } from 'zod';
import { ItemType, priorityRange, Trigger } from '../context/item-values.ts';
import { Part } from '../context/offered-part.ts';
import { fixedLimits } from '../settings.ts';
import { Reason } from '../warnings.ts';

/** How an item of an agent gets into sessions and requests (context management document, "Include Modes"). */
export const IncludeMode = z.enum(['always', 'manual', 'agent']).meta({
  id: 'IncludeMode',
  description:
    '`always`: part of every new session. `manual`: part of a session when somebody adds it. `agent`: part of a request when search finds it relevant.',
});
export type IncludeMode = z.infer<typeof IncludeMode>;

/**
 * Like `IncludeMode`, with `auto`: part of a request if a file in play matches the globs of the context file (AG-02).
 */
export const ItemInclude = z
  .enum(Trigger.options)
  .describe(
    '`always`: part of every new session. `auto`: part of a request when a file in play matches its globs. `manual`: part of a session when somebody adds it. `agent`: part of a request when search finds it relevant.',
  );
export type ItemInclude = z.infer<typeof ItemInclude>;

export const ItemKind = z.enum(['rule', 'reference', 'tool']);

/** Name of an inline item (AG-02). Names of items from files can be any path. */
export const InlineItemName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,100}$/u, 'must consist of 1 to 100 letters, digits, "_" and "-"');

/** Reports texts with lone surrogates, which would become other characters in an export. */
export function refuseIllFormed(value: unknown, context: z.core.$RefinementCtx, path: PropertyKey[] = []): void {
  if (typeof value === 'string' && !value.isWellFormed())
    context.addIssue({ code: 'custom', message: 'must be well-formed Unicode', path });
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    refuseIllFormed(key, context, path);
    refuseIllFormed(inner, context, [...path, Array.isArray(value) ? Number(key) : key]);
  }
}

const priority = z.int().min(priorityRange.lowest).max(priorityRange.highest).optional();

const inlineItemFields = {
  description: z
    .string()
    .max(fixedLimits.agents.descriptionCharacters)
    .optional()
    .describe('Description of the item, for people and for search.'),
  priority: priority.describe(`A lower number comes first. Default ${priorityRange.default}.`),
  text: z
    .string()
    .refine(
      (text) => Buffer.byteLength(text) <= fixedLimits.agents.itemBytes,
      `must not be longer than ${fixedLimits.agents.itemBytes} bytes`,
    )
    .describe('What the model sees. At most 256 KiB.'),
  include: IncludeMode.optional().describe('How the item gets into sessions and requests. Default `manual`.'),
};

export const InlineItem = z
  .strictObject({
    name: InlineItemName.describe('Name of the item. It is unique among items of its kind.'),
    ...inlineItemFields,
  })
  .meta({ id: 'InlineItem', description: 'A rule or reference that is stored in the agent.' });
export type InlineItem = z.infer<typeof InlineItem>;

/** An inline item whose name is in the path. If the body has a name too, it must be the same. */
export const NamedInlineItem = z
  .strictObject({
    name: InlineItemName.optional().describe('Name of the item. If present, it must be the same as in the path.'),
    ...inlineItemFields,
  })
  .superRefine((item, context) => refuseIllFormed(item, context))
  .meta({ id: 'NamedInlineItem', description: 'A rule or reference. Its name is in the path.' });
export type NamedInlineItem = z.infer<typeof NamedInlineItem>;

const askedName = z.string().min(1).max(4096).describe('Name of the item.');
const askedServerName = z.string().min(1).max(128).describe('Name of the MCP server that has the tool.');
// Answers have no limits for names, because files and servers give the names.
const name = z.string().describe('Name of the item.');
const serverName = z.string().describe('Name of the MCP server that has the tool.');
const kind = ItemKind.describe('Kind of the item.');
const tool = z.literal('tool').describe('A tool of an MCP server.');
const sha256 = z
  .string()
  .describe(
    'SHA-256 of the item, in hexadecimal. It changes when the name, the description, the text or the input schema changes.',
  );

/** The fields that identify an item of any kind in an answer. */
export const itemFields = {
  type: kind,
  name,
  serverName: serverName.optional().describe('Name of the MCP server that has the tool. Only for tools.'),
};

const RuleOrReferenceRef = z
  .strictObject({ type: ItemType, name: askedName })
  .meta({ id: 'RuleOrReferenceRef', description: 'A rule or a reference, by name.' });
const ToolRef = z
  .strictObject({ type: tool, name: askedName, serverName: askedServerName })
  .meta({ id: 'ToolRef', description: 'A tool of an MCP server, by name.' });

/** Names an item of an agent. Strict: an unknown key is the caller's mistake. */
export const ContextItemRef = z.discriminatedUnion('type', [RuleOrReferenceRef, ToolRef]);
export type ContextItemRef = z.infer<typeof ContextItemRef>;

const sessionFields = {
  includeMode: z
    .enum(['always', 'manual'])
    .describe('`always`: the agent includes it in every session. `manual`: it was added to the session.'),
  missing: z
    .literal(true)
    .optional()
    .describe(
      'Present if the agent does not have the item now, because it was removed, excluded, or blocked by a policy.',
    ),
};
/** An item of a session (SE-01 … SE-04). */
export const SessionContextItem = z
  .discriminatedUnion('type', [
    z
      .object({ type: ItemType, name, ...sessionFields })
      .meta({ id: 'SessionRuleOrReference', description: 'A rule or reference that a session holds.' }),
    z
      .object({ type: tool, name, serverName, ...sessionFields })
      .meta({ id: 'SessionTool', description: 'A tool that a session holds.' }),
  ])
  .meta({ id: 'SessionContextItem', description: 'An item that a session holds, by reference.' });
export type SessionContextItem = z.infer<typeof SessionContextItem>;

const requestFields = {
  includeMode: ItemInclude.describe('Include mode: why the item is part of the request.'),
  similarityScore: z.number().min(0).max(1).optional().describe('Relevance to the message, for `agent` items.'),
  reason: Reason.optional().describe(
    'Why the item is included: `trigger_always`, `added_to_session`, `mentioned` (with the name), `glob_matched` (with the glob and the file), `semantic_match` (with score and engine), `imported` (with the importing file). Absent in old requests, which do not store it.',
  ),
  sha256,
  part: Part.optional(),
  tokens: z
    .int()
    .min(0)
    .describe(
      'Tokens that are sent. For a rule or reference: its text or part, with the word “Rule:” or “Reference:” before it. For a tool: its definition.',
    ),
  wholeTokens: z.int().min(0).optional().describe('Tokens of the whole item, if only a part is sent.'),
};
/** An item of a request (RQ-01, RQ-04). */
export const RequestContextItem = z
  .discriminatedUnion('type', [
    z
      .object({ type: ItemType, name, ...requestFields })
      .meta({ id: 'RequestRuleOrReference', description: 'A rule or reference that was used for a request.' }),
    z
      .object({ type: tool, name, serverName, ...requestFields })
      .meta({ id: 'RequestTool', description: 'A tool that was used for a request.' }),
  ])
  .meta({ id: 'RequestContextItem', description: 'An item that was used for a request, and why.' });
export type RequestContextItem = z.infer<typeof RequestContextItem>;

const sentDescription = z
  .string()
  .optional()
  .describe('Description of the item then. Absent if there was none, and in old requests, which do not store it.');
const sentPriority = priority.describe('Priority of the item then. A lower number comes first.');
/** An item of a past request, described as it was then, even if it has changed since (RQ-04). */
export const SentItem = z
  .discriminatedUnion('type', [
    z
      .object({ type: ItemType, name, ...requestFields, description: sentDescription, priority: sentPriority })
      .meta({ id: 'SentRuleOrReference', description: 'A rule or reference of a past request.' }),
    z
      .object({ type: tool, name, serverName, ...requestFields, description: sentDescription })
      .meta({ id: 'SentTool', description: 'A tool of a past request.' }),
  ])
  .meta({ id: 'SentItem', description: 'An item of a past request, as it was then.' });
export type SentItem = z.infer<typeof SentItem>;

/** A string for an item that a `ContextItemRef` can name. Equal references have equal strings. */
export function keyOfItem(item: { type: string; name: string; serverName?: string }): string {
  return JSON.stringify(item.type === 'tool' ? [item.type, item.serverName ?? '', item.name] : [item.type, item.name]);
}

/** An item of an agent as `GET /v1/agents/{agentId}/items` lists it. */
export const AgentItem = z
  .object({
    type: kind,
    name,
    serverName: serverName.optional(),
    include: ItemInclude,
    description: z.string().describe('Description of the item. Empty if there is none.'),
    priority: priority.describe('Priority of a rule or reference. A lower number comes first.'),
    source: z
      .enum(['file', 'inline', 'mcp'])
      .describe('`file`: a context file. `inline`: stored in the agent. `mcp`: an approved MCP server.'),
    path: z.string().optional().describe('Absolute path of the context file.'),
    sha256,
  })
  .meta({ id: 'AgentItem', description: 'A rule, reference or tool that an agent has.' });
export type AgentItem = z.infer<typeof AgentItem>;
