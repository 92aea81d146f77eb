/** `If-Match` and `If-None-Match` on everything that has a version, on the daemon as a process (AN-05). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RequestOptions, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const directory = temporaryDirectory();
const project = join(directory, 'project');
let daemon: TestDaemon;
let count = 0;
beforeAll(async () => {
  mkdirSync(project, { recursive: true });
  writeFileSync(join(project, 'a.md'), 'a\n');
  daemon = await startDaemon({ stateDirectory: join(directory, 'state'), grantRoots: [project] });
  await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A', rules: [{ name: 'r', text: 'x' }] } });
});
afterAll(() => daemon.stop());

type Headers = Record<string, string>;
type Answer = { status: number; body: unknown; etag: string };
/** Something with a version, each time a new one, and a write that changes it. */
type Thing = { etag: string; write(headers: Headers): Promise<Answer> };

async function send(method: string, path: string, sent: Omit<RequestOptions, 'method'> = {}): Promise<Answer> {
  const answer = await daemon.request(path, { method, ...sent });
  return { status: answer.status, body: answer.body, etag: String(answer.headers.etag) };
}

const filled = { name: 'A', rules: [{ name: 'r', text: 'x' }], references: [{ name: 'r', text: 'x' }] };
async function newAgent(id: string): Promise<string> {
  return (await send('PUT', `/v1/agents/${id}`, { body: filled })).etag;
}
async function newSession(): Promise<{ path: string; etag: string }> {
  const { body } = await send('POST', '/v1/sessions', { body: { agentId: 'a' } });
  return { path: `/v1/sessions/${(body as { id: string }).id}`, etag: '"1"' };
}
async function newPolicy(): Promise<{ place: object; etag: string; query: string }> {
  count += 1;
  const place = { mountedDirectory: join(project, `p${count}`) };
  mkdirSync(place.mountedDirectory);
  const policy = { ...place, aiContextPolicy: 'allow', exclude: [] };
  const { etag } = await send('PUT', '/v1/policy', { body: policy, headers: { 'if-none-match': '*' } });
  return { place, etag, query: `/v1/policy?${new URLSearchParams(place)}` };
}
async function newList(): Promise<{ place: object; etag: string; query: string }> {
  count += 1;
  const place = { mountedDirectory: join(project, `l${count}`) };
  mkdirSync(place.mountedDirectory);
  const { etag } = await send('PUT', '/v1/supplementary', { body: { ...place, items: [] } });
  return { place, etag, query: `/v1/supplementary?${new URLSearchParams(place)}` };
}

const things: Record<string, () => Promise<Thing>> = {};
/** `operation`: the method, and what follows the path of the agent or session. */
const onAgent = (name: string, operation: string, body?: object): void => {
  const [method = '', suffix = ''] = operation.split(' ');
  things[name] = async () => {
    count += 1;
    const etag = await newAgent(`a${count}`);
    const path = `/v1/agents/a${count}${suffix}`;
    return { etag, write: (headers) => send(method, path, { body, headers }) };
  };
};
onAgent('putAgent', 'PUT', { name: 'B' });
onAgent('deleteAgent', 'DELETE');
onAgent('putAgentRule', 'PUT /rules/r', { text: 'y' });
onAgent('deleteAgentRule', 'DELETE /rules/r');
onAgent('putAgentReference', 'PUT /references/r', { text: 'y' });
onAgent('deleteAgentReference', 'DELETE /references/r');
const onSession = (name: string, operation: string, body?: object): void => {
  const [method = '', suffix = ''] = operation.split(' ');
  things[name] = async () => {
    const { path, etag } = await newSession();
    return { etag, write: (headers) => send(method, `${path}${suffix}`, { body, headers }) };
  };
};
onSession('updateSession', 'PATCH', { topP: 0.5 });
onSession('deleteSession', 'DELETE');
onSession('addSessionItem', 'POST /context-items', { type: 'rule', name: 'r' });
onSession('removeSessionItem', 'DELETE /context-items?type=rule&name=x');
things.putPolicy = async () => {
  const { place, etag } = await newPolicy();
  const body = { ...place, aiContextPolicy: 'block', exclude: [] };
  return { etag, write: (headers) => send('PUT', '/v1/policy', { body, headers }) };
};
things.deletePolicy = async () => {
  const { query, etag } = await newPolicy();
  return { etag, write: (headers) => send('DELETE', query, { headers }) };
};
things.putFormats = async () => {
  count += 1;
  const mountedDirectory = join(project, `formats${count}`);
  mkdirSync(mountedDirectory);
  const body = { mountedDirectory, formats: 'none' };
  const { etag } = await send('PUT', '/v1/formats', { body, headers: { 'if-none-match': '*' } });
  return { etag, write: (headers) => send('PUT', '/v1/formats', { body, headers }) };
};
things.replaceSupplementary = async () => {
  const { place, etag } = await newList();
  const body = { ...place, items: [{ kind: 'file', path: join(project, 'a.md') }] };
  return { etag, write: (headers) => send('PUT', '/v1/supplementary', { body, headers }) };
};
things.clearSupplementary = async () => {
  const { query, etag } = await newList();
  return { etag, write: (headers) => send('DELETE', query, { headers }) };
};

/** What is sent for a thing of this version, and what must come back. */
const forms: [header: 'if-match' | 'if-none-match', value: (etag: string) => string, outcome: 'written' | 400 | 412][] =
  [
    ['if-match', () => '*', 'written'],
    ['if-match', () => ' * ', 'written'],
    ['if-match', (etag) => etag, 'written'],
    ['if-match', (etag) => `"other", ${etag}`, 'written'],
    ['if-match', (etag) => `,${etag} ,\t"a,b",`, 'written'],
    ['if-match', () => '"other"', 412],
    ['if-match', () => '""', 412],
    ['if-match', () => '"a", "b,c"', 412],
    ['if-match', (etag) => `W/${etag}`, 412],
    ['if-match', (etag) => `W/"other", ${etag}`, 'written'],
    ['if-match', (etag) => etag.replaceAll('"', ''), 400],
    ['if-match', (etag) => etag.slice(1), 400],
    ['if-match', (etag) => etag.slice(0, -1), 400],
    ['if-match', (etag) => `w/${etag}`, 400],
    ['if-match', (etag) => `*, ${etag}`, 400],
    ['if-match', (etag) => `${etag} "other"`, 400],
    ['if-match', () => '"a b"', 400],
    ['if-match', () => ',', 400],
    ['if-match', () => `"${'x'.repeat(1023)}"`, 400],
    ['if-none-match', () => '*', 412],
    ['if-none-match', (etag) => etag, 412],
    ['if-none-match', (etag) => `W/${etag}`, 412],
    ['if-none-match', (etag) => `"other", ${etag}`, 412],
    ['if-none-match', () => '"other"', 'written'],
    ['if-none-match', () => 'other', 400],
  ];

describe.each(Object.keys(things))('%s', (operation) => {
  it('AN-05 takes every form of both headers as all operations do', async () => {
    const found: unknown[] = [];
    const wanted: unknown[] = [];
    const note = (sent: Headers, { status, body }: Answer, outcome: 'written' | 400 | 412): void => {
      const isWritten = status >= 200 && status < 300;
      const problem = body as { code?: string; errors?: { pointer: string }[] };
      found.push([sent, isWritten ? 'written' : status, problem?.errors?.[0]?.pointer ?? problem?.code]);
      const said = outcome === 412 ? 'version_mismatch' : `/${Object.keys(sent)[0]}`;
      wanted.push([sent, outcome, outcome === 'written' ? found.at(-1)?.[2 as never] : said]);
    };
    for (const [header, value, outcome] of forms) {
      // It asks for the one version that was seen.
      if (operation === 'deletePolicy' && header === 'if-none-match' && outcome !== 400) continue;
      const thing = await (things[operation] as () => Promise<Thing>)();
      const sent = { [header]: value(thing.etag) };
      note(sent, await thing.write(sent), outcome);
    }
    for (const [wantedTag, unwantedTag, outcome] of [
      ['present', '"other"', 'written'],
      ['present', '*', 412],
      ['"other"', '"another"', 412],
      ['*', 'present', 412],
    ] as const) {
      const thing = await (things[operation] as () => Promise<Thing>)();
      const named = (tag: string) => (tag === 'present' ? thing.etag : tag);
      const sent = { 'if-match': named(wantedTag), 'if-none-match': named(unwantedTag) };
      note(sent, await thing.write(sent), outcome);
    }
    expect(found).toEqual(wanted);
  });
});

describe('what is new', () => {
  it('AN-05 answers 201 for a new policy and agent, 200 for a changed one, 412 where there is none to match', async () => {
    const mountedDirectory = join(project, 'new');
    mkdirSync(mountedDirectory);
    const policy = { mountedDirectory, aiContextPolicy: 'allow', exclude: [] };
    for (const [path, body] of [
      ['/v1/policy', policy],
      ['/v1/agents/new', { name: 'N' }],
    ] as const) {
      const put = (headers: Headers) => send('PUT', path, { body, headers });
      expect((await put({ 'if-match': '*' })).status, path).toBe(412);
      expect((await put({ 'if-match': '"x"' })).status, path).toBe(412);
      const created = await put({ 'if-none-match': '*' });
      expect(created.status, path).toBe(201);
      expect((await put({ 'if-none-match': '*' })).status, path).toBe(412);
      expect((await put({ 'if-match': created.etag })).status, path).toBe(200);
    }
  });

  it('AP-09 a policy is written and removed only by who says which version was seen', async () => {
    const { place, query } = await newPolicy();
    const none = await send('PUT', '/v1/policy', { body: { ...place, aiContextPolicy: 'block', exclude: [] } });
    expect(none).toMatchObject({ status: 400, body: { code: 'invalid_request', errors: [{ pointer: '/if-match' }] } });
    for (const headers of [{}, { 'if-none-match': '"other"' }]) {
      const { status, body } = await send('DELETE', query, { headers: headers as Headers });
      expect(status).toBe(400);
      // What would help writing does not help here.
      expect(JSON.stringify(body)).not.toContain('If-None-Match');
    }
  });
});

describe('an answer of resolve', () => {
  it('AN-10 is not sent again to who has it, and is sent as soon as it is another', async () => {
    const mountedDirectory = join(project, 'seen');
    const path = join(mountedDirectory, '.context/rule.md');
    mkdirSync(join(mountedDirectory, '.context'), { recursive: true });
    writeFileSync(path, '---\ntrigger: always\n---\nFirst.\n');
    const ask = (headers: Headers = {}) => send('POST', '/v1/context/resolve', { body: { mountedDirectory }, headers });
    const first = await ask();
    expect(first).toMatchObject({ status: 200, body: { files: [{ content: 'First.\n' }] } });
    expect(first.etag).toMatch(/^"[\w-]{27}"$/u);
    expect(await ask({ 'if-none-match': first.etag })).toMatchObject({ status: 304, etag: first.etag });
    expect(await ask({ 'if-none-match': `"other", W/${first.etag}` })).toMatchObject({ status: 304 });
    expect(await ask({ 'if-none-match': '"other"' })).toMatchObject({ status: 200, etag: first.etag });
    writeFileSync(path, '---\ntrigger: always\n---\nOther.\n');
    const second = await ask({ 'if-none-match': first.etag });
    expect(second).toMatchObject({ status: 200, body: { files: [{ content: 'Other.\n' }] } });
    expect(second.etag).not.toBe(first.etag);
    expect(await ask({ 'if-none-match': 'no tag' })).toMatchObject({ status: 400 });
  });
});
