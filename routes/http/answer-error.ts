/** Answers what failed, and what no route takes, with a problem. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotYetError } from '../../src/errors.ts';
import { missingPartOf } from '../../src/pace/missing-part.ts';
import { dropBody } from './linger.ts';
import type { ZodApp } from './operation.ts';
import { createProblem, problemOfError, sendProblem } from './problem.ts';
import type { RequestLog } from './request-log.ts';

/** Answers an error of an operation or of the framework. `maxBytes`: of a body. */
export function createErrorHandler(
  requestLog: RequestLog,
  maxBytes: number,
): (error: unknown, request: FastifyRequest, reply: FastifyReply) => void {
  return (error, request, reply) => {
    const missing = missingPartOf(error);
    const refusal = missing ?? error;
    // If the client closes the connection before its body is complete, that is no unexpected error. It reads no answer.
    const problem = request.raw.aborted
      ? createProblem('invalid_request', request.id)
      : (problemOfError(refusal, request.id, request.routeOptions.bodyLimit) ?? createProblem('internal', request.id));
    if (missing !== undefined || problem.code === 'internal') requestLog.failed(request.id, missing?.cause ?? error);
    if (refusal instanceof NotYetError) reply.header('retry-after', refusal.retryAfterS);
    reply.removeHeader('connection');
    dropBody(request.raw, reply.raw, { maxBytes });
    sendProblem(reply, problem);
  };
}

/** Says that there is nothing at a path, or which methods it takes. */
export function answerUnrouted(app: ZodApp, request: FastifyRequest, reply: FastifyReply): void {
  const allowed = methods.filter((method) => app.findRoute({ method, url: request.url }) !== null);
  const problem =
    allowed.length === 0
      ? createProblem('not_found', request.id, {
          detail: 'There is nothing at this path. The page /docs has all operations.',
        })
      : createProblem('invalid_request', request.id, {
          status: 405,
          detail: `This path takes ${allowed.join(', ')}, not ${request.method}.`,
        });
  if (allowed.length > 0) reply.header('allow', allowed.join(', '));
  sendProblem(reply, problem);
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
