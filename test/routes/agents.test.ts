/** `/v1/agents` and `POST /v1/search` over HTTP (AG-02, AG-05, S-26, S-66). */
import supertest from 'supertest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AgentItems, AgentList } from '../../routes/agents.ts';
import { Problem } from '../../routes/http/problem.ts';
import { Agent } from '../../src/agent/agent.ts';
import { ItemSearchResult } from '../../src/agent/item-search.ts';
import { createListeningApp, type ListeningApp, token } from './support/listening-app.ts';

let test: ListeningApp;
beforeEach(async () => {
  test = await createListeningApp();
});
afterEach(() => test.app.close());

const get = (path: string) => supertest(test.url).get(path).auth(token, { type: 'bearer' });
const post = (path: string) => supertest(test.url).post(path).auth(token, { type: 'bearer' });
const put = (path: string) => supertest(test.url).put(path).auth(token, { type: 'bearer' });
const del = (path: string) => supertest(test.url).delete(path).auth(token, { type: 'bearer' });

const body = { name: 'A', rules: [{ name: 'r', text: 'x' }] };
const secret = 'canary-1';
const servers = {
  local: { command: 'x', env: { TOKEN: secret } },
  remote: { url: `https://ada:${secret}@example.org/?key=${secret}`, headers: { Authorization: secret } },
};

describe('/v1/agents', () => {
  it('AG-05 creates with 201, replaces with 200, reads and deletes', async () => {
    const created = await put('/v1/agents/a').send(body).expect(201);
    expect(Agent.parse(created.body)).toEqual({ id: 'a', ...body });
    expect(created.headers.etag).toMatch(/^"[0-9a-f]{64}"$/u);
    const read = await get('/v1/agents/a').expect(200).expect('content-type', 'application/json; charset=utf-8');
    expect([read.body, read.headers.etag]).toEqual([created.body, created.headers.etag]);
    await put('/v1/agents/a')
      .send({ ...body, name: 'B' })
      .expect(200);
    const listed = await get('/v1/agents').expect(200);
    expect(AgentList.strict().parse(listed.body).agents).toMatchObject([{ id: 'a', name: 'B', rules: 1 }]);
    expect((await del('/v1/agents/a').expect(204)).text).toBe('');
    await get('/v1/agents/a').expect(404);
    await del('/v1/agents/a').expect(404);
  });

  it('AG-05 `If-Match` and `If-None-Match` decide', async () => {
    const { headers } = await put('/v1/agents/a').set('if-none-match', '*').send(body).expect(201);
    const refused = await put('/v1/agents/a').set('if-none-match', '*').send(body).expect(412);
    expect(Problem.parse(refused.body).code).toBe('version_mismatch');
    const changed = await put('/v1/agents/a').set('if-match', `${headers.etag}`).send({ name: 'B' }).expect(200);
    await put('/v1/agents/a').set('if-match', `${headers.etag}`).send(body).expect(412);
    await del('/v1/agents/a').set('if-match', `${headers.etag}`).expect(412);
    await put('/v1/agents/a/rules/r').set('if-match', `${headers.etag}`).send({ text: '' }).expect(412);
    await put('/v1/agents/a').set('if-match', 'x'.repeat(1025)).send(body).expect(400);
    await del('/v1/agents/a').set('if-match', `${changed.headers.etag}`).expect(204);
  });

  it.each(['rules', 'references'])('AN-05 `*` means the item itself in %s, and a tag the agent', async (kind) => {
    const { headers } = await put('/v1/agents/a').send({ name: 'A' }).expect(201);
    const path = `/v1/agents/a/${kind}/r`;
    const write = (sent: Record<string, string>) => put(path).set(sent).send({ text: 'x' });
    const missing = await write({ 'if-match': '*' }).expect(412);
    expect(Problem.parse(missing.body).code).toBe('version_mismatch');
    await write({ 'if-none-match': `"other", ${headers.etag}` }).expect(412);
    const created = await write({ 'if-match': `${headers.etag}`, 'if-none-match': '*' }).expect(201);
    await write({ 'if-none-match': '*' }).expect(412);
    await write({ 'if-match': `${headers.etag}` }).expect(412);
    await write({ 'if-match': '*', 'if-none-match': `${headers.etag}` }).expect(200);
    await del(path).set('if-none-match', '*').expect(412);
    await del(path).set('if-match', '*').expect(204);
    await del(path).set('if-match', `${created.headers.etag}`).expect(404);
    await put(`/v1/agents/nobody/${kind}/r`).set('if-match', '*').send({ text: 'x' }).expect(404);
  });

  it('AG-05 exports as YAML and JSON, and imports both', async () => {
    await put('/v1/agents/a').send(body).expect(201);
    const yaml = await get('/v1/agents/a/export').expect(200).expect('content-type', 'application/yaml; charset=utf-8');
    expect(yaml.text).toBe('id: a\nname: A\nrules:\n  - name: r\n    text: x\n');
    const json = await get('/v1/agents/a/export?format=json').expect(200);
    expect(json.body).toEqual({ id: 'a', ...body });
    await get('/v1/agents/a/export?format=xml').expect(400);
    expect((await post('/v1/agents/import').send({ content: yaml.text }).expect(409)).body.code).toBe('conflict');
    await post('/v1/agents/import').send({ content: json.text, replace: true }).expect(200);
    await del('/v1/agents/a').expect(204);
    const imported = await post('/v1/agents/import').send({ content: yaml.text, format: 'yaml' }).expect(201);
    expect(imported.body).toEqual({ id: 'a', ...body });
    const broken = await post('/v1/agents/import').send({ content: 'id: [' }).expect(400);
    expect(broken.body.errors).toMatchObject([{ pointer: '/content' }]);
  });

  it('AN-04 says of a document what it does not know in it, and which protocol it speaks', async () => {
    const content = 'id: a\nname: A\nzzz: 1\nrules: [{ name: r, text: x, later: 1 }]\n';
    const { body } = await post('/v1/agents/import').send({ content }).expect(400);
    expect(body.detail).toBe('The document cannot be used as an agent. This daemon has protocolVersion 1.');
    expect(body.errors).toEqual([
      { pointer: '/content', message: '/rules/0/later: Unknown field.' },
      { pointer: '/content', message: '/zzz: Unknown field.' },
    ]);
    const wrong = await post('/v1/agents/import').send({ content: 'id: a\n' }).expect(400);
    expect(wrong.body.detail).toBe('The document cannot be used as an agent.');
  });

  it('S-26 shows no value of env, headers or address, and keeps what is sent back masked', async () => {
    const created = await put('/v1/agents/a')
      .send({ ...body, mcpServers: servers })
      .expect(201);
    const again = await put('/v1/agents/a').send(created.body).expect(200);
    expect(again.headers.etag).toBe(created.headers.etag);
    const paths = ['', '/items', '/export', '/export?format=json'].map((path) => `/v1/agents/a${path}`);
    const answers = await Promise.all([...paths, '/v1/agents'].map((path) => get(path).expect(200)));
    const seen = [created, again, ...answers].map(({ text, headers }) => text + JSON.stringify(headers)).join();
    expect(seen).not.toContain(secret);
    expect(created.body.mcpServers.local).toEqual({ command: 'x', env: { TOKEN: '***' } });
    const moved = { ...created.body, mcpServers: { local: { command: 'evil', env: { TOKEN: '***' } } } };
    const refused = await put('/v1/agents/a').send(moved).expect(400);
    expect(refused.body.errors).toMatchObject([{ pointer: '/mcpServers/local/env/TOKEN' }]);
  });

  it('AG-05 an address that masking makes longer is answered all the same', async () => {
    const url = `https://example.org/${'ä'.repeat(4_000)}`;
    await put('/v1/agents/a')
      .send({ name: 'A', mcpServers: { a: { url } } })
      .expect(201);
    expect((await get('/v1/agents/a').expect(200)).body.mcpServers.a.url.length).toBeGreaterThan(4_096);
  });

  it.each([
    ['/name', {}],
    ['/name', { name: '' }],
    ['/rules/0/name', { name: 'A', rules: [{ name: 'a b', text: '' }] }],
    ['/rules/0/name', { name: 'A', rules: [{ name: 'a.b', text: '' }] }],
    ['/references/0/name', { name: 'A', references: [{ name: 'ä', text: '' }] }],
    ['/references/0/name', { name: 'A', references: [{ name: '', text: '' }] }],
    ['/rules/0/name', { name: 'A', rules: [{ name: 'a'.repeat(101), text: '' }] }],
    [
      '/rules/1/name',
      {
        name: 'A',
        rules: [
          { name: 'a', text: '' },
          { name: 'a', text: '' },
        ],
      },
    ],
    ['/rules/0/priority', { name: 'A', rules: [{ name: 'a', text: '', priority: 1_000 }] }],
    ['/rules/0/include', { name: 'A', rules: [{ name: 'a', text: '', include: 'auto' }] }],
    ['/rules/0/text', { name: 'A', rules: [{ name: 'a', text: 'ä'.repeat(131_073) }] }],
    ['/rules/0/text', { name: 'A', rules: [{ name: 'a', text: '\ud800' }] }],
    ['/systemPrompt', { name: 'A', systemPrompt: '\udc00x' }],
    ['/mcpServers/a/env/K', { name: 'A', mcpServers: { a: { command: 'x', env: { K: '\ud800' } } } }],
    ['/mcpServers/a/env', { name: 'A', mcpServers: { a: { command: 'x', env: { '\ud800': '' } } } }],
    ['/references', { name: 'A', references: Array.from({ length: 1_001 }, (_, n) => ({ name: `r${n}`, text: '' })) }],
    ['/mcpServers/a/command', { name: 'A', mcpServers: { a: {} } }],
    ['/mcpServers/a/args', { name: 'A', mcpServers: { a: { command: 'x', args: Array(257).fill('') } } }],
    [
      '/mcpServers/a/env',
      {
        name: 'A',
        mcpServers: { a: { command: 'x', env: Object.fromEntries(Array.from({ length: 257 }, (_, n) => [n, ''])) } },
      },
    ],
    ['/settings/search/topN', { name: 'A', settings: { search: { topN: 10_000 } } }],
    ['/settings/toolPermission', { name: 'A', settings: { toolPermission: 'sometimes' } }],
    ['/etag', { name: 'A', etag: 'x' }],
  ])('AG-02 S-66 refuses what is wrong at %s', async (pointer, agent) => {
    const { body } = await put('/v1/agents/a').send(agent).expect(400);
    expect(Problem.parse(body).errors?.map((error) => error.pointer)).toEqual([pointer]);
    expect(test.engine.calls).toEqual([]);
  });

  it.each(['a b', 'a.b', 'ä', 'a'.repeat(65), '..%2f'])('S-16 S-44 refuses the id "%s"', async (id) => {
    expect(
      (
        await put(`/v1/agents/${encodeURIComponent(id)}`)
          .send(body)
          .expect(400)
      ).body.code,
    ).toBe('invalid_request');
  });

  it('S-16 S-61 ids that objects inherit are ids like any other', async () => {
    for (const id of ['__proto__', 'constructor', 'toString']) {
      await get(`/v1/agents/${id}`).expect(404);
      await put(`/v1/agents/${id}`).send(body).expect(201);
      expect((await get(`/v1/agents/${id}`).expect(200)).body.id).toBe(id);
    }
  });
});

describe('rules and references of an agent', () => {
  it.each(['rules', 'references'])('AG-05 %s are added, replaced and removed', async (kind) => {
    await put('/v1/agents/a').send({ name: 'A' }).expect(201);
    const created = await put(`/v1/agents/a/${kind}/new`).send({ text: 'x', include: 'agent' }).expect(201);
    expect(created.body).toEqual({ name: 'new', text: 'x', include: 'agent' });
    expect(created.headers.etag).toBe((await get('/v1/agents/a')).headers.etag);
    await put(`/v1/agents/a/${kind}/new`).send({ name: 'new', text: 'y' }).expect(200);
    await put(`/v1/agents/a/${kind}/new`).send({ name: 'old', text: 'y' }).expect(400);
    expect((await get('/v1/agents/a')).body[kind]).toEqual([{ name: 'new', text: 'y' }]);
    const items = await get('/v1/agents/a/items').expect(200);
    expect(AgentItems.strict().parse(items.body).items).toMatchObject([{ name: 'new', source: 'inline' }]);
    await del(`/v1/agents/a/${kind}/new`).expect(204);
    await del(`/v1/agents/a/${kind}/new`).expect(404);
    await put(`/v1/agents/b/${kind}/new`).send({ text: '' }).expect(404);
    await put(`/v1/agents/a/${kind}/${'n'.repeat(100)}`)
      .send({ text: '' })
      .expect(201);
  });
});

describe('POST /v1/search', () => {
  const search = (request: object) => post('/v1/search').send(request);

  it('SS-05 answers, and refuses what it does not understand', async () => {
    await put('/v1/agents/a').send(body).expect(201);
    const answer = await search({ agentId: 'a', query: 'q', types: ['rule'], topN: 1, mode: 'keyword' }).expect(200);
    expect(ItemSearchResult.strict().parse(answer.body).semantic.status).toBe('degraded');
    await search({ mountedDirectory: '/p', query: 'q' }).expect(200);
    for (const request of [
      { query: 'q' },
      { agentId: 'a' },
      { agentId: 'a', query: '' },
      { agentId: 'a', query: 'x'.repeat(32_769) },
      { agentId: 'a', query: 'q', types: [] },
      { agentId: 'a', query: 'q', minScore: 2 },
      { agentId: 'a', mountedDirectory: '/p', query: 'q' },
    ])
      await search(request).expect(400);
    await search({ agentId: 'x', query: 'q' }).expect(404);
  });
});
