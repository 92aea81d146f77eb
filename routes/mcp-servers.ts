/** `/v1/mcp`: MCP servers (MC-01 … MC-04, S-05, S-13). Long, because each operation is described. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Engine } from '../src/engine.ts';
import { ContextdError } from '../src/errors.ts';
import {
  ApprovalRequest,
  Fingerprint,
  McpPromptContent,
  McpPromptList,
  McpResourceContent,
  McpResourceList,
  McpServerEntry,
  McpServerList,
  McpToolList,
  ServerId,
  ServerQuery,
  ToolCall,
  ToolCallResult,
} from '../src/mcp/server-requests.ts';
import { listFor } from './agent-view.ts';
import { signalOfClient } from './http/client-gone.ts';
import { answer, directoryRefusals, emptyAnswer, NoBody, type ZodApp } from './http/operation.ts';
import { callerOfRequest } from './http/server.ts';
import { isOnUnixSocket } from './http/unix-socket.ts';

const tags = ['servers'];
const params = z.strictObject({ id: ServerId });
const toolParams = z.strictObject({ id: ServerId, tool: z.string().min(1).max(256).describe('Name of the tool.') });
const onlyHere = 'Only for clients on this machine (`forbidden_scope`).';
/** The refusals of operations that use a server, and of those that may also start it. */
const useRefusals = ['approval_required', 'not_found', 'conflict', 'upstream_failed', 'upstream_timeout'] as const;
const startRefusals = [...useRefusals, 'storage_full'] as const;
const startsIt = 'For clients on this machine, an approved server that does not run is started first.';

const actions = {
  start: {
    operationId: 'startMcpServer',
    summary: 'Start a server',
    description: `Compares the definition with the approval again, starts exactly this definition, and waits until the server answers. If the present definition is not approved, the answer is \`approval_required\`. At most 20 servers run at once, and a server that keeps failing is started at most 5 times within ten minutes (\`limit_exceeded\`). ${onlyHere}`,
  },
  stop: {
    operationId: 'stopMcpServer',
    summary: 'Stop a server',
    description: 'Stops the server and everything it started. It stays stopped until the user starts it.',
  },
  restart: {
    operationId: 'restartMcpServer',
    summary: 'Restart a server',
    description: `Stops the server and starts it, as \`start\` does. ${onlyHere}`,
  },
} as const;

export function mcpServerRoutes(app: ZodApp, engine: Engine): void {
  const { mcp } = engine;

  app.route({
    method: 'GET',
    url: '/v1/mcp/servers',
    schema: {
      operationId: 'listMcpServers',
      tags,
      summary: 'List MCP servers',
      description:
        'Lists the servers that the configurations of a mounted directory define, or the servers of an agent and its directory. Shows exactly what would run, whether it is approved, and what changed since then. Starts nothing. Secrets are masked. For agent tokens, arguments are masked too, and everything in an address except its host.',
      querystring: ServerQuery,
      refusals: directoryRefusals,
      response: { 200: answer('The servers.', McpServerList) },
    },
    handler: async (request) => listFor(callerOfRequest(request), await mcp.list(request.query)),
  });

  app.route({
    method: 'POST',
    url: '/v1/mcp/approvals',
    schema: {
      operationId: 'approveMcpServer',
      tags,
      summary: 'Approve a server',
      description: `Allows the server to start with exactly the definition that was shown. If the definition has changed, the answer is \`approval_stale\`. With \`toolsFingerprint\`, changed tools are accepted too. Starts nothing. ${onlyHere}`,
      body: ApprovalRequest,
      refusals: ['not_found', 'conflict', 'approval_stale', 'storage_full'],
      response: { 200: answer('The server is approved.', McpServerEntry) },
    },
    handler: (request) => {
      demandLocal(request);
      return mcp.approve(request.body);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/mcp/approvals/:fingerprint',
    schema: {
      operationId: 'revokeMcpApproval',
      tags,
      summary: 'Revoke an approval',
      description: 'Removes the approval. The server is stopped. It cannot start until it is approved again.',
      params: z.strictObject({ fingerprint: Fingerprint }),
      refusals: ['not_found', 'storage_full'],
      response: { 204: emptyAnswer('The approval was removed.') },
    },
    handler: async (request, reply) => {
      await mcp.revoke(request.params.fingerprint);
      return reply.code(204).send(null);
    },
  });

  for (const action of ['start', 'stop', 'restart'] as const)
    app.route({
      method: 'POST',
      url: `/v1/mcp/servers/:id/${action}`,
      schema: {
        ...actions[action],
        tags,
        params,
        body: NoBody,
        refusals: action === 'stop' ? ['not_found'] : startRefusals,
        response: { 200: answer('The server as it is now.', McpServerEntry) },
      },
      handler: (request) => {
        if (action !== 'stop') demandLocal(request);
        return mcp[action](request.params.id);
      },
    });

  app.route({
    method: 'GET',
    url: '/v1/mcp/servers/:id/tools',
    schema: {
      operationId: 'listMcpTools',
      tags,
      summary: 'List the tools of a server',
      description:
        'Lists the approved tools, even while the server does not run. The first list of a server after its approval counts as approved. Also lists the tools that are withheld, because they are new, changed, or not usable.',
      params,
      refusals: ['not_found'],
      response: { 200: answer('The tools.', McpToolList) },
    },
    handler: (request) => mcp.tools(request.params.id),
  });

  app.route({
    method: 'POST',
    url: '/v1/mcp/servers/:id/tools/:tool/call',
    schema: {
      operationId: 'callMcpTool',
      tags,
      summary: 'Call a tool',
      description: `Checks the arguments against the schema of the tool, and calls the tool. After 60 seconds the answer is \`upstream_timeout\`. If the client closes the connection, the daemon tells the server. With an agent token, the call needs a session of that token whose \`toolPermission\` is \`never\` and whose agent has the server. Otherwise the user must be asked (\`approval_required\`). ${startsIt} At most 100 calls of a server run at once. An agent token gets \`limit_exceeded\` when 80 calls run already.`,
      params: toolParams,
      body: ToolCall,
      refusals: startRefusals,
      response: { 200: answer('What the tool answered.', ToolCallResult) },
    },
    handler: (request, reply) => {
      const { id, tool } = request.params;
      const options = { ...useBy(request), signal: signalOfClient(reply) };
      return mcp.call(id, { tool, ...request.body }, options);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/mcp/servers/:id/resources',
    schema: {
      operationId: 'listMcpResources',
      tags,
      summary: 'List the resources of a server',
      description: 'Asks a running server. If the server does not run, the answer is `unavailable`.',
      params,
      refusals: useRefusals,
      response: { 200: answer('The resources.', McpResourceList) },
    },
    handler: (request) => mcp.resources(request.params.id, { caller: callerOfRequest(request) }),
  });

  app.route({
    method: 'POST',
    url: '/v1/mcp/servers/:id/resources/read',
    schema: {
      operationId: 'readMcpResource',
      tags,
      summary: 'Read a resource',
      description: `Asks the server for a resource. If the server does not know it, the answer is \`not_found\`. ${startsIt}`,
      params,
      body: z
        .strictObject({ uri: z.string().min(1).max(4096).describe('URI of the resource, from the list of resources.') })
        .meta({ id: 'ResourceRequest', description: 'A resource of a server.' }),
      refusals: startRefusals,
      response: { 200: answer('The content of the resource.', McpResourceContent) },
    },
    handler: (request) => mcp.readResource(request.params.id, request.body.uri, useBy(request)),
  });

  app.route({
    method: 'GET',
    url: '/v1/mcp/servers/:id/prompts',
    schema: {
      operationId: 'listMcpPrompts',
      tags,
      summary: 'List the prompts of a server',
      description: 'Asks a running server. If the server does not run, the answer is `unavailable`.',
      params,
      refusals: useRefusals,
      response: { 200: answer('The prompts.', McpPromptList) },
    },
    handler: (request) => mcp.prompts(request.params.id, { caller: callerOfRequest(request) }),
  });

  app.route({
    method: 'POST',
    url: '/v1/mcp/servers/:id/prompts/get',
    schema: {
      operationId: 'getMcpPrompt',
      tags,
      summary: 'Get a prompt',
      description: `Asks the server for a prompt. If the server does not know it, the answer is \`not_found\`; if it does not take the arguments, \`invalid_request\`. ${startsIt}`,
      params,
      body: z
        .strictObject({
          name: z.string().min(1).max(1024).describe('Name of the prompt, from the list of prompts.'),
          arguments: z
            .record(z.string().max(256), z.string().max(65_536))
            .refine((values) => Object.keys(values).length <= 64, 'must not have more than 64 entries')
            .optional()
            .describe('Arguments of the prompt, by name.'),
        })
        .meta({ id: 'PromptRequest', description: 'A prompt of a server.' }),
      refusals: startRefusals,
      response: { 200: answer('The messages.', McpPromptContent) },
    },
    handler: (request) => {
      const { name, arguments: args = {} } = request.body;
      return mcp.getPrompt(request.params.id, { name, arguments: args }, useBy(request));
    },
  });
}

/**
 * A new session or request will need the tools of its agent: the servers start in the background after the answer. Only
 * for clients on this machine.
 */
export function wakeServers(
  { mcp }: Pick<Engine, 'mcp'>,
  { request, raw }: Pick<FastifyReply, 'request' | 'raw'>,
  whom: Parameters<typeof mcp.wake>[0],
): void {
  if (isLocal(request)) raw.once('finish', () => void mcp.wake(whom));
}

/** Whether the client is on this machine. The address of the socket decides, never a header. */
function isLocal({ socket }: Pick<FastifyRequest, 'socket'>): boolean {
  return isOnUnixSocket(socket) || /^(?:::ffff:)?127\.|^::1$/u.test(socket.remoteAddress ?? '');
}

/** How the caller of the request may use a server. */
function useBy(request: Pick<FastifyRequest, 'raw' | 'socket'>) {
  return { mayStart: isLocal(request), caller: callerOfRequest(request) };
}

function demandLocal(request: Pick<FastifyRequest, 'socket'>): void {
  if (isLocal(request)) return;
  throw new ContextdError('forbidden_scope', 'Servers are approved and started only from the machine they run on.');
}
