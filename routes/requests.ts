/** Requests of sessions, and how often they use items (RQ-01 … RQ-06). */
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AgentId } from '../src/agent/agent.ts';
import type { Engine } from '../src/engine.ts';
import { SessionMessage } from '../src/session/message.ts';
import { NewRequest, RebuiltRequest, Reply, RequestReceipt, StoredReceipt } from '../src/session/request.ts';
import { AgentUsage } from '../src/session/usage.ts';
import { Warning } from '../src/warnings.ts';
import { answer, sendJson, type ZodApp } from './http/operation.ts';
import { callerOfRequest } from './http/server.ts';
import { wakeServers } from './mcp-servers.ts';
import { after, limitOf, sessionParams } from './sessions.ts';

export const ReplyAnswer = z
  .object({ message: SessionMessage, lastSyncId: z.int().describe('`lastSyncId` of the session after the reply.') })
  .meta({ id: 'ReplyAnswer', description: 'The message that contains the reply.' });

export const RequestList = z
  .object({
    requests: z.array(StoredReceipt).describe('Requests, the newest first.'),
    next: z.int().optional().describe('Present if there are more. Send it as `after` to get the next page.'),
    warnings: z.array(Warning).describe('Stored requests that are damaged and were left out.'),
  })
  .meta({ id: 'RequestList', description: 'Past requests of a session.' });

const requestParams = sessionParams.extend({
  requestId: z.string().min(1).max(64).describe('Id of the request.'),
});
const tags = ['requests'];

/** Loose, because a request has other headers too. */
const idempotencyHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/u, 'must be 1 to 255 characters of ASCII')
    .optional()
    .describe(
      'Any text that the client creates for this request, such as a UUID. If the client sends the same request again with the same key, it gets the same answer, and nothing is appended. The same key with another request is a `conflict`.',
    ),
});

export function requestRoutes(app: ZodApp, engine: Engine): void {
  const sessionsOf = (request: Pick<FastifyRequest, 'raw'>) => engine.sessionsOf(callerOfRequest(request));

  app.route({
    method: 'POST',
    url: '/v1/sessions/:sessionId/requests',
    schema: {
      operationId: 'createRequest',
      tags,
      summary: 'Build a request to a model',
      description:
        'Chooses the items for one message of the user, anew for each request: all items of the session, mentioned items, `auto` items whose globs match a file in play, `agent` items that search finds relevant, and files that these items import. First, `always` tools of servers in `pendingServers` join the session, if they are available now. For the other servers, a warning says why not: `tools_pending`, `tools_unavailable` or `tools_need_approval`. The answer has the messages and tools to send, in order, and the receipt: every item, why it is included, what it costs, and what was left out. The message is appended to the session. If the search fails, the request still succeeds; `semantic` says that the search failed. From the history, `user` and `assistant` messages and tool results are sent. Tool calls and their results keep their form. With an `Idempotency-Key`, a client can send the request again, also to another daemon with the same store. The request is made only once.',
      params: sessionParams,
      headers: idempotencyHeaders,
      body: NewRequest,
      refusals: ['path_outside_roots', 'not_found', 'conflict', 'storage_full'],
      response: { 201: answer('What to send, and why.', RequestReceipt) },
    },
    handler: async (request, reply) => {
      const { sessionId } = request.params;
      const key = request.headers['idempotency-key'];
      const receipt = await sessionsOf(request).request(sessionId, request.body, key);
      wakeServers(engine, reply, { sessionId });
      return sendJson(reply.code(201), receipt);
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/sessions/:sessionId/requests/:requestId/reply',
    schema: {
      operationId: 'replyToRequest',
      tags,
      summary: 'Report the reply of the model',
      description:
        'Appends the reply to the session as an `assistant` message, with the request context of the request. A second reply is a `conflict`. `modelReply` may have any form. These forms stay as they are in later requests: messages of OpenAI’s chat completions (`tool_calls`, `choices`), items of OpenAI’s Responses (`output`), messages of Anthropic (`tool_use`), and `{turns}`. Report a whole loop of tool calls as one list. To append messages that come later, use `PATCH /v1/sessions/{sessionId}`.',
      params: requestParams,
      body: Reply,
      refusals: ['not_found', 'conflict', 'storage_full'],
      response: { 200: answer('The message.', ReplyAnswer) },
    },
    handler: async (request, reply) => {
      const { sessionId, requestId } = request.params;
      return sendJson(reply, await sessionsOf(request).reply(sessionId, requestId, request.body.modelReply));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/sessions/:sessionId/requests',
    schema: {
      operationId: 'listRequests',
      tags,
      summary: 'List past requests',
      description: 'Lists past requests, newest first, without the messages that were sent.',
      params: sessionParams,
      querystring: z.strictObject({ after, limit: limitOf(100).describe('Max requests of a page. Default 50.') }),
      refusals: ['not_found'],
      response: { 200: answer('A page of requests.', RequestList) },
    },
    handler: async (request, reply) =>
      sendJson(reply, await sessionsOf(request).listRequests(request.params.sessionId, request.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/sessions/:sessionId/requests/:requestId',
    schema: {
      operationId: 'getRequest',
      tags,
      summary: 'Get a past request as it was sent',
      description:
        'Returns messages and tools exactly as they were sent, even if items have changed since then. `changedItems` names the changed items.',
      params: requestParams,
      refusals: ['not_found'],
      response: { 200: answer('The request.', RebuiltRequest) },
    },
    handler: async (request, reply) => {
      const { sessionId, requestId } = request.params;
      return sendJson(reply, await sessionsOf(request).getRequest(sessionId, requestId));
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/agents/:agentId/usage',
    schema: {
      operationId: 'getAgentUsage',
      tags,
      summary: 'Show how often items are used',
      description:
        'Returns how often each item was part of a request, in which mode, and with which relevance. Also lists items that were never used, with suggestions.',
      params: z.strictObject({ agentId: AgentId }),
      refusals: ['not_found'],
      response: { 200: answer('The items and how often they were used.', AgentUsage) },
    },
    handler: async (request, reply) => sendJson(reply, await engine.sessions.usage(request.params.agentId)),
  });

  app.route({
    method: 'GET',
    url: '/v1/request-contexts',
    schema: {
      operationId: 'exportRequestContexts',
      tags,
      summary: 'Export request contexts',
      description:
        'Streams all stored requests, oldest first, as JSON Lines. Each line is one JSON object (`StoredReceipt`).',
      querystring: z.strictObject({
        format: z.enum(['jsonl']).optional().describe('JSON Lines.'),
        agentId: AgentId.optional().describe('Only sessions with this agent.'),
      }),
      response: {
        200: {
          description: 'JSON Lines.',
          content: { 'application/jsonl': { schema: z.string().describe('One `StoredReceipt` on each line.') } },
        },
      },
    },
    handler: async (request, reply) => {
      const lines = linesOf(await engine.sessions.exportRequests(request.query));
      const stream = Readable.from(lines) as unknown as string;
      return reply.type('application/jsonl; charset=utf-8').send(stream);
    },
  });
}

async function* linesOf(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}
