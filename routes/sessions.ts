/** `/v1/sessions`: sessions, their items and changes (SE-01 … SE-05). */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AgentId } from '../src/agent/agent.ts';
import { ContextItemRef } from '../src/agent/item.ts';
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
import { answer, emptyAnswer, type ZodApp } from './http/operation.ts';
import { expectedVersion, preconditionHeaders } from './http/precondition.ts';
import { callerOfRequest } from './http/server.ts';

export const SessionList = z
  .object({
    sessions: z.array(SessionSummary).describe('Sessions, the newest first.'),
    next: z.int().optional().describe('Present when there are more: ask again with this as `after`.'),
    warnings: z.array(Warning).describe('Stored sessions that are damaged and were left out.'),
  })
  .meta({ id: 'SessionList', description: 'Sessions, without their messages and items.' });

const position = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional();
export const limitOf = (max: number) => z.coerce.number().int().min(1).max(max).optional();
export const after = position.describe('`next` of the page before.');
const id = z.string().min(1).max(64).describe('Id of the session.');
export const sessionParams = z.strictObject({ sessionId: id });

/** An answer that is what its schema says; checked again it would only be copied. */
export function sendJson<Value>(reply: FastifyReply, value: Value): Value {
  reply.type('application/json; charset=utf-8').send(Buffer.from(JSON.stringify(value)));
  return reply as unknown as Value;
}

function sendVersioned<Value extends { lastSyncId: number }>(reply: FastifyReply, value: Value): Value {
  return sendJson(reply.header('etag', `"${value.lastSyncId}"`), value);
}

type Received = Pick<FastifyRequest, 'raw'>;

const tags = ['sessions'];
const versioned = 'The header `ETag` of the answer is its version, `lastSyncId`.';

export function sessionRoutes(app: ZodApp, engine: Engine): void {
  const sessionsOf = (request: Received) => engine.sessionsOf(callerOfRequest(request));

  app.route({
    method: 'POST',
    url: '/v1/sessions',
    schema: {
      operationId: 'createSession',
      tags,
      summary: 'Begin a session',
      description: `It holds every item of the agent that is included \`always\`, and before these the items of its parent, if there is one. Approved MCP servers of the agent are started behind the scenes; while the tools of one are not known, \`pendingServers\` names it, a warning \`tools_pending\` says so, and its \`always\` tools join the session with the first request after it has told them. Settings are those of the agent unless given; only the user sets \`toolPermission\`. Sessions stay until they are deleted; there can be ${fixedLimits.sessions.count} of them. One that was made with a token for agents is there for this token and the user, and for nobody else.`,
      body: NewSession,
      refusals: ['forbidden_scope', 'not_found', 'storage_full'],
      isVersioned: true,
      response: { 201: answer('The session.', Session) },
    },
    handler: async (request, reply) => {
      return sendVersioned(reply.code(201), await sessionsOf(request).create(request.body));
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
        'The newest first, without their messages and items. An agent token sees only the sessions that it made.',
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
      summary: 'A session',
      description: `State, items and the last messages. An item that the agent no longer has is \`missing\`. ${versioned}`,
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
      description: `All of it or nothing; it is on disk when the answer comes. \`appendMessages\` takes messages of any role, such as errors, approvals, results of tools (\`role: tool\` of OpenAI’s, a \`user\` message with \`tool_result\` of Anthropic’s), or replies to requests that were not made here, as \`modelReply\` or as the model’s API gives them; from a token for agents neither \`system\` nor \`approval\`, nor a \`requestContext\`. Each message is a change, and all settings together are one. Only the user changes \`toolPermission\`. ${versioned}`,
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
        'Deletes the session with its messages and requests permanently. The usage counts of its items stay.',
      params: sessionParams,
      headers: preconditionHeaders,
      refusals: ['not_found', 'storage_full'],
      response: { 204: emptyAnswer('The session is gone.') },
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
      summary: 'What changed since',
      description:
        'Changes after number `since`, in order, without gaps. Without `since`, with 0, or with a number that the session never had, the answer is `full`: the whole session as it is, for a client that starts again, for example after the context of the model was compacted. `since=1` lists everything after the creation.',
      params: sessionParams,
      querystring: z.strictObject({
        since: position.describe('The last change that is known.'),
        limit: limitOf(fixedLimits.sessions.answerMessages).describe(
          'Max changes of a page. Default 2,000; a page has at most 4 MiB.',
        ),
      }),
      refusals: ['not_found'],
      isVersioned: true,
      response: { 200: answer('A page of changes, or all there is.', SessionChanges) },
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
      description: `Whatever its include mode in the agent; in the session it is \`manual\`. Adding what is there changes nothing. ${versioned}`,
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
      description: `Whatever its mode; one that is included \`always\` only by the user. It is named by the query or by the body, not by both. Removing what is not there changes nothing. ${versioned}`,
      params: sessionParams,
      headers: preconditionHeaders,
      querystring: z.strictObject({
        type: z.enum(['rule', 'reference', 'tool']).optional().describe('What it is.'),
        name: z.string().min(1).max(4096).optional().describe('Name of the item.'),
        serverName: z.string().min(1).max(128).optional().describe('Of a tool: the name of its MCP server.'),
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
    throw new ContextdError('invalid_request', 'The item must be named once, by the query or by the body.', [
      { pointer: '', message: 'Named twice.' },
    ]);
  if (body) return body;
  const parsed = ContextItemRef.safeParse(query);
  if (parsed.success) return parsed.data;
  throw refuseInput('The query must name an item.', parsed.error);
}
