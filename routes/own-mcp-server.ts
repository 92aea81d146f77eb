/** `/mcp`: contextd as an MCP server over streamable HTTP (MC-05). */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { RequestPath } from '../src/context/resolve-request.ts';
import type { Engine } from '../src/engine.ts';
import { verbsOfEngine } from '../src/mcp-server/verbs.ts';
import { loadOnce } from '../src/pace/deferred-verbs.ts';
import { fixedLimits } from '../src/settings.ts';
import { answer, emptyAnswer, NoBody, type ZodApp } from './http/operation.ts';
import { createProblem, sendProblem } from './http/problem.ts';
import { callerOfRequest } from './http/server.ts';
import type { McpEndpoint } from './mcp-endpoint.ts';

type McpRouteOptions = {
  version: string;
  onError(error: unknown): void;
};

/** The protocol checks the content of a message. Its errors are messages too. */
const McpMessage = z
  .strictObject({
    jsonrpc: z.literal('2.0').describe('The version of JSON-RPC.'),
    id: z
      .union([z.string().max(256), z.number(), z.null()])
      .optional()
      .describe('Id of a request or an answer. Absent in notifications.'),
    method: z.string().max(256).optional().describe('Method of a request or a notification.'),
    params: z.unknown().optional().describe('Parameters of the method.'),
    result: z.unknown().optional().describe('Answer of the client to a request of the server.'),
    error: z.unknown().optional().describe('Error of the client, instead of an answer.'),
  })
  .meta({ id: 'McpMessage', description: 'A JSON-RPC 2.0 message of the Model Context Protocol.' });
const McpMessages = z
  .union([McpMessage, z.array(McpMessage).min(1).max(fixedLimits.mcpEndpoint.batch)])
  .describe('One message, or a list of messages.');
const querystring = z.strictObject({
  mountedDirectory: z
    .union([RequestPath, z.array(RequestPath).max(16)])
    .optional()
    .describe(
      'A directory that the client works in. May be repeated. The server answers only about these directories. Default: the roots of the client, else all granted roots.',
    ),
});
const sessionHeader = z.looseObject({
  'mcp-session-id': z.string().max(256).optional().describe('The session id from the answer to `initialize`.'),
});
const tags = ['mcp'];

const McpError = z
  .object({
    jsonrpc: z.literal('2.0').describe('The version of JSON-RPC.'),
    id: z.union([z.string(), z.number(), z.null()]).optional().describe('Id of the refused message, if it has one.'),
    error: z
      .object({
        code: z.int().describe('What is wrong, for programs.'),
        message: z.string().describe('What is wrong, for people.'),
        data: z.unknown().optional().describe('More details.'),
      })
      .describe('What is wrong.'),
  })
  .meta({ id: 'McpError', description: 'A JSON-RPC error. The protocol refuses the message, not the daemon.' });

const rpcErrors = (...statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, answer('The protocol refuses the message.', McpError)]));

/** Returns a function that ends the sessions of a token. */
export function mcpRoutes(app: ZodApp, engine: Engine, options: McpRouteOptions): { endSessions(id: string): void } {
  // Loaded at the first request, because many daemons get none.
  const load = loadOnce(async (): Promise<McpEndpoint> => {
    const { createMcpEndpoint } = await import('./mcp-endpoint.ts');
    return createMcpEndpoint({ ...options, verbs: verbsOfEngine(engine, options.onError) });
  });

  async function serve(
    request: FastifyRequest,
    reply: FastifyReply,
    query: z.infer<typeof querystring>,
  ): Promise<void> {
    const body = request.method === 'POST' ? request.body : undefined;
    if (request.method !== 'POST' && request.headers['mcp-session-id'] === undefined) {
      const detail = 'GET and DELETE need a session. Begin one with “initialize”.';
      const problem = createProblem('invalid_request', request.id, { status: 405, detail });
      return sendProblem(reply.header('allow', 'POST'), problem);
    }
    const caller = callerOfRequest(request);
    const endpoint = await load();
    const refusal = await endpoint.refusal({ caller, request: request.raw, body });
    if (refusal !== undefined) throw refusal;
    reply.hijack();
    const { raw } = reply;
    raw.on('error', () => {});
    const mountedDirectories = [query.mountedDirectory ?? []].flat();
    const handle = async (): Promise<void> => {
      try {
        await endpoint.handle({ caller, request: request.raw, response: raw, body, mountedDirectories });
      } catch (error) {
        options.onError(error);
        raw.destroy();
      }
    };
    // The framework no longer handles this reply, but its accesses to the store still belong together.
    void engine.together(handle);
    return reply;
  }

  app.route({
    method: 'POST',
    url: '/mcp',
    schema: {
      operationId: 'sendMcp',
      tags,
      summary: 'Send an MCP message',
      description:
        'Speaks the Model Context Protocol over streamable HTTP. The tools are `resolve_context`, `explain_context`, `retrieve_context`, `search_context` and `check_policy`. Context files are resources; `manual` context files are prompts. Version 2026-07-28 and the older versions that begin with `initialize` are supported. A mistake in a message is a JSON-RPC error, with status 400 or 404 if the protocol requires it.',
      headers: sessionHeader,
      querystring,
      body: McpMessages,
      refusals: ['not_found'],
      response: {
        200: {
          description: 'The answer, as JSON or as `text/event-stream`.',
          content: {
            'application/json': { schema: z.unknown() },
            'text/event-stream': { schema: z.string().describe('Messages. Each event contains one.') },
          },
        },
        202: emptyAnswer('Notifications and answers of the client were accepted.'),
        ...rpcErrors(400, 404, 406),
      },
    },
    handler: (request, reply) => serve(request as FastifyRequest, reply as FastifyReply, request.query),
  });

  app.route({
    method: 'GET',
    url: '/mcp',
    exposeHeadRoute: false,
    schema: {
      operationId: 'streamMcp',
      tags,
      summary: 'Listen for MCP notifications',
      description:
        'Notifications for a session of a protocol before 2026-07-28, as `text/event-stream`. Later protocols send `subscriptions/listen` instead. Without a session the answer is 405, as the protocol requires.',
      headers: sessionHeader,
      querystring,
      refusals: ['not_found', 405],
      response: {
        200: { description: 'Notifications.', content: { 'text/event-stream': { schema: z.string() } } },
        ...rpcErrors(400, 404, 406, 409),
      },
    },
    handler: (request, reply) => serve(request as FastifyRequest, reply as FastifyReply, request.query),
  });

  app.route({
    method: 'DELETE',
    url: '/mcp',
    schema: {
      operationId: 'endMcpSession',
      tags,
      summary: 'End an MCP session',
      description: 'Ends a session of a protocol before 2026-07-28. Without a session the answer is 405.',
      headers: sessionHeader,
      querystring,
      body: NoBody,
      refusals: ['not_found', 405],
      response: { 200: emptyAnswer('The session has ended.'), ...rpcErrors(400, 404) },
    },
    handler: (request, reply) => serve(request as FastifyRequest, reply as FastifyReply, request.query),
  });

  app.addHook('preClose', async () => {
    await (await load.loaded())?.close();
  });
  return { endSessions: (id) => void load.loaded().then((endpoint) => endpoint?.endSessions(id)) };
}
