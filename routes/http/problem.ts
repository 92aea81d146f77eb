/**
 * The body of a refusal: `application/problem+json` (RFC 9457) with a code of the closed list. Only this file knows
 * which HTTP status a code has.
 */
import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { ContextdError, type ErrorCode, errorCodes, type FieldError } from '../../src/errors.ts';

const meanings: Record<ErrorCode, { status: number; title: string }> = {
  invalid_request: { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'The token is missing or wrong' },
  forbidden_host: { status: 403, title: 'The host is not allowed' },
  forbidden_origin: { status: 403, title: 'The origin is not allowed' },
  forbidden_scope: { status: 403, title: 'The token does not give access to this' },
  path_outside_roots: { status: 403, title: 'The path is outside the granted roots' },
  approval_required: { status: 403, title: 'An approval is required' },
  approval_stale: { status: 409, title: 'The approval is out of date' },
  not_found: { status: 404, title: 'Not found' },
  conflict: { status: 409, title: 'The request conflicts with the present state' },
  version_mismatch: { status: 412, title: 'The version is not the present one' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The media type is not supported' },
  limit_exceeded: { status: 429, title: 'A limit was reached' },
  storage_full: { status: 507, title: 'There is no space left' },
  unavailable: { status: 503, title: 'Not available at the moment' },
  upstream_failed: { status: 502, title: 'An upstream server failed' },
  upstream_timeout: { status: 504, title: 'An upstream server did not answer in time' },
  internal: { status: 500, title: 'An unexpected error' },
};

/** Statuses of HTTP without a code of their own. Their code is `invalid_request`. */
export const httpLevelTitles = {
  405: 'The path does not take this method, or only in a session',
  408: 'The request came too slowly',
  414: 'The request target is too long',
  417: 'The expectation is not supported',
  431: 'The header is too large',
} as const;
export type HttpLevelStatus = keyof typeof httpLevelTitles;

/** The HTTP status of a code, and its title for people. */
export function meaningOf(code: ErrorCode): { status: number; title: string } {
  return meanings[code];
}

const FieldProblem = z
  .object({
    pointer: z
      .string()
      .describe(
        'JSON pointer (RFC 6901) into the body, or into the query as an object. Empty for the whole body or query.',
      ),
    message: z.string().describe('What is wrong, for people.'),
  })
  .meta({ id: 'FieldProblem', description: 'One mistake inside a request.' });

export const Problem = z
  .object({
    type: z.string().describe('Stable URI of the kind of problem: `urn:contextd:problem:<code>`.'),
    title: z.string().describe('The kind of problem, for people. It is the same for every problem with this code.'),
    status: z.int().min(400).max(599).describe('The HTTP status.'),
    code: z.enum(errorCodes).describe('The kind of problem, for programs.'),
    detail: z.string().optional().describe('Details of this problem, for people.'),
    errors: z.array(FieldProblem).optional().describe('The mistakes inside the request, if they can be located.'),
    requestId: z.string().describe('Id of the request, as in the `x-request-id` header and in the log.'),
  })
  .meta({ id: 'Problem', description: 'Why a request was refused or failed.' });
export type Problem = z.infer<typeof Problem>;

/** Body of a problem. Bytes differ from request to request only in `requestId`. */
export function createProblem(
  code: ErrorCode,
  requestId: string,
  more: { detail?: string; status?: HttpLevelStatus; errors?: readonly FieldError[] } = {},
): Problem {
  const { status, title } = meanings[code];
  return {
    type: `urn:contextd:problem:${code}`,
    title,
    status: more.status ?? status,
    code,
    detail: more.detail,
    errors: more.errors?.length ? [...more.errors] : undefined,
    requestId,
  };
}

export const problemContentType = 'application/problem+json; charset=utf-8';

const codesOfAnswers = new WeakMap<ServerResponse, ErrorCode>();

/** Answers with a problem. */
export function sendProblem(reply: FastifyReply, problem: Problem): void {
  codesOfAnswers.set(reply.raw, problem.code);
  if (problem.code === 'unauthorized') reply.header('www-authenticate', 'Bearer');
  reply.code(problem.status).type(problemContentType).send(JSON.stringify(problem));
}

/** The code of the problem that was answered, if it was one. */
export function problemCodeOf(response: ServerResponse): ErrorCode | undefined {
  return codesOfAnswers.get(response);
}

/**
 * `undefined` for an unexpected error. Its code is `internal`, and the caller gets no details. `bodyLimit`: of the
 * route, in bytes.
 */
export function problemOfError(error: unknown, requestId: string, bodyLimit?: number): Problem | undefined {
  if (error instanceof ContextdError) {
    const unforeseen = error.code === 'internal';
    return createProblem(error.code, requestId, unforeseen ? {} : { detail: error.message, errors: error.errors });
  }
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return createProblem('payload_too_large', requestId, { detail: `The body is larger than ${bodyLimit} bytes.` });
  const known = frameworkProblems.get(String(error.code));
  return known === undefined ? undefined : createProblem(known.code, requestId, known);
}

/** Errors of the framework that a caller can cause, by their code. */
const frameworkProblems = new Map<string, { code: ErrorCode; detail: string; status?: HttpLevelStatus }>([
  ['FST_ERR_BAD_URL', { code: 'invalid_request', detail: 'The path is not correctly percent-encoded.' }],
  ['FST_ERR_MAX_PARAM_LENGTH', { code: 'invalid_request', status: 414, detail: 'A part of the path is too long.' }],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    { code: 'unsupported_media_type', detail: 'A body must be application/json, in UTF-8.' },
  ],
  [
    'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
    { code: 'unsupported_media_type', detail: 'A body must be application/json, in UTF-8.' },
  ],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', { code: 'invalid_request', detail: 'The body is not as long as announced.' }],
]);
