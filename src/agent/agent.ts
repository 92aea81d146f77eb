/** The schema of an agent (AG-01 … AG-05, SE-03, SS-06). */
import { z } from 'zod';
import { RequestPath } from '../context/resolve-request.ts';
import { McpServer, serverName } from '../context/server-entry.ts';
import { SearchOptions } from '../search/search-options.ts';
import { fixedLimits } from '../settings.ts';
import { IncludeMode, InlineItem, refuseIllFormed } from './item.ts';

const limits = fixedLimits.agents;

/** The caller chooses it. */
export const AgentId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/u, 'must consist of 1 to 64 letters, digits, "_" and "-"')
  .describe('Id of the agent: 1 to 64 letters, digits, `_` and `-`.');

/** Who decides about a tool call of the model (SE-03). The daemon stores it for the client, which runs the loop. */
export const ToolPermission = z.enum(['always', 'never', 'tool']).meta({
  id: 'ToolPermission',
  description:
    'Whether the user is asked before a tool call. `always`: before each call. `never`: not at all. `tool` (default): as set for the tool; for calls with an agent token, this means `always`.',
});
export type ToolPermission = z.infer<typeof ToolPermission>;

/** Settings of a session if neither the session nor its agent has others. */
export const defaultChatSettings = {
  maxChatTurns: 20,
  maxOutputTokens: 4_096,
  temperature: 0.5,
  topP: 1,
  toolPermission: 'tool',
} as const satisfies AgentSettings;

/** Settings of a chat; sessions have them too. */
export const chatSettingsFields = {
  maxChatTurns: z.int().min(1).max(10_000).optional().describe('Max calls of the model for one message of the user.'),
  maxOutputTokens: z.int().min(1).max(10_000_000).optional().describe('Max tokens of an answer of the model.'),
  temperature: z.number().min(0).max(2).optional().describe('Sampling temperature.'),
  topP: z.number().min(0).max(1).optional().describe('Nucleus sampling.'),
  toolPermission: ToolPermission.optional(),
};

/** How items are searched, by domain (SS-06). */
export const searchSettingsFields = {
  search: SearchOptions.optional().describe('Search options for rules and references.'),
  toolSearch: SearchOptions.optional().describe('Search options for tools.'),
};

export const AgentSettings = z
  .strictObject({ ...searchSettingsFields, ...chatSettingsFields })
  .meta({ id: 'AgentSettings', description: 'Settings for the sessions of the agent.' });
export type AgentSettings = z.infer<typeof AgentSettings>;

const notTooMany = (record: object) => Object.keys(record).length <= fixedLimits.configurations.entries;
const tooMany = `must not have more than ${fixedLimits.configurations.entries} entries`;
const bounded = <Value extends z.ZodType>(record: z.ZodOptional<z.ZodRecord<z.ZodString, Value>>) =>
  record.unwrap().refine(notTooMany, tooMany).optional();

const toolsFields = {
  include: IncludeMode.optional().describe(
    'How the tools of the server get into sessions and requests. Default `always`.',
  ),
  tools: z
    .record(z.string().min(1).max(256), z.strictObject({ include: IncludeMode }))
    .refine((tools) => Object.keys(tools).length <= limits.items, `must not have more than ${limits.items} entries`)
    .optional()
    .describe('Tools with a different include mode, by name.'),
};
const [LocalServer, RemoteServer] = McpServer.options;
const LocalAgentServer = LocalServer.extend({
  command: LocalServer.shape.command.max(4096),
  args: z
    .array(LocalServer.shape.args.unwrap().element.max(32_768))
    .max(fixedLimits.configurations.entries)
    .optional()
    .describe('Arguments of the program.'),
  env: bounded(LocalServer.shape.env).describe('Environment variables. Values are masked in every answer.'),
  ...toolsFields,
}).meta({ id: 'LocalAgentServer', description: 'An MCP server that is a local program.' });
const RemoteAgentServer = RemoteServer.extend({
  url: RemoteServer.shape.url.max(4096),
  headers: bounded(RemoteServer.shape.headers).describe('Headers of each request. Values are masked in every answer.'),
  ...toolsFields,
}).meta({ id: 'RemoteAgentServer', description: 'An MCP server that has an address.' });

/**
 * An MCP server of an agent: its definition, and how its tools are included (AG-04). A definition has either `command`
 * or `url`, as in every list of servers; `type` may be absent.
 */
export const AgentMcpServer = z.union([LocalAgentServer, RemoteAgentServer]).meta({
  id: 'AgentMcpServer',
  description: 'An MCP server of an agent. It starts only after the user has approved it.',
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
  systemPrompt: z
    .string()
    .max(limits.itemBytes)
    .optional()
    .describe('The system prompt: the first message of every request.'),
  mountedDirectory: RequestPath.optional().describe(
    'Project root: absolute, or starting with `~/`. The agent uses its context files.',
  ),
  workingDirectory: RequestPath.optional().describe(
    'The directory where the agent works: relative to the mounted directory, or absolute inside it. Default: the mounted directory, and the directories of the files of each request.',
  ),
  rules: inlineItems.describe('Rules that are stored in the agent.'),
  references: inlineItems.describe('References that are stored in the agent.'),
  mcpServers: z
    .record(z.string().regex(serverName, 'must be 1 to 128 characters without control characters'), AgentMcpServer)
    .refine(notTooMany, tooMany)
    .optional()
    .describe('MCP servers, by name.'),
  settings: AgentSettings.optional(),
};

export const Agent = z
  .strictObject({ id: AgentId, ...agentFields })
  .superRefine((agent, context) => refuseIllFormed(agent, context))
  .meta({ id: 'Agent', description: 'An agent: its rules, references and tools, and settings for its sessions.' });
export type Agent = z.infer<typeof Agent>;

/** An agent whose id is in the path. If the body has an id too, it must be the same. */
export const NamedAgent = z
  .strictObject({ id: AgentId.optional(), ...agentFields })
  .superRefine((agent, context) => refuseIllFormed(agent, context))
  .meta({ id: 'NamedAgent', description: 'An agent. Its id is in the path.' });
export type NamedAgent = z.infer<typeof NamedAgent>;

export const AgentSummary = z
  .object({
    id: AgentId,
    name: z.string().describe('Name for people.'),
    description: z.string().optional().describe('What it is for.'),
    mountedDirectory: z.string().optional().describe('Project root. The agent uses its context files.'),
    rules: z.int().describe('Number of rules that are stored in the agent.'),
    references: z.int().describe('Number of references that are stored in the agent.'),
    mcpServers: z.int().describe('Number of its MCP servers.'),
    createdAt: z.string().describe('When the agent was created, ISO 8601 UTC.'),
    updatedAt: z.string().describe('When the agent was last changed, ISO 8601 UTC.'),
    etag: z.string().describe('Version of the agent, for preconditions.'),
  })
  .meta({ id: 'AgentSummary', description: 'An agent without its content.' });
export type AgentSummary = z.infer<typeof AgentSummary>;
