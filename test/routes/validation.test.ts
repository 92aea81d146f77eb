/** `POST /v1/config/validate` and `GET /v1/schemas/{kind}` over HTTP (AP-08, CC-09). */
import supertest from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '../../routes/http/problem.ts';
import { CheckedKind, ValidateResult } from '../../src/validation/diagnostic.ts';
import { jsonSchemaOf } from '../../src/validation/json-schemas.ts';
import { createWorkspace } from '../support/workspace.ts';
import { createListeningApp, createTestApp, type ListeningApp, token } from './support/listening-app.ts';

let test: ListeningApp;
beforeEach(async () => {
  test = await createListeningApp();
});
afterEach(() => test.app.close());

const get = (path: string) => supertest(test.url).get(path).auth(token, { type: 'bearer' });
const validate = (body: object) =>
  supertest(test.url).post('/v1/config/validate').auth(token, { type: 'bearer' }).send(body);

describe('POST /v1/config/validate', () => {
  it.each([
    { kind: 'context-config', content: '' },
    { kind: 'ai-context-policy', content: 'x', path: '~/p/.ai-context-policy.yaml' },
    { kind: 'context-file', content: 'x'.repeat(100_000), path: 'a.md' },
    { mountedDirectory: '/p' },
    { mountedDirectory: '~/p', clientContextPath: '.ai' },
  ])('AP-08 hands the request to the engine and its answer back', async (request) => {
    const { body } = await validate(request).expect(200);
    expect(test.engine.calls).toEqual([{ verb: 'validate', argument: request }]);
    expect(ValidateResult.strict().parse(body)).toEqual(await test.engine.validate(request as never));
  });

  it.each<[object, string[]]>([
    [{}, ['/mountedDirectory']],
    [{ kind: 'context-config' }, ['/content']],
    [{ kind: 'context-configs', content: 'x' }, ['/kind']],
    [{ kind: 'context-config', content: 1 }, ['/content']],
    [{ kind: 'context-config', content: 'x', line: 1 }, ['/line']],
    [{ kind: 'context-config', content: 'x', path: '' }, ['/path']],
    [{ mountedDirectory: '' }, ['/mountedDirectory']],
    [{ mountedDirectory: '/p', files: [] }, ['/files']],
    [{ mountedDirectory: '/p', content: 'x' }, ['/content']],
    [[], ['']],
  ])('S-66 %j is refused with pointers', async (request, pointers) => {
    const { body } = await validate(request).expect(400);
    expect(Problem.parse(body)).toMatchObject({ code: 'invalid_request' });
    expect(body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(pointers);
    expect(test.engine.calls).toEqual([]);
  });

  it('AP-08 CC-33 checks real files, and nothing outside the granted roots', async () => {
    const { engine } = await createWorkspace(
      { '/p/.context/context-config.json': '{"clientContext": {"includefiles": []}}', '/q/.context/a.md': '' },
      { grantedRoots: ['/p'] },
    );
    const { app } = await createTestApp({ engine });
    const ask = (payload: object) => app.inject({ method: 'POST', url: '/v1/config/validate', payload });
    expect((await ask({ mountedDirectory: '/p' })).json()).toEqual({
      valid: false,
      diagnostics: [
        {
          severity: 'error',
          code: 'misspelled_config_key',
          message: 'This key has no effect; write "includeFiles".',
          path: '/p/.context/context-config.json',
          line: 1,
          column: 20,
          pointer: '/clientContext/includefiles',
        },
      ],
    });
    const refused = await ask({ mountedDirectory: '/q' });
    expect(refused.statusCode).toBe(403);
    expect(Problem.parse(refused.json())).toMatchObject({
      code: 'path_outside_roots',
      errors: [{ pointer: '/mountedDirectory' }],
    });
    await app.close();
  });
});

describe('GET /v1/schemas/{kind}', () => {
  it.each(CheckedKind.options)('AP-08 answers with the schema of %s', async (kind) => {
    const { body } = await get(`/v1/schemas/${kind}`)
      .expect(200)
      .expect('content-type', 'application/json; charset=utf-8');
    expect(body).toEqual(jsonSchemaOf(kind));
  });

  it.each([
    'context-configs',
    'Context-Config',
    '..',
    '%2e%2e%2fpackage',
    '__proto__',
    'constructor',
    '*',
    'x'.repeat(90),
  ])('AP-08 S-12 an unknown kind "%s" is not found', async (kind) => {
    const { body } = await get(`/v1/schemas/${kind}`).expect(404);
    expect(Problem.parse(body)).toMatchObject({ code: 'not_found' });
  });

  it('S-06 needs the token, and no query', async () => {
    await supertest(test.url).get('/v1/schemas/context-config').expect(401);
    await get('/v1/schemas').expect(404);
    await get('/v1/schemas/').expect(404);
  });
});
