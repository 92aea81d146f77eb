/** What all operations have in common: types from zod schemas, strict input, problems as their refusals. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifySchemaCompiler,
  RawServerDefault,
  RouteOptions,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { ContextdError, type ErrorCode } from '../../src/errors.ts';
import { freezeWhole, isFrozenWhole } from '../../src/pace/frozen.ts';
import { parseInput, refuseInput } from '../../src/texts/parse-input.ts';
import { publicPaths } from './guard.ts';
import { jsonInTurns } from './long-json.ts';
import type { HttpLevelStatus } from './problem.ts';

declare module 'fastify' {
  interface FastifySchema {
    /** The refusals of an operation, besides those that all operations of its kind have (AN-06). */
    refusals?: readonly (ErrorCode | HttpLevelStatus)[];
    /** Whether its good answers have an `ETag`. */
    isVersioned?: boolean;
  }
}

/** The refusals of operations about a mounted directory. */
export const directoryRefusals = ['path_outside_roots', 'not_found'] as const satisfies readonly ErrorCode[];

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

/** Sends an answer that matches its schema already; another check would only copy it. */
export function sendJson<Value>(reply: FastifyReply, value: Value): Value {
  return sendBytes<Value>(reply, Buffer.from(JSON.stringify(value)));
}

/** The same for an answer with long lists, which gives way to others. */
export async function sendLongJson<Value extends object>(reply: FastifyReply, value: Value): Promise<Value> {
  return sendBytes<Value>(reply, await jsonInTurns(value));
}

/** The schema asks for the value, of which these bytes are the JSON. */
function sendBytes<Value>(reply: FastifyReply, bytes: Buffer): Value {
  return reply.type('application/json; charset=utf-8').send(bytes) as unknown as Value;
}

/** The body of an operation without a body. An empty object is allowed. The OpenAPI document leaves it out. */
export const NoBody = z.strictObject({}).nullish();

/** The query of an operation without a query. The OpenAPI document leaves it out. */
export const NoQuery = z.strictObject({});

/**
 * An `onRoute` hook: an operation without a query schema refuses a query (AN-04). Pages and files, which need no token,
 * do not, because other programs add parameters to addresses of pages.
 */
export function refuseUnknownQuery(route: RouteOptions): void {
  const { schema, url } = route;
  if (schema?.operationId === undefined || schema.querystring !== undefined || publicPaths.has(url)) return;
  route.schema = { ...schema, querystring: NoQuery };
}

/**
 * Validates with zod. Mistakes become `invalid_request` with one entry for each. A frozen body that is valid is checked
 * once; its value is frozen too.
 */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const valid = new WeakMap<object, { value: unknown }>();
  const optional = httpPart === 'headers' ? optionalNames(schema) : undefined;
  return (data) => {
    if (schema === NoQuery && isEmpty(data)) return true;
    // Most requests have none of the headers. To check them would copy all others.
    if (optional?.every((name) => data[name] === undefined)) return true;
    const before = valid.get(data);
    if (before !== undefined) return before;
    const result = parseInput(schema, data);
    if (result.success) {
      const { data: value } = result;
      if (httpPart === 'body' && isFrozenWhole(data)) valid.set(data, { value: freezeWhole(value) });
      // Headers stay as they are: with a copy, each look at them makes another one.
      return httpPart === 'headers' ? true : { value };
    }
    if (httpPart === 'body' && data === null) {
      const errors = [{ pointer: '', message: 'Send a JSON object as the body.' }];
      return { error: new ContextdError('invalid_request', 'A body is required.', errors) };
    }
    return { error: refuseInput(`The ${partNames[httpPart ?? ''] ?? 'request'} is not valid.`, result.error) };
  };
};

function isEmpty(data: object): boolean {
  for (const _name in data) return false;
  return true;
}

/** The names of the fields, if all of them may be missing. */
function optionalNames(schema: z.ZodType): string[] | undefined {
  return schema instanceof z.ZodObject && schema.safeParse({}).success ? Object.keys(schema.shape) : undefined;
}

const partNames: Record<string, string> = { body: 'body', querystring: 'query', params: 'path', headers: 'header' };
