/** `/v1/supplementary` and `/v1/workspace/files/search` over HTTP, on a workspace in memory. */
import fc from 'fast-check';
import type { InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Problem } from '../../routes/http/problem.ts';
import { FileSearchResult, SupplementaryItem, SupplementaryList } from '../../src/supplementary/supplementary-item.ts';
import { sized } from '../support/test-size.ts';
import { createWorkspace, project } from '../support/workspace.ts';
import { createTestApp, type TestApp } from './support/listening-app.ts';

const generated = sized(2_000, 3_000, 600);

// Made once: making a schema takes longer than parsing by it.
const wholeProblem = Problem.strict();
const wholeSearchResult = FileSearchResult.strict();
const wholeList = SupplementaryList.strict();

let test: TestApp;
beforeEach(async () => {
  const { engine } = await createWorkspace({ 'src/button.ts': '', 'src/form.ts': '', 'server.key': '' });
  test = await createTestApp({ engine });
});
afterEach(() => test.app.close());

type Method = NonNullable<InjectOptions['method']>;
type Sent = { payload?: object; headers?: Record<string, string | undefined> };
const send = (method: Method, url: string, sent: Sent = {}) => test.app.inject({ method, url, ...sent });
const listUrl = `/v1/supplementary?mountedDirectory=${project}`;
const addition = { mountedDirectory: project, kind: 'file', path: 'src/form.ts' };

describe('/v1/supplementary', () => {
  it('SU-01 answers 201 for what is new, 200 for what is there, and both with the item', async () => {
    const created = await send('POST', '/v1/supplementary', { payload: addition });
    const again = await send('POST', '/v1/supplementary', { payload: addition });
    expect([created.statusCode, again.statusCode]).toEqual([201, 200]);
    expect(again.json()).toEqual(created.json());
    SupplementaryItem.strict().parse(created.json());
    const list = await send('GET', listUrl);
    expect(SupplementaryList.strict().parse(list.json()).items).toEqual([created.json()]);
    expect(list.headers.etag).toBe(`"${list.json().etag}"`);
  });

  it('SU-01 replaces under `If-Match`, else answers 412 and changes nothing', async () => {
    const { etag } = (await send('GET', listUrl)).json();
    const body = { mountedDirectory: project, items: [{ kind: 'folder', path: 'src' }] };
    const replaced = await send('PUT', '/v1/supplementary', { payload: body, headers: { 'if-match': `"${etag}"` } });
    expect(replaced.statusCode).toBe(200);
    const refused = await send('PUT', '/v1/supplementary', {
      payload: { ...body, items: [] },
      headers: { 'if-match': `"${etag}"` },
    });
    expect(Problem.parse(refused.json())).toMatchObject({ status: 412, code: 'version_mismatch' });
    expect((await send('GET', listUrl)).json()).toEqual(replaced.json());
  });

  it('S-16 S-66 refuses what it cannot take, and says where', async () => {
    const refusals: [Method, string, object | undefined, number, string | undefined][] = [
      ['POST', '/v1/supplementary', { ...addition, kind: 'link' }, 400, '/kind'],
      ['POST', '/v1/supplementary', { ...addition, path: '' }, 400, '/path'],
      ['POST', '/v1/supplementary', { ...addition, content: 'x' }, 400, '/content'],
      ['POST', '/v1/supplementary', { ...addition, path: '/etc/passwd' }, 403, '/path'],
      ['POST', '/v1/supplementary', { ...addition, mountedDirectory: '/etc' }, 403, '/mountedDirectory'],
      ['PUT', '/v1/supplementary', { mountedDirectory: project, items: Array(1_001).fill({}) }, 400, undefined],
      ['GET', '/v1/supplementary', undefined, 400, '/mountedDirectory'],
      ['DELETE', '/v1/supplementary', undefined, 400, '/mountedDirectory'],
      ['DELETE', '/v1/supplementary/1', undefined, 404, undefined],
      ['DELETE', `/v1/supplementary/${'0'.repeat(32)}`, undefined, 404, undefined],
      ['POST', '/v1/workspace/files/search', { mountedDirectory: project, query: 'x'.repeat(257) }, 400, '/query'],
      ['POST', '/v1/workspace/files/search', { mountedDirectory: project, query: 'x', limit: 0 }, 400, '/limit'],
    ];
    for (const [method, url, body, status, pointer] of refusals) {
      const answer = await send(method, url, { payload: body });
      const problem = Problem.strict().parse(answer.json());
      expect(problem.status, `${method} ${url} ${JSON.stringify(body)?.slice(0, 100)}`).toBe(status);
      if (pointer !== undefined) expect(problem.errors?.map((each) => each.pointer)).toContain(pointer);
    }
    expect((await send('GET', listUrl)).json().items).toEqual([]);
  });

  it(`S-66 answers ${generated} generated requests without a 5xx, and never shows a secret`, {
    timeout: 60_000,
  }, async () => {
    const odd = [
      '',
      '..',
      '/',
      '~',
      'a\0b',
      'C:\\x',
      '%2e%2e',
      '\ud800',
      '\u202e',
      '__proto__',
      'server.key',
      'src//',
      '*',
    ];
    const text = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'binary', maxLength: 12 }));
    const path = fc.oneof(fc.constantFrom('src/form.ts', 'src', `${project}/x`, '/etc/passwd', '../y'), text);
    const mountedDirectory = fc.oneof({ weight: 8, arbitrary: fc.constant(project) }, { weight: 1, arbitrary: text });
    const kind = fc.constantFrom('file', 'folder', 'tab', 'other');
    const item = fc.record({ kind, path });
    const ifMatch = fc.constantFrom({}, { 'if-match': '*' }, { 'if-match': '"x"' }, { 'if-match': '",,"' });
    const request = fc.oneof(
      fc.record({ mountedDirectory, kind, path }).map((body) => ['POST', '/v1/supplementary', body, {}] as const),
      fc
        .tuple(fc.record({ mountedDirectory, items: fc.array(item, { maxLength: 5 }) }), ifMatch)
        .map(([body, headers]) => ['PUT', '/v1/supplementary', body, headers] as const),
      mountedDirectory
        .filter((directory) => directory.isWellFormed())
        .map(
          (directory) =>
            ['GET', `/v1/supplementary?mountedDirectory=${encodeURIComponent(directory)}`, undefined, {}] as const,
        ),
      fc
        .record({ mountedDirectory, query: text, limit: fc.integer({ min: -1, max: 1_001 }) })
        .map((body) => ['POST', '/v1/workspace/files/search', body, {}] as const),
    );
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ([method, url, body, headers]) => {
        const answer = await send(method, url, { payload: body, headers });
        seen.add(answer.statusCode);
        if (answer.statusCode >= 500) expect.fail(answer.body);
        if (answer.statusCode >= 400) wholeProblem.parse(answer.json());
        else if (url.endsWith('search')) {
          const { files } = wholeSearchResult.parse(answer.json());
          if (files.some(({ path }) => path.endsWith('.key'))) expect.fail(answer.body);
        } else if (method !== 'POST')
          for (const each of wholeList.parse(answer.json()).items)
            if (each.enabled && each.path.endsWith('.key')) expect.fail(answer.body);
      }),
      { numRuns: generated, seed: 20_260_105 },
    );
    for (const status of [200, 201, 400, 403, 412]) expect(seen).toContain(status);
  });
});
