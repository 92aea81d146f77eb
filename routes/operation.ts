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
import { ContextdError, type FieldError } from '../src/errors.ts';
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
    return { error: new ContextdError('invalid_request', detail, fieldErrorsOf(result.error)) };
  };

/** Parses what a caller sent. A field that is `null` counts as absent where its schema knows no `null` (AN-01). */
export function parseInput<Value>(schema: z.ZodType<Value>, data: unknown): z.ZodSafeParseResult<Value> {
  const result = schema.safeParse(data);
  if (result.success) return result;
  const nulls = result.error.issues.flatMap(narrowUnion).map(({ path }) => path);
  const copy: unknown = structuredClone(data);
  const removed = nulls.filter((path) => removeNull(copy, path));
  return removed.length === 0 ? result : schema.safeParse(copy);
}

/** Removes a field of an object that is `null`; false where there is none at `path`. */
function removeNull(value: unknown, path: readonly PropertyKey[]): boolean {
  let parent = value;
  for (const key of path.slice(0, -1)) parent = (parent as Record<PropertyKey, unknown> | null | undefined)?.[key];
  const key = path.at(-1);
  if (key === undefined || typeof parent !== 'object' || parent === null || Array.isArray(parent)) return false;
  if (!Object.hasOwn(parent, key) || (parent as Record<PropertyKey, unknown>)[key] !== null) return false;
  return Reflect.deleteProperty(parent, key);
}

const partNames: Record<string, string> = { body: 'body', querystring: 'query', params: 'path', headers: 'header' };

const maxFieldErrors = 64;

/** The mistakes that zod found, one for each; an unknown key is reported at the key itself. At most 64. */
export function fieldErrorsOf(error: z.core.$ZodError): FieldError[] {
  const errors: FieldError[] = [];
  for (const issue of error.issues.flatMap(narrowUnion)) {
    const isUnknownKeys = issue.code === 'unrecognized_keys';
    const paths = isUnknownKeys ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    const isEmpty = issue.code === 'too_small' && issue.minimum === 1 && issue.origin === 'string';
    const message = isUnknownKeys ? 'Unknown field.' : isEmpty ? 'Must not be empty.' : issue.message;
    errors.push(
      ...paths.slice(0, maxFieldErrors - errors.length).map((path) => ({ pointer: jsonPointer(path), message })),
    );
  }
  return errors;
}

/** Of a value that fits no alternative, what is wrong with it as the one that it resembles most. */
function narrowUnion(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const strangers = (issues: readonly z.core.$ZodIssue[]) =>
    issues.reduce((sum, each) => sum + (each.code === 'unrecognized_keys' ? each.keys.length : 0), 0);
  const [closest] = issue.errors.toSorted((a, b) => strangers(a) - strangers(b) || a.length - b.length);
  return closest?.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })) ?? [issue];
}

function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
