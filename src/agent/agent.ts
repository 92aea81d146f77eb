/** What an agent is (AG-01 … AG-05, SE-03, SS-06). */
import { z } from 'zod';
import { McpServer } from '../context/config.ts';
import { RequestPath } from '../context/resolve-request.ts';
import { SearchOptions } from '../search/search-options.ts';
import { fixedLimits } from '../settings.ts';
import { IncludeMode, InlineItem, refuseIllFormed } from './item.ts';

const limits = fixedLimits.agents;

/** The caller chooses it. */
export const AgentId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/u, 'must consist of 1 to 64 letters, digits, "_" and "-"')
  .describe('Id of the agent: 1 to 64 letters, digits, `_` and `-`.');

/** Who decides about a tool call of the model (SE-03). The daemon keeps it for the client, which runs the loop. */
export const ToolPermission = z.enum(['always', 'never', 'tool']).meta({
  id: 'ToolPermission',
  description:
    'Whether the user is asked before a tool is called. `always`: before each call. `never`. `tool` (default): as it is set for the tool.',
});
export type ToolPermission = z.infer<typeof ToolPermission>;

/** What a session has where neither it nor its agent says otherwise. */
export const defaultChatSettings = {
  maxChatTurns: 20,
  maxOutputTokens: 4_096,
  temperature: 0.5,
  topP: 1,
  toolPermission: 'tool',
} as const satisfies ChatSettings;

/** Settings of a chat; sessions have them too. */
export const chatSettingsFields = {
  maxChatTurns: z.int().min(1).max(10_000).optional().describe('Max calls of the model for one message of the user.'),
  maxOutputTokens: z.int().min(1).max(10_000_000).optional().describe('Max tokens of an answer of the model.'),
  temperature: z.number().min(0).max(2).optional().describe('Sampling temperature.'),
  topP: z.number().min(0).max(1).optional().describe('Nucleus sampling.'),
  toolPermission: ToolPermission.optional(),
};
type ChatSettings = {
  maxChatTurns?: number;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  toolPermission?: ToolPermission;
};

/** How items are searched, by domain (SS-06). */
export const searchSettingsFields = {
  search: SearchOptions.optional().describe('How rules and references are searched.'),
  toolSearch: SearchOptions.optional().describe('How tools are searched.'),
};

export const AgentSettings = z
  .strictObject({ ...searchSettingsFields, ...chatSettingsFields })
  .meta({ id: 'AgentSettings', description: 'What sessions of the agent begin with.' });
export type AgentSettings = z.infer<typeof AgentSettings>;

const notTooMany = (record: object) => Object.keys(record).length <= fixedLimits.configurations.entries;
const tooMany = `must not have more than ${fixedLimits.configurations.entries} entries`;
const bounded = <Value extends z.ZodType>(record: z.ZodOptional<z.ZodRecord<z.ZodString, Value>>) =>
  record.unwrap().refine(notTooMany, tooMany).optional();

const toolsFields = {
  include: IncludeMode.optional().describe('How its tools come into sessions and requests. Default `always`.'),
  tools: z
    .record(z.string().min(1).max(256), z.strictObject({ include: IncludeMode }))
    .refine((tools) => Object.keys(tools).length <= limits.items, `must not have more than ${limits.items} entries`)
    .optional()
    .describe('Tools for which something else holds, by name (AG-04).'),
};
const [LocalServer, RemoteServer] = McpServer.options;
const LocalAgentServer = LocalServer.extend({
  command: LocalServer.shape.command.max(4096),
  args: z
    .array(LocalServer.shape.args.unwrap().element.max(32_768))
    .max(fixedLimits.configurations.entries)
    .optional()
    .describe('Its arguments.'),
  env: bounded(LocalServer.shape.env).describe('Variables of its environment; values are masked in every answer.'),
  ...toolsFields,
}).meta({ id: 'LocalAgentServer', description: 'A program that is started.' });
const RemoteAgentServer = RemoteServer.extend({
  url: RemoteServer.shape.url.max(4096),
  headers: bounded(RemoteServer.shape.headers).describe('Headers of each request; values are masked in every answer.'),
  ...toolsFields,
}).meta({ id: 'RemoteAgentServer', description: 'An address that is called.' });

/**
 * An MCP server of an agent: its definition, and how its tools are included (AG-04). `command` and `url` tell the two apart,
 * as in every list of servers; `type` may be absent.
 */
export const AgentMcpServer = z.union([LocalAgentServer, RemoteAgentServer]).meta({
  id: 'AgentMcpServer',
  description: 'An MCP server of an agent. It is started only once the user has approved it.',
});
export type AgentMcpServer = z.infer<typeof AgentMcpServer>;

const inlineItems = z
  .array(InlineItem)
  .max(limits.items)
  .superRefine((items, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of items.entries()) {
      if (seen.has(name))
        context.addIssue({ code: 'custom', message: 'The name is given twice.', path: [index, 'name'] });
      seen.add(name);
    }
  })
  .optional();

const agentFields = {
  name: z.string().min(1).max(256).describe('Name for people.'),
  description: z.string().max(4096).optional().describe('What it is for.'),
  systemPrompt: z.string().max(limits.itemBytes).optional().describe('First message of every request.'),
  mountedDirectory: RequestPath.optional().describe(
    'The project root whose context files the agent has: absolute, or starting with `~/`.',
  ),
  workingDirectory: RequestPath.optional().describe(
    'Where it works: relative to the mounted directory, or absolute inside it. Default: the mounted directory, and the directories of the files of each request.',
  ),
  rules: inlineItems.describe('Rules that are kept in the agent itself.'),
  references: inlineItems.describe('References that are kept in the agent itself.'),
  mcpServers: z
    .record(
      z.string().regex(/^[^\p{Cc}]{1,128}$/u, 'must be 1 to 128 characters without control characters'),
      AgentMcpServer,
    )
    .refine(notTooMany, tooMany)
    .optional()
    .describe('MCP servers, by name.'),
  settings: AgentSettings.optional(),
};

export const Agent = z
  .strictObject({ id: AgentId, ...agentFields })
  .superRefine((agent, context) => refuseIllFormed(agent, context))
  .meta({ id: 'Agent', description: 'Rules, references and tools, and how sessions begin.' });
export type Agent = z.infer<typeof Agent>;

/** An agent whose id stands in the path; where it is given, it must be the same. */
export const NamedAgent = z
  .strictObject({ id: AgentId.optional(), ...agentFields })
  .superRefine((agent, context) => refuseIllFormed(agent, context))
  .meta({ id: 'NamedAgent', description: 'An agent; its id stands in the path.' });
export type NamedAgent = z.infer<typeof NamedAgent>;

export const AgentSummary = z
  .object({
    id: AgentId,
    name: z.string().describe('Name for people.'),
    description: z.string().optional().describe('What it is for.'),
    mountedDirectory: z.string().optional().describe('The project root whose context files it has.'),
    rules: z.int().describe('Number of rules kept in it.'),
    references: z.int().describe('Number of references kept in it.'),
    mcpServers: z.int().describe('Number of its MCP servers.'),
    createdAt: z.string().describe('ISO 8601 UTC.'),
    updatedAt: z.string().describe('ISO 8601 UTC.'),
    etag: z.string().describe('Its version, for preconditions.'),
  })
  .meta({ id: 'AgentSummary', description: 'An agent, without what it holds.' });
export type AgentSummary = z.infer<typeof AgentSummary>;
