/** What each operation does with the engine, over HTTP. */
import { createHmac } from 'node:crypto';
import supertest from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { publicPaths } from '../../routes/http/guard.ts';
import { Problem } from '../../routes/http/problem.ts';
import { GrantedRoots } from '../../routes/roots.ts';
import { Status } from '../../routes/status.ts';
import { Health } from '../../routes/system.ts';
import { GrantedRoot } from '../../src/access/roots.ts';
import { ResolveResult } from '../../src/context/resolve-result.ts';
import { protocol } from '../../src/settings.ts';
import { createListeningApp, type ListeningApp, type Operation, operationsOf, token } from './support/listening-app.ts';

let test: ListeningApp;
beforeEach(async () => {
  test = await createListeningApp();
});
afterEach(() => test.app.close());

const get = (path: string) => supertest(test.url).get(path).auth(token, { type: 'bearer' });
const post = (path: string) => supertest(test.url).post(path).auth(token, { type: 'bearer' });
const del = (path: string) => supertest(test.url).delete(path).auth(token, { type: 'bearer' });

describe('GET /health', () => {
  it('SY-01 answers without a token', async () => {
    const answer = await supertest(test.url).get('/health').expect(200);
    expect(Health.strict().parse(answer.body)).toEqual({ status: 'ok', ...protocol });
  });

  it('S-74 proves that it knows the token', async () => {
    const challenge = `${'Az09_-'.repeat(21)}xy`;
    const answer = await supertest(test.url).get('/health').query({ challenge }).expect(200);
    expect(answer.body).toEqual({
      status: 'ok',
      ...protocol,
      proof: createHmac('sha256', token).update(challenge).digest('hex'),
    });
  });

  it.each(['', 'a'.repeat(129), 'a b', 'ä', 'a\n', '../a'])('S-74 refuses the challenge "%s"', async (challenge) => {
    const answer = await supertest(test.url).get('/health').query({ challenge }).expect(400);
    expect(Problem.parse(answer.body)).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/challenge' }] });
  });

  it('S-74 refuses two challenges and unknown parameters', async () => {
    await supertest(test.url).get('/health?challenge=a&challenge=b').expect(400);
    const answer = await supertest(test.url).get('/health?nonce=a').expect(400);
    expect(answer.body.errors).toEqual([{ pointer: '/nonce', message: 'Unknown field.' }]);
  });
});

describe('GET /v1/status', () => {
  it('SY-01 describes the running daemon', async () => {
    await test.engine.grantRoot('/p');
    const { body } = await get('/v1/status').expect(200).expect('content-type', 'application/json; charset=utf-8');
    expect(Status.strict().parse(body)).toMatchObject({
      version: '0.1.0',
      pid: process.pid,
      instanceId: '0b5e6b1c9a3f4d2e8c7a6b5d4e3f2a1b',
      url: test.url,
      startedAt: '2026-01-05T08:30:00.000Z',
      nodeVersion: process.version,
      grantedRoots: 1,
      warnings: await test.engine.settingsWarnings(),
    });
  });

  it('S-05 does nothing, whatever the query says', async () => {
    for (const key of ['command', 'args', 'env', 'cwd', 'url', 'path']) await get(`/v1/status?${key}=x`).expect(400);
    expect(test.engine.calls).toEqual([]);
  });
});

describe('a query parameter that nobody knows', () => {
  it('AN-04 is refused with its pointer by every operation', async () => {
    const isPage = ({ path }: Operation) => publicPaths.has(path) && path !== '/health';
    const asked = operationsOf(test.app).filter((operation) => !isPage(operation));
    const found = [];
    for (const { operationId, method, target, body } of asked) {
      const url = `${target}${target.includes('?') ? '&' : '?'}zzz=1`;
      const accept = 'application/json, text/event-stream';
      const headers = { accept, 'mcp-session-id': 'x', ...(body && { 'content-type': 'application/json' }) };
      const answer = await test.app.inject({ method: method as 'GET', url, headers, ...(body && { payload: body }) });
      const { status, detail, errors } = answer.statusCode === 400 ? answer.json() : { status: answer.statusCode };
      found.push({ operationId, status, detail, errors });
    }
    const detail = 'The query is not valid. This daemon has protocolVersion 1.';
    const errors = [{ pointer: '/zzz', message: 'Unknown field.' }];
    expect(found).toEqual(asked.map(({ operationId }) => ({ operationId, status: 400, detail, errors })));
    expect(test.engine.calls).toEqual([]);
  });

  it('AN-04 is refused of HEAD as of GET, and makes no difference to a page', async () => {
    const head = (path: string) => supertest(test.url).head(path).auth(token, { type: 'bearer' });
    await head('/v1/roots').expect(200);
    await head('/v1/roots?zzz=1').expect(400);
    for (const path of ['/', '/docs', '/docs/', '/docs/page.js', '/openapi.json', '/console/main.js'])
      expect([path, (await get(`${path}?zzz=1`)).status]).toEqual([path, (await get(path)).status]);
  });
});

describe('/v1/roots', () => {
  it('CC-33 grants, lists and revokes a root', async () => {
    const granted = await post('/v1/roots').send({ path: '~/project' }).expect(201);
    expect(GrantedRoot.strict().parse(granted.body)).toMatchObject({ path: '/home/ada/project', origin: 'stored' });
    const again = await post('/v1/roots').send({ path: '~/project' }).expect(200);
    expect(again.body).toEqual(granted.body);
    const listed = await get('/v1/roots').expect(200);
    expect(GrantedRoots.strict().parse(listed.body)).toEqual({ roots: [granted.body] });
    const revoked = await del('/v1/roots').query({ path: '~/project' }).expect(204);
    expect(revoked.text).toBe('');
    expect((await get('/v1/roots')).body).toEqual({ roots: [] });
    await del('/v1/roots').query({ path: '~/project' }).expect(404);
  });

  it('CC-33 revokes by a body too, but not by body and query at once', async () => {
    await post('/v1/roots').send({ path: '/p' }).expect(201);
    await del('/v1/roots?path=/p').send({ path: '/p' }).expect(400);
    const neither = await del('/v1/roots').expect(400);
    expect(neither.body.errors).toEqual([{ pointer: '/path', message: 'Required.' }]);
    await del('/v1/roots').set('content-type', 'application/json').query({ path: '' }).expect(400);
    await del('/v1/roots').send({ path: '/p' }).expect(204);
  });

  it.each([
    [{}],
    [{ path: 1 }],
    [{ path: '' }],
    [{ path: 'a\0b' }],
    [{ path: 'a'.repeat(4097) }],
    [{ path: '/p', origin: 'start' }],
    [[]],
    [null],
  ])('S-66 refuses %j', async (body) => {
    const answer = await post('/v1/roots')
      .set('content-type', 'application/json')
      .send(JSON.stringify(body))
      .expect(400);
    expect(Problem.parse(answer.body).errors).toHaveLength(1);
    expect(test.engine.calls).toEqual([]);
  });
});

describe('POST /v1/context/resolve', () => {
  const resolve = (body: object) => post('/v1/context/resolve').send(body);

  it('CC-34 sends what the engine returns, byte for byte the same as long as it is the same', async () => {
    const first = await resolve({ mountedDirectory: '/p' })
      .expect(200)
      .expect('content-type', 'application/json; charset=utf-8');
    expect(ResolveResult.strict().parse(first.body)).toEqual(await test.engine.resolve({ mountedDirectory: '/p' }));
    const second = await resolve({ mountedDirectory: '/p' }).expect(200);
    expect(second.text).toBe(first.text);
    expect((await resolve({ mountedDirectory: '/q' })).body.mountedDirectory).toBe('/q');
  });

  it('CC-34 serialises a result once', async () => {
    let reads = 0;
    const result = Object.freeze({
      ...(await test.engine.resolve({ mountedDirectory: '/p' })),
      get digest() {
        reads += 1;
        return '';
      },
    });
    Object.assign(test.engine, { resolve: async () => result });
    for (let request = 0; request < 3; request += 1) await resolve({ mountedDirectory: '/p' }).expect(200);
    expect(reads).toBe(1);
  });

  it('CC-22 hands the whole request to the engine', async () => {
    const request = {
      mountedDirectory: '/p',
      workingDirectory: 'a',
      files: ['b'],
      mentions: ['c'],
      query: 'd',
      scopes: ['global'],
      content: false,
      budget: { maxTokens: 1, encoding: 'cl100k_base' },
      clientContextPath: '.ai',
      globalContextPath: '~/x',
    };
    await resolve(request).expect(200);
    expect(test.engine.calls).toEqual([{ verb: 'resolve', argument: request }]);
  });

  it('S-66 names every mistake of a body by its pointer', async () => {
    const answer = await resolve({
      files: ['ok', 1],
      budget: { maxTokens: -1, unit: 'x' },
      scopes: ['local'],
      unknown: 1,
    }).expect(400);
    expect(Problem.parse(answer.body)).toMatchObject({
      code: 'invalid_request',
      detail: 'The body is not valid. This daemon has protocolVersion 1.',
    });
    expect(answer.body.errors.map((error: { pointer: string }) => error.pointer).sort()).toEqual([
      '/budget/maxTokens',
      '/budget/unit',
      '/files/1',
      '/mountedDirectory',
      '/scopes/0',
      '/unknown',
    ]);
    expect(test.engine.calls).toEqual([]);
  });

  it('S-04 says that a body is required', async () => {
    for (const request of [post('/v1/context/resolve'), post('/v1/context/resolve').type('json').send('null')])
      expect((await request.expect(400)).body).toMatchObject({
        detail: 'A body is required.',
        errors: [{ pointer: '', message: 'Send a JSON object as the body.' }],
      });
  });
});

describe('POST /v1/shutdown', () => {
  it('SY-01 answers first, then stops, once', async () => {
    const answer = await post('/v1/shutdown').send({}).expect(202);
    expect(answer.body).toEqual({ status: 'stopping' });
    await expect.poll(test.shutdowns).toBe(1);
    await post('/v1/shutdown').expect(202);
    expect(test.shutdowns()).toBe(1);
  });

  it('S-05 takes no instructions', async () => {
    await post('/v1/shutdown').send({ command: 'x' }).expect(400);
    expect(test.shutdowns()).toBe(0);
  });
});
