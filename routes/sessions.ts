/** `/v1/sessions`: sessions, their items and changes (SE-01 … SE-05). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AgentId } from '../src/agent/agent.ts';
import { ContextItemRef, ItemKind } from '../src/agent/item.ts';
import type { Engine } from '../src/engine.ts';
import { ContextdError } from '../src/errors.ts';
import {
  NewSession,
  Session,
  SessionChanges,
  SessionItems,
  SessionPatch,
  SessionSummary,
} from '../src/session/session.ts';
import { fixedLimits } from '../src/settings.ts';
import { refuseInput } from '../src/texts/parse-input.ts';
import { Warning } from '../src/warnings.ts';
import { answer, emptyAnswer, sendJson, type ZodApp } from './http/operation.ts';
import { expectedVersion, preconditionHeaders } from './http/precondition.ts';
import { callerOfRequest } from './http/server.ts';
import { wakeServers } from './mcp-servers.ts';

export const SessionList = z
  .object({
    sessions: z.array(SessionSummary).describe('Sessions, the newest first.'),
    next: z.int().optional().describe('Present if there are more. Send it as `after` to get the next page.'),
    warnings: z.array(Warning).describe('Stored sessions that are damaged and were left out.'),
  })
  .meta({ id: 'SessionList', description: 'Sessions, without their messages and items.' });
export type SessionList = z.infer<typeof SessionList>;

const position = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional();
export const limitOf = (max: number) => z.coerce.number().int().min(1).max(max).optional();
export const after = position.describe('`next` of the page before.');
const id = z.string().min(1).max(64).describe('Id of the session.');
export const sessionParams = z.strictObject({ sessionId: id });

function sendVersioned<Value extends { lastSyncId: number }>(reply: FastifyReply, value: Value): Value {
  return sendJson(reply.header('etag', `"${value.lastSyncId}"`), value);
}

type Received = Pick<FastifyRequest, 'raw'>;

const tags = ['sessions'];
const versioned = 'The header `ETag` is the version of the session, `lastSyncId`.';

export function sessionRoutes(app: ZodApp, engine: Engine): void {
  const sessionsOf = (request: Received) => engine.sessionsOf(callerOfRequest(request));

  app.route({
    method: 'POST',
    url: '/v1/sessions',
    schema: {
      operationId: 'createSession',
      tags,
      summary: 'Create a session',
      description: `The session begins with the items of its parent session, if there is one, and then every \`always\` item of the agent. For clients on this machine, the approved MCP servers of the agent start in the background. While the tools of such a server are not available, \`pendingServers\` names it, and a warning says why: \`tools_pending\`, \`tools_unavailable\` or \`tools_need_approval\`. Its \`always\` tools join the session with the first request after they are available. Settings that the request does not have come from the agent. Only the user sets \`toolPermission\`. Sessions stay until they are deleted. There can be ${fixedLimits.sessions.count} of them. If a session was made with an agent token, only this token and the user can use it.`,
      body: NewSession,
      refusals: ['forbidden_scope', 'not_found', 'storage_full'],
      isVersioned: true,
      response: { 201: answer('The session.', Session) },
    },
    handler: async (request, reply) => {
      const session = await sessionsOf(request).create(request.body);
      wakeServers(engine, reply, { agentId: session.agentId });
      return sendVersioned(reply.code(201), session);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/sessions',
    schema: {
      operationId: 'listSessions',
      tags,
      summary: 'List sessions',
      description:
        'Lists sessions, newest first, without their messages and items. An agent token sees only the sessions that it made.',
      querystring: z.strictObject({
        agentId: AgentId.optional().describe('Only sessions with this agent.'),
        after,
        limit: limitOf(1_000).describe('Max sessions of a page. Default 100.'),
      }),
      response: { 200: answer('A page of sessions.', SessionList) },
    },
    handler: async (request, reply) => sendJson(reply, await sessionsOf(request).list(request.query)),
  });

  app.route({
    method: 'GET',
    url: '/v1/sessions/:sessionId',
    schema: {
      operationId: 'getSession',
      tags,
      summary: 'Get a session',
      description: `Returns the state, the items and the last messages. An item that the agent no longer has is \`missing\`. ${versioned}`,
      params: sessionParams,
      refusals: ['not_found'],
      isVersioned: true,
      response: { 200: answer('The session.', Session) },
    },
    handler: async (request, reply) => sendVersioned(reply, await sessionsOf(request).get(request.params.sessionId)),
  });

  app.route({
    method: 'PATCH',
    url: '/v1/sessions/:sessionId',
    schema: {
      operationId: 'updateSession',
      tags,
      summary: 'Append messages, change settings',
      description: `Applies everything or nothing. It is on disk when the answer arrives. \`appendMessages\` takes messages of any role: for example errors, approvals, tool results (\`role: tool\` of OpenAI, or a \`user\` message with \`tool_result\` of Anthropic), and replies to requests that were not made here (as \`modelReply\`, or in the form of the model’s API). An agent token cannot append \`system\` or \`approval\` messages, or a \`requestContext\`. Each message is one change. All settings together are one change. Only the user changes \`toolPermission\`. ${versioned}`,
      params: sessionParams,
      headers: preconditionHeaders,
      body: SessionPatch,
      refusals: ['forbidden_scope', 'not_found', 'storage_full'],
      isVersioned: true,
      response: { 200: answer('The session after the change.', SessionSummary) },
    },
    handler: async (request, reply) => {
      const expected = expectedVersion(request.headers);
      return sendVersioned(reply, await sessionsOf(request).patch(request.params.sessionId, request.body, expected));
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/sessions/:sessionId',
    schema: {
      operationId: 'deleteSession',
      tags,
      summary: 'Delete a session',
      description:
        'Deletes the session permanently, with its messages and requests. The usage counts of its items stay.',
      params: sessionParams,
      headers: preconditionHeaders,
      refusals: ['not_found', 'storage_full'],
      response: { 204: emptyAnswer('The session was deleted.') },
    },
    handler: async (request, reply) => {
      await sessionsOf(request).delete(request.params.sessionId, expectedVersion(request.headers));
      return reply.code(204).send(null);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/sessions/:sessionId/changes',
    schema: {
      operationId: 'listSessionChanges',
      tags,
      summary: 'List changes',
      description:
        'Lists the changes after number `since`, in order and without gaps. Without `since`, with 0, or with a number that the session never had, the answer is `full`: the whole session as it is. A client uses it to start again, for example after the context of the model was compacted. `since=1` lists everything after the creation.',
      params: sessionParams,
      querystring: z.strictObject({
        since: position.describe('Number of the last change that the client knows.'),
        limit: limitOf(fixedLimits.sessions.answerMessages).describe(
          'Max changes of a page. Default 2,000; a page has at most 4 MiB.',
        ),
      }),
      refusals: ['not_found'],
      isVersioned: true,
      response: { 200: answer('A page of changes, or the whole session.', SessionChanges) },
    },
    handler: async (request, reply) =>
      sendVersioned(reply, await sessionsOf(request).changes(request.params.sessionId, request.query)),
  });

  app.route({
    method: 'POST',
    url: '/v1/sessions/:sessionId/context-items',
    schema: {
      operationId: 'addSessionItem',
      tags,
      summary: 'Add an item',
      description: `Adds an item of the agent, whatever its include mode. In the session its mode is \`manual\`. If the session already has the item, nothing changes. ${versioned}`,
      params: sessionParams,
      headers: preconditionHeaders,
      body: ContextItemRef,
      refusals: ['not_found', 'storage_full'],
      isVersioned: true,
      response: { 200: answer('The items of the session.', SessionItems) },
    },
    handler: async (request, reply) => {
      const expected = expectedVersion(request.headers);
      return sendVersioned(reply, await sessionsOf(request).addItem(request.params.sessionId, request.body, expected));
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/sessions/:sessionId/context-items',
    schema: {
      operationId: 'removeSessionItem',
      tags,
      summary: 'Remove an item',
      description: `Removes an item, whatever its mode. Only the user removes an \`always\` item. Name the item in the query or in the body, not in both. If the session does not have the item, nothing changes. ${versioned}`,
      params: sessionParams,
      headers: preconditionHeaders,
      querystring: z.strictObject({
        type: ItemKind.optional().describe('Kind of the item.'),
        name: z.string().min(1).max(4096).optional().describe('Name of the item.'),
        serverName: z.string().min(1).max(128).optional().describe('Name of the MCP server. Only for tools.'),
      }),
      body: ContextItemRef.nullish(),
      refusals: ['forbidden_scope', 'not_found', 'storage_full'],
      isVersioned: true,
      response: { 200: answer('The items of the session.', SessionItems) },
    },
    handler: async (request, reply) => {
      const expected = expectedVersion(request.headers);
      const item = namedOnce(request.query, request.body);
      return sendVersioned(reply, await sessionsOf(request).removeItem(request.params.sessionId, item, expected));
    },
  });
}

function namedOnce(query: object, body: ContextItemRef | null | undefined): ContextItemRef {
  const isInQuery = Object.keys(query).length > 0;
  if (isInQuery && body)
    throw new ContextdError('invalid_request', 'Name the item once, in the query or in the body.', [
      { pointer: '', message: 'Named twice.' },
    ]);
  if (body) return body;
  const parsed = ContextItemRef.safeParse(query);
  if (parsed.success) return parsed.data;
  throw refuseInput('The query must name an item.', parsed.error);
}
