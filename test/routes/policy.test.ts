/** `/v1/policy` on the wire (AP-07, AP-09). */
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Problem } from '../../routes/http/problem.ts';
import { PolicyCheckResult, PolicyDocument, PolicyPreview } from '../../src/policy/policy-requests.ts';
import { sized } from '../support/test-size.ts';
import { createWorkspace, project } from '../support/workspace.ts';
import { createTestApp, type TestApp } from './support/listening-app.ts';

let test: TestApp;
beforeEach(async () => {
  const { engine } = await createWorkspace({
    'src/a.ts': '',
    'src/.ai-context-policy.yml': 'ai_context_policy: block\n',
  });
  test = await createTestApp({ engine });
});
afterEach(() => test.app.close());

type Method = NonNullable<InjectOptions['method']>;
type Sent = { payload?: object; headers?: Record<string, string> };
const send = (method: Method, url: string, sent: Sent = {}) => test.app.inject({ method, url, ...sent });
const wanted = { mountedDirectory: project, aiContextPolicy: 'allow', exclude: ['a/**'] };

it('AP-09 a policy is written, read and written again by its etag', async () => {
  const created = await send('PUT', '/v1/policy', { payload: wanted, headers: { 'if-none-match': '*' } });
  expect(created.statusCode, created.body).toBe(201);
  const { etag } = PolicyDocument.strict().parse(created.json());
  expect(created.headers.etag).toBe(`"${etag}"`);
  const listed = await send('GET', `/v1/policy?mountedDirectory=${encodeURIComponent(project)}`);
  expect(listed.json().policies[0]).toEqual(created.json());
  const put = (version: Record<string, string>) =>
    send('PUT', '/v1/policy', { payload: { ...wanted, exclude: [] }, headers: version });
  expect((await put({ 'if-match': '"old"' })).json()).toMatchObject({ status: 412, code: 'version_mismatch' });
  expect((await put({ 'if-none-match': '*' })).json()).toMatchObject({ status: 412, code: 'version_mismatch' });
  expect((await put({})).json()).toMatchObject({ status: 400, code: 'invalid_request' });
  expect((await put({ 'if-match': `"${etag}"` })).statusCode).toBe(200);
  expect((await put({ 'if-match': `"${etag}"` })).statusCode).toBe(412);
});

it('AP-07 takes 10,000 paths, and no more', async () => {
  const check = (count: number) =>
    send('POST', '/v1/policy/check', {
      payload: {
        mountedDirectory: project,
        paths: Array.from({ length: count }, (_, n) => `src/${n}`),
      },
    });
  const answer = await check(10_000);
  expect(PolicyCheckResult.strict().parse(answer.json()).decisions).toHaveLength(10_000);
  expect((await check(10_001)).json()).toMatchObject({ status: 400, errors: [{ pointer: '/paths' }] });
});

it('AP-09 a pattern that cannot be used is refused at its place', async () => {
  const exclude = ['x', '{{{{{a,b},c},d},e},f}'];
  for (const [method, url] of [
    ['PUT', '/v1/policy'],
    ['POST', '/v1/policy/preview'],
  ] as const) {
    const answer = await send(method, url, {
      payload: { ...wanted, exclude },
      headers: method === 'PUT' ? { 'if-none-match': '*' } : {},
    });
    expect(answer.json(), url).toMatchObject({ status: 400, errors: [{ pointer: '/exclude/1' }] });
  }
});

it('AP-09 a body has one of two forms, and its mistakes are told in the words of that form', async () => {
  const put = async (body: object) =>
    (await send('PUT', '/v1/policy', { payload: body, headers: { 'if-none-match': '*' } })).json();
  const { mountedDirectory } = wanted;
  expect(await put({ ...wanted, text: 'ai_context_policy: allow\n' })).toMatchObject({
    status: 400,
    errors: [{ pointer: '/text', message: 'Unknown field.' }],
  });
  expect(await put({ mountedDirectory, exclude: [1, 2, 3] })).toMatchObject({
    errors: [{ pointer: '/aiContextPolicy' }, { pointer: '/exclude/0' }, { pointer: '/exclude/1' }, {}],
  });
  expect(await put({ mountedDirectory, text: 1 })).toMatchObject({ errors: [{ pointer: '/text' }] });
  expect(await put({ mountedDirectory, text: 'version: 1\n', name: '../x' })).toMatchObject({
    errors: [{ pointer: '/name' }],
  });
  const broken = { status: 400, code: 'invalid_request', errors: [{ pointer: '/text' }] };
  expect(await put({ mountedDirectory, text: 'version: 1\nexclude: [\n' })).toMatchObject(broken);
  const preview = await send('POST', '/v1/policy/preview', {
    payload: { mountedDirectory, text: 'ai_context_policy: maybe\n' },
  });
  expect(preview.json()).toMatchObject({ ...broken, detail: expect.stringContaining('Line 1, column 20') });
});

it('AP-09 a policy is removed by its etag', async () => {
  const { etag } = (await send('PUT', '/v1/policy', { payload: wanted, headers: { 'if-none-match': '*' } })).json();
  const url = `/v1/policy?mountedDirectory=${encodeURIComponent(project)}`;
  expect((await send('DELETE', url)).json()).toMatchObject({ status: 400, code: 'invalid_request' });
  expect((await send('DELETE', url, { headers: { 'if-match': '"old"' } })).statusCode).toBe(412);
  const named = (name: string) => send('DELETE', `${url}&name=${name}`, { headers: { 'if-match': `"${etag}"` } });
  expect((await named('../x')).json()).toMatchObject({ status: 400, errors: [{ pointer: '/name' }] });
  expect((await named('.ai-context-policy.yml')).statusCode).toBe(412);
  const removed = await send('DELETE', url, { headers: { 'if-match': `"${etag}"` } });
  expect([removed.statusCode, removed.body]).toEqual([204, '']);
  expect((await send('DELETE', url, { headers: { 'if-match': `"${etag}"` } })).statusCode).toBe(412);
});

it('S-66 whatever is sent, the answer is what the document says', async () => {
  const path = fc.oneof(
    fc.constantFrom(
      'src',
      'src/a.ts',
      '.',
      '..',
      '/',
      '~',
      '../x',
      '/etc/passwd',
      'a\0b',
      '',
      'x'.repeat(5_000),
      'src/.env',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  const body = fc.record(
    {
      mountedDirectory: fc.oneof({ weight: 6, arbitrary: fc.constant(project) }, path),
      directory: path,
      paths: fc.array(path, { maxLength: 5 }),
      aiContextPolicy: fc.constantFrom('allow', 'block', 'deny', 1),
      exclude: fc.array(
        fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom('**', '{a', '#x', '- y', 'a: b')),
        { maxLength: 4 },
      ),
      limit: fc.constantFrom(0, 1, 1_001, -1, 'x'),
      text: fc.oneof(
        fc.constantFrom(
          'ai_context_policy: allow\n',
          'exclude: [',
          '# \0',
          '\uFEFFversion: 1\n',
          'x'.repeat(300_000),
          1,
        ),
        fc.string({ unit: 'binary', maxLength: 60 }),
      ),
      name: fc.constantFrom('.ai-context-policy.yaml', '.ai-context-policy.yml', '.env'),
    },
    { requiredKeys: ['mountedDirectory'] },
  );
  // Made once: making a schema takes longer than parsing by it.
  const [checked, preview, written] = [PolicyCheckResult.strict(), PolicyPreview.strict(), PolicyDocument.strict()];
  const problem = Problem.strict();
  const operations = {
    'POST /v1/policy/check': { schema: checked, keys: ['mountedDirectory', 'paths'] },
    'POST /v1/policy/preview': {
      schema: preview,
      keys: ['mountedDirectory', 'directory', 'aiContextPolicy', 'exclude', 'name', 'limit'],
    },
    'PUT /v1/policy': {
      schema: written,
      keys: ['mountedDirectory', 'directory', 'aiContextPolicy', 'exclude', 'name'],
    },
    // The last letter only tells them apart.
    'POST /v1/policy/preview#': {
      schema: preview,
      keys: ['mountedDirectory', 'directory', 'text', 'name', 'limit'],
    },
    'PUT /v1/policy#': { schema: written, keys: ['mountedDirectory', 'directory', 'text', 'name'] },
  } as const;
  const version = fc.constantFrom<Record<string, string>[]>(
    {},
    { 'if-none-match': '*' },
    { 'if-match': '"x"' },
    { 'if-match': '*' },
  );
  const good = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(operations)), body, version, async (operation, all, headers) => {
      const { schema, keys } = operations[operation as keyof typeof operations];
      const [method, url] = operation.replace('#', '').split(' ') as ['POST', string];
      const payload = Object.fromEntries(
        Object.entries(all).filter(([key]) => (keys as readonly string[]).includes(key)),
      );
      const answer = await send(method, url, { payload, headers });
      if (answer.statusCode < 300) {
        schema.parse(answer.json());
        good.set(operation, (good.get(operation) ?? 0) + 1);
      } else if (problem.parse(answer.json()).status >= 500) expect.fail(answer.body);
    }),
    { numRuns: sized(1_500, 1_500, 800), seed: 20_260_105 },
  );
  expect([...good.keys()].sort()).toEqual(Object.keys(operations).sort());
});
