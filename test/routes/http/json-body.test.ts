import fc from 'fast-check';
import { fastify } from 'fastify';
import { expect, it } from 'vitest';
import { acceptJsonOnly, jsonDepthExceeds } from '../../../routes/http/json-body.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

it('S-66 counts the depth of any JSON as it is', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(3), (value, indent) => {
      const json = Buffer.from(JSON.stringify(value, undefined, indent));
      const depth = depthOf(value);
      expect(jsonDepthExceeds(json, depth)).toBe(false);
      if (depth > 0) expect(jsonDepthExceeds(json, depth - 1)).toBe(true);
    }),
    { numRuns: 2_000, seed: 1 },
  );
});

it('S-66 is not misled by brackets, quotes and backslashes in strings', () => {
  for (const text of ['[[[[', '"[[[', '\\"[[[', '\\', '\\\\"{{{', '{"a":['])
    expect(jsonDepthExceeds(Buffer.from(JSON.stringify([text])), 1)).toBe(false);
});

it('S-66 looks at each byte once', () => {
  const json = Buffer.alloc(1024 * 1024, '[]');
  expect(jsonDepthExceeds(json, 1)).toBe(false);
  expect(jsonDepthExceeds(Buffer.alloc(1024 * 1024, '['), 32)).toBe(true);
});

it('S-66 large bodies are parsed as small ones are, each in its own turn', async () => {
  const app = fastify();
  acceptJsonOnly(app, 8);
  app.post('/', (request) => request.body);
  const post = (payload: string | Buffer) =>
    app.inject({ method: 'POST', url: '/', payload, headers: { 'content-type': 'application/json' } });
  const text = 'x'.repeat(100_000);
  expect((await post(JSON.stringify({ text }))).json()).toEqual({ text });
  for (const bad of [`{ "text": "${text}`, `${'['.repeat(9)}"${text}"`, Buffer.from(`"${text}\xff"`, 'latin1')])
    expect((await post(bad)).statusCode).toBeGreaterThanOrEqual(400);
  await app.close();
});

it('S-61 S-66 bodies that are repeated are refused each time, and their values cannot be changed', async () => {
  const app = fastify();
  acceptJsonOnly(app, 8);
  const received: unknown[] = [];
  const handler = (request: { body: unknown }) => received.push(request.body);
  app.post('/', handler);
  app.post('/again', { config: { repeatsBodies: true } }, handler);
  const statusOf = async (payload: string | Buffer, url = '/again'): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    return (await app.inject({ method: 'POST', url, payload, headers })).statusCode;
  };
  const good = [
    '{"a":[{"b":"é"}]}',
    '\uFEFF{"a":[{"b":"é"}]}',
    '{"a":[{"b":"e"}]}',
    'null',
    `{"a":"${'x'.repeat(100_000)}"}`,
  ];
  const bad = [
    Buffer.from('{"a":[{"b":"é"}]}', 'latin1'),
    '{"__proto__":{}}',
    '{"a":{"constructor":{"prototype":{}}}}',
    '{"a":[{"b":"é"}]',
    `${'['.repeat(9)}${']'.repeat(9)}`,
  ];
  for (const round of [1, 2]) {
    for (const body of good) expect(await statusOf(body), `${round} ${body.slice(0, 40)}`).toBe(200);
    for (const body of bad) expect(await statusOf(body), `${round} ${body}`).not.toBe(200);
  }
  expect(received).toEqual([...good, ...good].map((body) => JSON.parse(body.replace('\uFEFF', ''))));
  const [first, , , , , again] = received as { a: { b: string }[] }[];
  expect(again).toBe(first);
  for (const body of [good[0], good[0], good[2], good[0]]) await statusOf(body as string);
  expect(received.splice(2 * good.length)).toEqual([first, first, received[2], first]);
  expect(() => Object.assign(first?.a[0] as object, { b: 'other' })).toThrow(TypeError);
  for (const _ of [1, 2]) await statusOf(good[0] as string, '/');
  expect(received.at(-1)).toEqual(first);
  expect(received.at(-1)).not.toBe(received.at(-2));
  expect(Object.isFrozen(received.at(-1))).toBe(false);
  await app.close();
});
