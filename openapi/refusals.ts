/** Which refusals each operation can answer with, by status and code (AN-06). */
import { isPublicRequest } from '../routes/http/guard.ts';
import {
  createProblem,
  type HttpLevelStatus,
  httpLevelTitles,
  meaningOf,
  type Problem,
} from '../routes/http/problem.ts';
import { scopeNeeded } from '../routes/http/scopes.ts';
import { type ErrorCode, errorCodes } from '../src/errors.ts';

/** The properties of an operation that decide which refusals it has. */
export type RefusingOperation = {
  operationId: string;
  method: string;
  path: string;
  /** Whether it takes `If-Match` and `If-None-Match`. */
  hasVersion: boolean;
  /** The refusals that its route declares, besides the general ones. */
  declared: readonly (ErrorCode | HttpLevelStatus)[];
};

export type Answer = { description: string; content: Record<string, { schema?: object; example?: unknown }> };

/** Refusals of all operations: by the guard, by the framework, and by a daemon that stops or has too much to do. */
const ofAll: readonly ErrorCode[] = [
  ...(['invalid_request', 'forbidden_host', 'forbidden_origin'] as const),
  ...(['unsupported_media_type', 'unavailable', 'internal'] as const),
];
/** No handler sees a request that ends with these. */
const httpLevelOfAll = [408, 414, 417, 431] as const satisfies HttpLevelStatus[];

/** In the order of the closed list. */
function codesOf({ operationId, method, path, hasVersion, declared }: RefusingOperation): readonly ErrorCode[] {
  const codes = new Set<ErrorCode | HttpLevelStatus>([...ofAll, ...declared]);
  if (!isPublicRequest(method, path)) {
    // Each token has a limited share of the connections, for all operations.
    for (const code of ['unauthorized', 'limit_exceeded'] as const) codes.add(code);
    if (scopeNeeded(operationId) === 'user') codes.add('forbidden_scope');
  }
  if (method !== 'GET') codes.add('payload_too_large');
  if (hasVersion) codes.add('version_mismatch');
  return errorCodes.filter((code) => codes.has(code));
}

/** The answers by status, and the components of those that operations share. `field`: one that the request has. */
export function describeRefusals(operation: RefusingOperation, field: string | undefined) {
  const answers: Record<string, Answer | { $ref: string }> = {};
  const shared: Record<string, Answer> = {};
  const byStatus = Map.groupBy(codesOf(operation), (code) => meaningOf(code).status);
  const share = (status: number, name: string, answer: Answer): void => {
    answers[status] = { $ref: `#/components/responses/${name}` };
    shared[name] = answer;
  };
  for (const [status, codes] of byStatus) {
    const description = codes.map((code) => `${meaningOf(code).title} (\`${code}\`).`).join(' ');
    if (status === 400) answers[status] = problemAnswer(description, invalidExample(field));
    // The last code is the one that is special to the operation.
    else share(status, nameOf(codes), problemAnswer(description, createProblem(codes.at(-1) as ErrorCode, requestId)));
  }
  const ofHttp = operation.declared.filter((each) => typeof each === 'number');
  for (const status of [...httpLevelOfAll, ...ofHttp]) {
    const title = httpLevelTitles[status];
    const example = createProblem('invalid_request', requestId, { status, detail: `${title}.` });
    share(status, `InvalidRequest${status}`, problemAnswer(`${title} (\`invalid_request\`).`, example));
  }
  return { answers, shared };
}

const requestId = '5f1d7a3e9c2b4d6880a1b2c3d4e5f607';

function problemAnswer(description: string, example: Problem): Answer {
  return {
    description,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } },
  };
}

/** An example about a field of the operation, or about its target if it has no field. */
function invalidExample(field: string | undefined): Problem {
  if (field === undefined)
    return createProblem('invalid_request', requestId, { detail: 'Exactly one Host header is required.' });
  return createProblem('invalid_request', requestId, {
    detail: 'The request is not valid.',
    errors: [{ pointer: `/${field}`, message: 'Invalid input: the value has another form.' }],
  });
}

/** `forbidden_host`, `forbidden_origin` and `path_outside_roots` are `ForbiddenPathOutsideRoots`. */
function nameOf(codes: readonly ErrorCode[]): string {
  const words = codes.flatMap((code) => code.split('_'));
  const names = codes[0] === 'forbidden_host' ? ['forbidden', ...words.slice(4)] : words;
  return names.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join('');
}
