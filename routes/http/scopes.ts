/** Which operations a token of scope `agent` may use (S-15). All others need the user's own token. */
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { ContextdError } from '../../src/errors.ts';
import type { TokenScope } from '../../src/tokens/access-tokens.ts';
import { callerOfRequest } from './server.ts';

/**
 * By `operationId`: reading context, searching, sessions and requests. Nothing that decides what is read, run or sent.
 */
const agentOperations: ReadonlySet<string> = new Set([
  'gatherContext',
  'resolveContext',
  'explainContext',
  'listFormats',
  'answerHook',
  'validateConfig',
  'getFileSchema',
  'checkPolicy',
  'listPolicies',
  'previewPolicy',
  'retrieveContext',
  'listSupplementary',
  'searchWorkspaceFiles',
  'listAgents',
  'getAgent',
  'listAgentItems',
  'searchItems',
  'getSearchStatus',
  'createSession',
  'listSessions',
  'getSession',
  'updateSession',
  'listSessionChanges',
  'addSessionItem',
  'removeSessionItem',
  'createRequest',
  'replyToRequest',
  'listRequests',
  'getRequest',
  'listRoots',
  'streamEvents',
  'getStatus',
  'getMetrics',
  'listMcpServers',
  'listMcpTools',
  'callMcpTool',
  'listMcpResources',
  'readMcpResource',
  'listMcpPrompts',
  'getMcpPrompt',
  'sendMcp',
  'streamMcp',
  'endMcpSession',
]);

/** The lowest scope that an operation needs. */
export function scopeNeeded(operationId: string | undefined): TokenScope {
  return operationId !== undefined && agentOperations.has(operationId) ? 'agent' : 'user';
}

/** The `operationId` of a route's schema. */
export function operationIdOf(schema: FastifySchema | undefined): string | undefined {
  return schema?.operationId;
}

/** Refuses with `forbidden_scope` an operation that the token may not use. An `onRequest` hook. */
export function checkScope(request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void {
  const isAllowed =
    callerOfRequest(request).scope === 'user' ||
    request.is404 ||
    scopeNeeded(operationIdOf(request.routeOptions.schema)) === 'agent';
  const detail = 'This is an agent token. This operation needs the user’s own token.';
  done(isAllowed ? undefined : new ContextdError('forbidden_scope', detail));
}
