/** `/v1/agents`: agents, their content and their items (AG-01 … AG-05). */
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Agent, AgentId, AgentSummary, NamedAgent } from '../src/agent/agent.ts';
import { DocumentFormat, ImportRequest } from '../src/agent/agent-document.ts';
import { AgentItem, InlineItem, InlineItemName, NamedInlineItem } from '../src/agent/item.ts';
import type { Engine } from '../src/engine.ts';
import { Warning } from '../src/warnings.ts';
import { agentForAgents } from './agent-view.ts';
import { answer, emptyAnswer, sendJson, type ZodApp } from './http/operation.ts';
import { expectedVersion, partPreconditionHeaders, preconditionHeaders } from './http/precondition.ts';
import { callerOfRequest } from './http/server.ts';

export const AgentList = z
  .object({ agents: z.array(AgentSummary).describe('All agents, sorted by id.') })
  .meta({ id: 'AgentList', description: 'The agents.' });
export type AgentList = z.infer<typeof AgentList>;

export const AgentItems = z
  .object({
    items: z
      .array(AgentItem)
      .describe('First rules and references, by priority and name. Then tools, by server and name.'),
    warnings: z.array(Warning).describe('Mistakes in the user’s files and limits that were reached.'),
  })
  .meta({ id: 'AgentItems', description: 'All current items of an agent.' });
export type AgentItems = z.infer<typeof AgentItems>;

const agentParams = z.strictObject({ agentId: AgentId });
const itemParams = z.strictObject({ agentId: AgentId, name: InlineItemName.describe('Name of the item.') });

const tags = ['agents'];
const masked = 'Values of `env` and `headers` of its servers, and secrets in addresses, are masked as `***`.';
const keeping =
  'A value `***` keeps the stored value, as long as the command and the arguments, or the address, of its server stay the same.';

/** `ETag` is the version. */
function sendAgent(reply: FastifyReply, { agent, etag }: { agent: Agent; etag: string }): Agent {
  return sendJson(reply.header('etag', `"${etag}"`), agent);
}

export function agentRoutes(app: ZodApp, engine: Engine): void {
  app.route({
    method: 'GET',
    url: '/v1/agents',
    schema: {
      operationId: 'listAgents',
      tags,
      summary: 'List agents',
      description: 'Lists all agents, without their content.',
      response: { 200: answer('The agents.', AgentList) },
    },
    handler: async () => ({ agents: await engine.agents.list() }),
  });

  app.route({
    method: 'PUT',
    url: '/v1/agents/:agentId',
    schema: {
      operationId: 'putAgent',
      tags,
      summary: 'Create or replace an agent',
      description: `The body is the whole agent. Directories need not exist or be granted yet. ${keeping} The header \`ETag\` is the version of the agent.`,
      params: agentParams,
      headers: preconditionHeaders,
      body: NamedAgent,
      refusals: ['path_outside_roots', 'storage_full'],
      isVersioned: true,
      response: {
        200: answer('The agent existed and was replaced.', Agent),
        201: answer('The agent was created.', Agent),
      },
    },
    handler: async (request, reply) => {
      const { agentId } = request.params;
      const { created, ...shown } = await engine.agents.put(agentId, request.body, expectedVersion(request.headers));
      return sendAgent(reply.code(created ? 201 : 200), shown);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/agents/:agentId',
    schema: {
      operationId: 'getAgent',
      tags,
      summary: 'Get an agent',
      description: `Returns the agent as it is stored. ${masked} The header \`ETag\` is its version.`,
      params: agentParams,
      refusals: ['not_found'],
      isVersioned: true,
      response: { 200: answer('The agent.', Agent) },
    },
    async handler(request, reply) {
      const { agent, etag } = await engine.agents.get(request.params.agentId);
      const isForAgent = callerOfRequest(request).scope === 'agent';
      return sendAgent(reply, { agent: isForAgent ? agentForAgents(agent) : agent, etag });
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/agents/:agentId',
    schema: {
      operationId: 'deleteAgent',
      tags,
      summary: 'Delete an agent',
      description: 'Deletes the agent. Its sessions stay, but their items are `missing`.',
      params: agentParams,
      headers: preconditionHeaders,
      refusals: ['not_found', 'storage_full'],
      response: { 204: emptyAnswer('The agent was deleted.') },
    },
    handler: async (request, reply) => {
      await engine.agents.remove(request.params.agentId, expectedVersion(request.headers));
      return reply.code(204).send(null);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/agents/:agentId/export',
    schema: {
      operationId: 'exportAgent',
      tags,
      summary: 'Export an agent as one document',
      description: `Returns a document for \`POST /v1/agents/import\`. ${masked}`,
      params: agentParams,
      querystring: z.strictObject({ format: DocumentFormat.optional().describe('Default `yaml`.') }),
      refusals: ['not_found'],
      response: {
        200: {
          description: 'The document.',
          content: { 'application/json': { schema: Agent }, 'application/yaml': { schema: z.string() } },
        },
      },
    },
    handler: async (request, reply) => {
      const { format = 'yaml' } = request.query;
      const document = Buffer.from(await engine.agents.export(request.params.agentId, format));
      const type = format === 'yaml' ? 'application/yaml; charset=utf-8' : 'application/json; charset=utf-8';
      return reply.type(type).send(document as unknown as Agent);
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/agents/import',
    schema: {
      operationId: 'importAgent',
      tags,
      summary: 'Import an agent from a document',
      description: `Creates or replaces an agent. The document contains its id. If an agent with this id exists, the answer is \`conflict\`, unless \`replace\` is true. ${keeping} For a new agent, write the real values in place of \`***\` first.`,
      body: ImportRequest,
      refusals: ['path_outside_roots', 'conflict', 'storage_full'],
      isVersioned: true,
      response: {
        200: answer('The agent existed and was replaced.', Agent),
        201: answer('The agent was created.', Agent),
      },
    },
    handler: async (request, reply) => {
      const { created, ...shown } = await engine.agents.import(request.body);
      return sendAgent(reply.code(created ? 201 : 200), shown);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/agents/:agentId/items',
    schema: {
      operationId: 'listAgentItems',
      tags,
      summary: 'List the items of an agent',
      description:
        'Lists the current items of the agent: rules and references from the context files of its directory and from the agent itself, and the tools of approved MCP servers. A problem with a directory is a warning.',
      params: agentParams,
      refusals: ['not_found'],
      response: { 200: answer('The items.', AgentItems) },
    },
    handler: (request) => engine.agents.items(request.params.agentId),
  });

  for (const [kind, one, Name] of [
    ['rules', 'rule', 'Rule'],
    ['references', 'reference', 'Reference'],
  ] as const) {
    app.route({
      method: 'PUT',
      url: `/v1/agents/:agentId/${kind}/:name`,
      schema: {
        operationId: `putAgent${Name}`,
        tags,
        summary: `Create or replace a ${one} of an agent`,
        description: `Creates or replaces a ${one} that is stored in the agent. The header \`ETag\` is the version of the agent.`,
        params: itemParams,
        headers: partPreconditionHeaders(one),
        body: NamedInlineItem,
        refusals: ['not_found', 'storage_full'],
        isVersioned: true,
        response: {
          200: answer(`The ${one} existed and was replaced.`, InlineItem),
          201: answer(`The ${one} was created.`, InlineItem),
        },
      },
      handler: async (request, reply) => {
        const place = { ...request.params, kind };
        const { item, etag, created } = await engine.agents.putItem(
          place,
          request.body,
          expectedVersion(request.headers),
        );
        return reply
          .code(created ? 201 : 200)
          .header('etag', `"${etag}"`)
          .send(item);
      },
    });

    app.route({
      method: 'DELETE',
      url: `/v1/agents/:agentId/${kind}/:name`,
      schema: {
        operationId: `deleteAgent${Name}`,
        tags,
        summary: `Delete a ${one} of an agent`,
        description: `Deletes a ${one} that is stored in the agent. Context files are never changed.`,
        params: itemParams,
        headers: partPreconditionHeaders(one),
        refusals: ['not_found', 'storage_full'],
        isVersioned: true,
        response: { 204: emptyAnswer(`The ${one} was deleted.`) },
      },
      handler: async (request, reply) => {
        const etag = await engine.agents.removeItem({ ...request.params, kind }, expectedVersion(request.headers));
        return reply.code(204).header('etag', `"${etag}"`).send(null);
      },
    });
  }
}
