/**
 * Figure 2 of security.md, per commit: 50,000 generated requests, of which none is answered 5xx, and every refusal is a
 * problem. They are injected in process, behind the guard; what the guard does with odd bytes is in server.test.ts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Problem } from '../../routes/problem.ts';
import { GrantedRoot, GrantedRoots } from '../../routes/roots.ts';
import { Status } from '../../routes/status.ts';
import { Health, Stopping } from '../../routes/system.ts';
import { ExplainResult } from '../../src/context/explain-result.ts';
import { ResolveResult } from '../../src/context/resolve-result.ts';
import { ValidateResult } from '../../src/validation/diagnostic.ts';
import { sized } from '../support/test-size.ts';
import { contextFile, createWorkspace } from '../support/workspace.ts';
import { createTestApp, operationsOf, type TestApp } from './support/listening-app.ts';

/** More runs and other seeds for a longer search; what fails prints its seed. */
const runs = Number(process.env.FUZZ_RUNS ?? sized(50_000, 1_000_000));
const seed = Number(process.env.FUZZ_SEED ?? 20_260_105);

/** A busy machine makes the event loop late, and then 503 is right; that is for overload.test.ts. */
const limits = { lateMs: Number.POSITIVE_INFINITY };

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ limits });
});
afterAll(async () => {
  await test.app.close();
});

const oddText = fc.constantFrom(
  '',
  '.',
  '..',
  '/',
  '//',
  '~',
  '~/',
  '~root/x',
  '/p',
  '/p/../q',
  '../../etc/passwd',
  'a\0b',
  '\\\\?\\C:\\x',
  'file:///p',
  '%2e%2e',
  ' /p ',
  '__proto__',
  'constructor',
  'toString',
  '\ud800',
  '\u202e',
  '😀',
  'İ',
  '*',
  '**/*.{a,b}',
  '{'.repeat(500),
  'a'.repeat(5_000),
  '-1',
  '1e999',
  'null',
);
const text = fc.oneof(oddText, fc.string({ maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 20 }));
const oddValue = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, -0, [], {}, [[]], [null], { a: 1 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);
/** A value that is mostly as the schema wants it, so that requests get past validation too. */
const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: oddValue });
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('/p', '~/project', '/p/a/b', '/home/ada/project') },
  { weight: 2, arbitrary: text },
);
const fields = {
  path: mostly(path),
  mountedDirectory: mostly(path),
  workingDirectory: mostly(path),
  files: mostly(fc.array(path, { maxLength: 4 })),
  mentions: mostly(fc.array(text, { maxLength: 4 })),
  query: mostly(text),
  scopes: mostly(fc.subarray(['global', 'static', 'dynamic'], { minLength: 1 })),
  content: mostly(fc.boolean()),
  budget: mostly(
    fc.record(
      { maxTokens: mostly(fc.nat()), encoding: mostly(fc.constantFrom('o200k_base', 'cl100k_base')) },
      { requiredKeys: [] },
    ),
  ),
  clientContextPath: mostly(text),
  globalContextPath: mostly(path),
};
const explainBody = fc.record(fields, { requiredKeys: ['mountedDirectory'] });
const resolveBody = fc.record(fields, { requiredKeys: ['mountedDirectory'] }).map(({ path: _path, ...body }) => body);
const validateBody = fc.oneof(
  fc.record({ mountedDirectory: fields.path, clientContextPath: fields.clientContextPath }, { requiredKeys: [] }),
  fc.record({
    kind: mostly(fc.constantFrom('context-config', 'ai-context-policy', 'context-file')),
    content: mostly(
      fc.oneof(
        text,
        fc.json(),
        text.map((value) => `---\nglobs: ${value}\n---\n`),
      ),
    ),
    path: mostly(fc.oneof(path, fc.constantFrom('a.md', 'a.txt', 'config.yaml'))),
  }),
);
const rootBody = fc.record({ path: fields.path }, { requiredKeys: ['path'] });
const anyBody = fc.oneof(
  fc.record(fields, { requiredKeys: [] }),
  fc.dictionary(text, oddValue, { maxKeys: 4 }),
  oddValue,
);
const json = fc
  .oneof({ weight: 5, arbitrary: resolveBody }, { weight: 3, arbitrary: rootBody }, { weight: 3, arbitrary: anyBody })
  .map((body) => JSON.stringify(body));
const payload = fc.oneof(
  { weight: 12, arbitrary: json },
  {
    weight: 2,
    arbitrary: fc
      .tuple(json, fc.nat(), text)
      .map(([body, at, piece]) => body.slice(0, at % body.length) + piece + body.slice((at % body.length) + 1)),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '',
      'null',
      '[',
      '['.repeat(40),
      '{"__proto__":{"a":1}}',
      '{"constructor":{"prototype":{}}}',
      '1',
      '"x"',
    ),
  },
);
const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  {
    weight: 2,
    arbitrary: fc
      .dictionary(fc.oneof(fc.constantFrom('path', 'challenge', 'command', 'token'), text), text, { maxKeys: 3 })
      .map((entries) => `?${new URLSearchParams(entries)}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '?',
      '?path=/p',
      '?path=/p&path=/q',
      '?challenge=abc',
      '?%',
      '?path=%',
      '?path[]=1',
      '?__proto__=1',
      '?a&b&&=',
    ),
  },
);

function requests(targets: readonly string[]): fc.Arbitrary<InjectOptions> {
  const jsonHeaders = { 'content-type': 'application/json' };
  const fitting = (method: InjectOptions['method'], url: string, body: fc.Arbitrary<unknown>) =>
    fc.record({
      method: fc.constant(method),
      url: fc.constant(url),
      headers: fc.constant(jsonHeaders),
      payload: body.map((value) => JSON.stringify(value)),
    });
  const anything = fc.record({
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'PATCH', 'HEAD', 'OPTIONS'),
    url: fc
      .tuple(
        fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...targets) }, { weight: 1, arbitrary: fc.webPath() }),
        query,
      )
      .map((parts) => parts.join('') || '/'),
    headers: fc.constantFrom(
      jsonHeaders,
      { 'content-type': 'application/json; charset=utf-8' },
      { 'content-type': 'text/plain' },
      {},
    ),
    payload,
  });
  return fc.oneof(
    { weight: 3, arbitrary: fitting('POST', '/v1/context/resolve', resolveBody) },
    { weight: 1, arbitrary: fitting('POST', '/v1/context/explain', explainBody) },
    { weight: 1, arbitrary: fitting('POST', '/v1/config/validate', validateBody) },
    { weight: 1, arbitrary: fitting('POST', '/v1/roots', rootBody) },
    { weight: 1, arbitrary: fitting('DELETE', '/v1/roots', rootBody) },
    { weight: 1, arbitrary: fitting('POST', '/v1/shutdown', fc.constantFrom({}, null)) },
    { weight: 5, arbitrary: anything },
  ) as fc.Arbitrary<InjectOptions>;
}

const answers: Record<string, { parse(value: unknown): unknown }> = {
  '/health': Health,
  '/v1/status': Status,
  '/v1/shutdown': Stopping,
  '/v1/context/resolve': ResolveResult,
  '/v1/context/explain': ExplainResult,
  '/v1/config/validate': ValidateResult,
  'GET /v1/roots': GrantedRoots,
  'POST /v1/roots': GrantedRoot,
};

/**
 * Each request gets a turn of the event loop, as from a socket. Without, answers follow one another in microtasks only, and
 * all that is released in the next turn is kept: 30 kB for each request that has no body.
 */
async function inject(app: FastifyInstance, request: InjectOptions) {
  const answer = await app.inject(request);
  await nextTurn();
  return answer;
}

/** Sends generated requests and judges the answers; returns how often each status was seen. */
async function fuzz(app: FastifyInstance, numRuns: number): Promise<Map<number, number>> {
  const targets = [...new Set(operationsOf(app).map(({ target }) => target.split('?', 1)[0] as string))];
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(requests(targets), async (request) => {
      const answer = await inject(app, request);
      const { statusCode } = answer;
      seen.set(statusCode, (seen.get(statusCode) ?? 0) + 1);
      expect(statusCode).toBeLessThan(500);
      if (request.method === 'HEAD') return;
      if (statusCode >= 400) {
        expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
        expect(Problem.strict().parse(answer.json()).status).toBe(statusCode);
        return;
      }
      const path = String(request.url).split('?')[0] ?? '';
      const schema = answers[`${request.method} ${path}`] ?? answers[path];
      if (schema !== undefined && statusCode !== 204) schema.parse(answer.json());
    }),
    { numRuns, seed },
  );
  expect(({} as Record<string, unknown>).a).toBeUndefined();
  return seen;
}

const timeout = 60_000 + runs * 3;

it(`S-66 answers ${runs} generated requests without a 5xx, and refuses by problems only`, { timeout }, async () => {
  const seen = await fuzz(test.app, runs);
  // The generator must get past validation, or it proves nothing.
  for (const status of [200, 201, 202, 204, 400, 404, 405, 415])
    expect(seen.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(5);
  expect(test.engine.calls.filter(({ verb }) => verb === 'resolve').length).toBeGreaterThan(runs / 50);
});

it('S-66 S-34 answers generated requests without a 5xx on a real workspace too', { timeout }, async () => {
  const { engine } = await createWorkspace({
    '/p/.context/a.md': contextFile({ trigger: 'always' }),
    '/p/a/.context/context-config.json': '{"clientContext":{"includeFiles":["../**"]}}',
    '/p/a/b/c.ts': 'export {};\n',
    '~/project/.context/b.md': contextFile({ trigger: 'auto', globs: '**/*.ts' }),
  });
  // A stream that ends at once, since nobody would end it.
  const { subscribe } = test.engine;
  const real = await createTestApp({ limits, engine: { ...engine, subscribe } });
  const seen = await fuzz(real.app, runs / 10);
  for (const status of [200, 201, 204, 400, 404])
    expect(seen.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(5);
  await real.app.close();
});

const readingVerbs =
  /^(?:listRoots|listTokens|exportState|index\.status|mcp\.(?:list|tools|resources|prompts)|agents\.(?:list|get|export|items)|sessions\.(?:list|get|changes|listRequests|getRequest|usage|exportRequests))$/u;

it('S-05 changes nothing by GET or HEAD, whatever the query says', { timeout }, async () => {
  const paths = operationsOf(test.app).flatMap(({ method, target }) =>
    method === 'GET' ? [target.split('?', 1)[0] as string] : [],
  );
  const key = fc.constantFrom('command', 'args', 'env', 'cwd', 'url', 'path');
  test.engine.calls.length = 0;
  const shutdownsBefore = test.shutdowns();
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET' as const, 'HEAD' as const),
      fc.constantFrom(...paths),
      fc.dictionary(key, text, { minKeys: 1, maxKeys: 3 }),
      async (method, path, entries) => {
        const { statusCode } = await inject(test.app, { method, url: `${path}?${new URLSearchParams(entries)}` });
        // The stream of events has no HEAD; there is nothing yet that an id of an example could name.
        expect([200, 400, 404, 405]).toContain(statusCode);
      },
    ),
    { numRuns: runs / 5, seed },
  );
  expect(test.engine.calls.filter(({ verb }) => !readingVerbs.test(verb))).toEqual([]);
  expect(test.shutdowns()).toBe(shutdownsBefore);
});
