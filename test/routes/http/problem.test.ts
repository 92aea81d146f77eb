import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createProblem, Problem, problemOfError } from '../../../routes/http/problem.ts';
import { ContextdError, type ErrorCode, errorCodes } from '../../../src/errors.ts';
import { fieldErrorsOf } from '../../../src/texts/parse-input.ts';
import { createTestApp, operationsOf } from '../support/listening-app.ts';

/** Frozen: what is visible on the wire. */
const statuses: Record<ErrorCode, number> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden_host: 403,
  forbidden_origin: 403,
  forbidden_scope: 403,
  path_outside_roots: 403,
  approval_required: 403,
  approval_stale: 409,
  not_found: 404,
  conflict: 409,
  version_mismatch: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  limit_exceeded: 429,
  storage_full: 507,
  unavailable: 503,
  upstream_failed: 502,
  upstream_timeout: 504,
  internal: 500,
};

describe('createProblem', () => {
  it.each(errorCodes)('SY-02 gives %s its status, a stable type and a title', (code) => {
    const problem = createProblem(code, 'id');
    expect(Problem.parse(problem)).toEqual(problem);
    expect(problem).toEqual({
      type: `urn:contextd:problem:${code}`,
      title: expect.any(String),
      status: statuses[code],
      code,
      requestId: 'id',
    });
  });
});

describe('problemOfError', () => {
  it('SY-02 shows the public message and the mistakes of a refusal', () => {
    const errors = [{ pointer: '/a', message: 'No.' }];
    expect(problemOfError(new ContextdError('conflict', 'Public.', errors), 'id')).toMatchObject({
      code: 'conflict',
      status: 409,
      detail: 'Public.',
      errors,
    });
  });

  it('S-66 knows nothing of an error nobody foresaw, whatever it looks like', () => {
    for (const error of [
      new Error('x'),
      Object.assign(new Error('x'), { code: 'constructor' }),
      Object.assign(new Error('x'), { statusCode: 404 }),
      'x',
      undefined,
      null,
    ])
      expect(problemOfError(error, 'id')).toBeUndefined();
  });

  it('S-66 tells nothing of an internal error, even a deliberate one', () => {
    expect(
      problemOfError(new ContextdError('internal', 'secret', [{ pointer: '/secret', message: 'secret' }]), 'id'),
    ).toEqual(createProblem('internal', 'id'));
  });
});

describe('fieldErrorsOf', () => {
  const schema = z.strictObject({
    list: z.array(z.strictObject({ 'a/b~c': z.string() })),
    name: z.string().optional(),
  });
  const errorsOf = (value: unknown) => fieldErrorsOf(schema.safeParse(value).error as z.ZodError);

  it('SY-02 points at array elements, escaped keys and unknown keys', () => {
    const value = { list: [{ 'a/b~c': 'x' }, { 'a/b~c': 1 }, { 'a/b~c': 'x', 'p/q': 0, '~': 0 }], 'z/z': 1, name: 2 };
    expect(errorsOf(value).map(({ pointer }) => pointer)).toEqual([
      '/list/1/a~1b~0c',
      '/list/2/p~1q',
      '/list/2/~0',
      '/name',
      '/z~1z',
    ]);
    expect(errorsOf({ list: [], '': 1 })).toEqual([{ pointer: '/', message: 'Unknown field.' }]);
    expect(errorsOf([]).map(({ pointer }) => pointer)).toEqual(['']);
  });

  it.for<[schema: z.ZodType, value: unknown, message: string]>([
    [z.string(), undefined, 'Required: a string.'],
    [z.record(z.string(), z.string()), [], 'Must be an object, not an array.'],
    [z.strictObject({}), null, 'Must be an object, not null.'],
    [z.boolean(), 'x', 'Must be a boolean, not a string.'],
    [z.int(), 1.5, 'Must be an integer.'],
    [z.coerce.number(), 'abc', 'Must be a number.'],
    [z.number(), Number.POSITIVE_INFINITY, 'Must be a number.'],
    [z.string().min(1), '', 'Must not be empty.'],
    [z.array(z.string()).min(1), [], 'Must not be empty.'],
    [z.string().min(2), 'a', 'Must have at least 2 characters.'],
    [z.array(z.string()).max(1), ['a', 'b'], 'Must have at most 1 item.'],
    [z.int().min(0), -1, 'Must be at least 0.'],
    [z.number().positive(), 0, 'Must be more than 0.'],
    [z.number().max(1), 2, 'Must be at most 1.'],
    [z.enum(['a', 'b']), 'c', 'Must be one of "a", "b".'],
    [z.literal(true), false, 'Must be true.'],
    [z.discriminatedUnion('type', [z.object({ type: z.literal('a') })]), { type: 'b' }, 'Must be "a".'],
    [z.string().max(3, 'must have at most 3 characters'), 'long', 'must have at most 3 characters'],
    [z.union([z.enum(['all', 'none']), z.array(z.string())]), 'x', 'Must be one of "all", "none" or an array.'],
    [z.union([z.array(z.string()), z.literal('all')]), 'x', 'Must be an array or "all".'],
    [z.union([z.enum(['all', 'none']), z.array(z.enum(['x']))]), ['y'], 'Must be "x".'],
    [z.union([z.string(), z.array(z.string())]), 5, 'Must be a string or an array, not a number.'],
    [z.union([z.string(), z.array(z.string())]), undefined, 'Required: a string or an array.'],
    [z.union([z.object({}), z.strictObject({})]), [], 'Must be an object, not an array.'],
  ])('SY-02 says what is missing and what is expected, in the words of JSON: %#', ([schema, value, message]) => {
    const { error } = z.object({ field: schema }).safeParse({ field: value });
    expect(fieldErrorsOf(error as z.ZodError).map((each) => each.message)).toEqual([message]);
  });

  it('SY-02 says what is wrong with a name', () => {
    const named = z.record(z.string().max(3, 'must have at most 3 characters'), z.string());
    expect(fieldErrorsOf(named.safeParse({ long: '' }).error as z.ZodError)).toEqual([
      { pointer: '/long', message: 'Invalid key: must have at most 3 characters' },
    ]);
  });

  it('S-66 names at most 64 mistakes', () => {
    expect(errorsOf({ list: Array(1_000).fill(1) })).toHaveLength(64);
    expect(
      errorsOf({ list: [], ...Object.fromEntries([...Array(1_000).keys()].map((key) => [`k${key}`, 1])) }),
    ).toHaveLength(64);
  });
});

describe('the app', () => {
  const target = { method: 'POST' as const, url: '/v1/context/resolve', payload: { mountedDirectory: '/p' } };

  /** An operation that can be refused so, where it is not the call of a tool. */
  const failing: Partial<Record<ErrorCode, string>> = {
    path_outside_roots: 'resolveContext',
    approval_stale: 'approveMcpServer',
    version_mismatch: 'putAgent',
    forbidden_scope: 'approveMcpServer',
  };

  it.each(errorCodes)('SY-02 answers an engine that throws %s', async (code) => {
    const { app, engine } = await createTestApp();
    engine.failWith = new ContextdError(code, 'Public.');
    const operation = operationsOf(app).find(({ operationId }) => operationId === (failing[code] ?? 'callMcpTool'));
    const { method, target: url = '', body = '{}' } = operation ?? {};
    const headers = { 'content-type': 'application/json' };
    const answer = await app.inject({ method: method as 'GET', url, headers, payload: body });
    expect(answer.statusCode).toBe(statuses[code]);
    expect(Problem.parse(answer.json())).toMatchObject({ code, ...(code !== 'internal' && { detail: 'Public.' }) });
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  });

  it('S-09 S-66 answers an unexpected error without a word of it', async () => {
    const { app, engine } = await createTestApp();
    engine.failWith = Object.assign(new Error('secret /home/ada'), { statusCode: 418, detail: 'secret' });
    const answer = await app.inject(target);
    expect(answer.statusCode).toBe(500);
    expect(Object.keys(Problem.parse(answer.json())).sort()).toEqual(['code', 'requestId', 'status', 'title', 'type']);
    expect(answer.body).not.toContain('secret');
  });

  it('SY-02 answers 405 with the methods of a known path, and 404 elsewhere', async () => {
    const { app } = await createTestApp();
    const wrongMethod = await app.inject({ method: 'PATCH', url: '/v1/roots?x=1', payload: {} });
    expect(wrongMethod.statusCode).toBe(405);
    expect(wrongMethod.headers.allow).toBe('GET, HEAD, POST, DELETE');
    expect(Problem.parse(wrongMethod.json())).toMatchObject({
      status: 405,
      code: 'invalid_request',
      detail: 'This path takes GET, HEAD, POST, DELETE, not PATCH.',
    });
    const unknown = await app.inject({ method: 'PATCH', url: '/v1/rootz', payload: {} });
    expect(unknown.headers.allow).toBeUndefined();
    expect(Problem.parse(unknown.json())).toMatchObject({
      status: 404,
      code: 'not_found',
      detail: 'There is nothing at this path. The page /docs has all operations.',
    });
  });
});
