/** What all operations have in common: types from zod schemas, strict input, problems as their refusals. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifySchemaCompiler,
  RawServerDefault,
  RouteOptions,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ContextdError } from '../../src/errors.ts';
import { protocol } from '../../src/settings.ts';
import { fieldErrorsOf, hasUnknownFields, parseInput } from '../../src/texts/parse-input.ts';
import { isPublicRequest } from './guard.ts';
import { Problem } from './problem.ts';
import { operationIdOf, scopeNeeded } from './scopes.ts';

/** An instance whose routes infer the types of requests and answers from their schemas. */
export type ZodApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** An answer with a body in JSON. */
export function answer<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { 'application/json': { schema } } };
}

/** An answer without a body. */
export function emptyAnswer(description: string) {
  return z.null().describe(description);
}

/** The body of an operation that takes none; an empty object is let pass. It is left out of the OpenAPI document. */
export const NoBody = z.strictObject({}).nullish();

/** Gives an operation its refusals, and says which scope of token it needs, if any. An `onRoute` hook. */
export function describeRefusals(route: RouteOptions): void {
  const problem = (description: string) => ({
    description,
    content: { 'application/problem+json': { schema: Problem } },
  });
  route.schema = {
    ...route.schema,
    security: isPublicRequest(String(route.method), route.url)
      ? []
      : [{ token: [scopeNeeded(operationIdOf(route.schema))] }],
    response: {
      ...(route.schema?.response as object | undefined),
      '4xx': problem('The request was refused.'),
      '5xx': problem('The daemon could not answer.'),
    },
  };
}

/** Validates by zod; what is wrong becomes `invalid_request` with one entry for each mistake. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (data) => {
    const result = parseInput(schema, data);
    if (result.success) return { value: result.data };
    const detail =
      httpPart === 'body' && data === null
        ? 'A body is required.'
        : `The ${partNames[httpPart ?? ''] ?? 'request'} is not valid.`;
    // A newer client may ask for what only a newer daemon knows (AN-04).
    const version = hasUnknownFields(result.error)
      ? ` This daemon has protocolVersion ${protocol.protocolVersion}.`
      : '';
    return { error: new ContextdError('invalid_request', detail + version, fieldErrorsOf(result.error)) };
  };

const partNames: Record<string, string> = { body: 'body', querystring: 'query', params: 'path', headers: 'header' };
