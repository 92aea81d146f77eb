/** Generated requests to every operation, of which a good part gets past validation. */
import fc from 'fast-check';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { type Operation, operationsOf } from './listening-app.ts';

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
export const text = fc.oneof(oddText, fc.string({ maxLength: 20 }), fc.string({ unit: 'binary', maxLength: 20 }));
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

/** What an example says of an operation that takes a body: where it goes, and what the body may be. */
export type Taker = Pick<Operation, 'operationId' | 'method' | 'path'> & { url: string; example: unknown };

/** Every operation that takes a body. Where there is no example of it, it may hold what the query may. */
export function takersOf(app: FastifyInstance): Taker[] {
  return operationsOf(app).flatMap(({ operationId, method, path, target, takesBody, body }) => {
    if (!takesBody) return [];
    const { pathname, searchParams } = new URL(target, 'http://localhost');
    const url = body === undefined ? pathname : target;
    const example = body === undefined ? Object.fromEntries(searchParams) : JSON.parse(body);
    return [{ operationId, method, path, url, example }];
  });
}

/** What may become of a value inside an example; what becomes `undefined` is left out. */
const change: fc.Arbitrary<(value: unknown) => unknown> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ words: text, isMore: fc.boolean(), number: fc.oneof(fc.integer({ min: -1, max: 100 }), fc.double()) })
      .map(({ words, isMore, number }) => (value: unknown) => {
        if (typeof value === 'string') return isMore ? value + words : words;
        if (typeof value === 'number') return number;
        return typeof value === 'boolean' ? !value : value;
      }),
  },
  { weight: 2, arbitrary: oddValue.map((odd) => () => odd) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<(value: unknown) => unknown>(
      () => undefined,
      (value) => [value],
      (value) => (Array.isArray(value) ? [...value, ...value] : { a: value }),
    ),
  },
);

function countValues(value: unknown): number {
  const inner = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return inner.reduce((sum: number, each) => sum + countValues(each), 1);
}

/** The value with one of the values in it changed, however deep that lies, or with itself changed. */
function changedAt(value: unknown, at: number, become: (value: unknown) => unknown): unknown {
  let left = at % countValues(value);
  const visit = (each: unknown): unknown => {
    left -= 1;
    if (left === -1) return become(each);
    if (Array.isArray(each)) return each.map(visit).filter((inner) => inner !== undefined);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(value);
}

const changed = (example: unknown): fc.Arbitrary<unknown> =>
  fc
    .array(fc.tuple(fc.nat(), change), { maxLength: 3 })
    .map((changes) => changes.reduce((value, [at, become]) => changedAt(value, at, become), example));

const jsonHeaders = { 'content-type': 'application/json' };
const conditions = fc.oneof(
  { weight: 4, arbitrary: fc.constant(jsonHeaders) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { ...jsonHeaders, 'if-match': '*' },
      { ...jsonHeaders, 'if-match': '"1"' },
      { ...jsonHeaders, 'if-match': 'W/"x", "y' },
      { ...jsonHeaders, 'if-none-match': '*' },
      { ...jsonHeaders, 'if-match': '*', 'if-none-match': '*' },
    ),
  },
);

/** Requests that fit, examples that were changed, and anything at all. */
export function requests(app: FastifyInstance): fc.Arbitrary<InjectOptions> {
  const targets = [...new Set(operationsOf(app).map(({ target }) => target.split('?', 1)[0] as string))];
  const fitting = (method: InjectOptions['method'], url: string, body: fc.Arbitrary<unknown>) =>
    fc.record({
      method: fc.constant(method),
      url: fc.constant(url),
      headers: conditions,
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
    headers: fc.constantFrom<Record<string, string>>(
      jsonHeaders,
      { 'content-type': 'application/json; charset=utf-8' },
      { 'content-type': 'text/plain' },
      {},
    ),
    payload,
  });
  const examples = takersOf(app).map(({ method, url, example }) => fitting(method as 'POST', url, changed(example)));
  return fc.oneof(
    { weight: 3, arbitrary: fitting('POST', '/v1/context/resolve', resolveBody) },
    { weight: 1, arbitrary: fitting('POST', '/v1/context/explain', explainBody) },
    { weight: 1, arbitrary: fitting('POST', '/v1/config/validate', validateBody) },
    { weight: 1, arbitrary: fitting('POST', '/v1/roots', rootBody) },
    { weight: 1, arbitrary: fitting('DELETE', '/v1/roots', rootBody) },
    { weight: 1, arbitrary: fitting('POST', '/v1/shutdown', fc.constantFrom({}, null)) },
    { weight: 6, arbitrary: fc.oneof(...examples) },
    { weight: 5, arbitrary: anything },
  ) as fc.Arbitrary<InjectOptions>;
}
