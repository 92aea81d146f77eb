/** Sessions of the real daemon: many clients at once, and the command line (SE-01 … SE-05, S-67, S-82). */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RebuiltRequest, RequestReceipt } from '../../src/session/request.ts';
import type { Session, SessionChanges, SessionItems, SessionSummary } from '../../src/session/session.ts';
import { type RequestOptions, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const clients = 50;
const appends = 200;

let directory: string;
let daemon: TestDaemon;
const start = () => startDaemon({ grantRoots: [directory], stateDirectory: join(directory, 'state') });

beforeAll(async () => {
  directory = temporaryDirectory();
  mkdirSync(join(directory, 'project/.context/docs'), { recursive: true });
  mkdirSync(join(directory, 'project/src'));
  writeFileSync(join(directory, 'project/src/a.ts'), '');
  const write = (path: string, content: string) => writeFileSync(join(directory, 'project/.context', path), content);
  write('plain.md', '---\ntrigger: always\n---\nWrite plainly.\n');
  write('style.md', '---\ntrigger: auto\nglobs: "**/*.ts"\n---\nUse tabs.\n');
  write('errors.md', '---\ntrigger: agent\ndescription: How errors are handled\n---\nWrap errors.\n');
  write('docs/glossary.md', 'A cart is what a customer has not paid yet.\n');
  daemon = await start();
  const agent = { name: 'Reviewer', mountedDirectory: join(directory, 'project'), systemPrompt: 'You review.' };
  const { status } = await daemon.request('/v1/agents/reviewer', { method: 'PUT', body: agent });
  expect(status).toBe(201);
});
afterAll(() => daemon.stop());

async function createSession(): Promise<Session> {
  const { status, body } = await daemon.request('/v1/sessions', { body: { agentId: 'reviewer' } });
  expect(status).toBe(201);
  return body as Session;
}

/** A client with a connection of its own, kept open. */
function createClient() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const send = (method: string, path: string, { body, headers }: Omit<RequestOptions, 'method'>) =>
    new Promise<{ status: number; body: unknown }>((resolve, reject) => {
      const authorization = `Bearer ${daemon.token}`;
      const options = { method, agent, headers: { authorization, 'content-type': 'application/json', ...headers } };
      httpRequest(`${daemon.url}${path}`, options)
        .on('error', reject)
        .on('response', (response) => {
          text(response).then((json) => resolve({ status: response.statusCode ?? 0, body: JSON.parse(json) }), reject);
        })
        .end(JSON.stringify(body));
    });
  return { send, close: () => agent.destroy() };
}

async function allChanges(id: string): Promise<SessionChanges['changes']> {
  const changes: SessionChanges['changes'] = [];
  for (let next: number | undefined = 1; next !== undefined; ) {
    const { body } = await daemon.request(`/v1/sessions/${id}/changes?since=${next}`);
    const page = body as SessionChanges;
    changes.push(...page.changes);
    next = page.next;
  }
  return changes;
}

describe('many clients', () => {
  it(`S-67 ${clients} of them append ${appends} messages each to one session: all are there, without a gap`, async () => {
    const { id } = await createSession();
    const numbers: number[] = [];
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const { send, close } = createClient();
        for (let index = 0; index < appends; index += 1) {
          const appendMessages = [{ role: 'user', content: `${client}: ${index}` }];
          const { status, body } = await send('PATCH', `/v1/sessions/${id}`, { body: { appendMessages } });
          expect(status).toBe(200);
          numbers.push((body as SessionSummary).lastSyncId);
        }
        close();
      }),
    );
    const expected = Array.from({ length: clients * appends }, (_, index) => index + 2);
    expect(numbers.toSorted((a, b) => a - b)).toEqual(expected);
    const changes = await allChanges(id);
    expect(changes.map(({ syncId }) => syncId)).toEqual(expected);
    const contents = changes.map((change) =>
      change.type === 'message' && 'content' in change.message ? String(change.message.content) : '',
    );
    expect(new Set(contents).size).toBe(clients * appends);
    for (let client = 0; client < clients; client += 1) {
      const own = contents.filter((content) => content.startsWith(`${client}: `));
      expect(own).toEqual(Array.from({ length: appends }, (_, index) => `${client}: ${index}`));
    }
  }, 120_000);

  it('S-67 of two that change the same version, one is told', async () => {
    const { id } = await createSession();
    const [one, two] = [createClient(), createClient()];
    for (let version = 1; version <= 20; version += 1) {
      const headers = { 'if-match': `"${version}"` };
      const answers = await Promise.all([
        one.send('PATCH', `/v1/sessions/${id}`, { body: { currentModelId: `one ${version}` }, headers }),
        two.send('PATCH', `/v1/sessions/${id}`, { body: { currentModelId: `two ${version}` }, headers }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
      const { body } = await daemon.request(`/v1/sessions/${id}`);
      const winner = answers.find(({ status }) => status === 200)?.body as SessionSummary;
      expect(body).toMatchObject({ currentModelId: winner.currentModelId, lastSyncId: version + 1 });
    }
    one.close();
    two.close();
  });
});

describe('over HTTP', () => {
  it('SE-05 ETag is the version; If-Match is taken as it is written there', async () => {
    const { id } = await createSession();
    const { headers } = await daemon.request(`/v1/sessions/${id}`);
    expect(headers.etag).toBe('"1"');
    const path = `/v1/sessions/${id}`;
    const patch = (ifMatch: string) =>
      daemon.request(path, { method: 'PATCH', body: { topP: Math.random() }, headers: { 'if-match': ifMatch } });
    expect((await patch(String(headers.etag))).headers.etag).toBe('"2"');
    expect((await patch('"1"')).status).toBe(412);
    expect((await patch('*')).status).toBe(200);
    for (const header of ['abc', '"3', '3"', '3']) {
      const { status, body } = await patch(header);
      expect({ header, status, body }).toMatchObject({ status: 400, body: { errors: [{ pointer: '/if-match' }] } });
    }
  });

  it('SE-02 removes an item that is named by the query, or by the body, not by both', async () => {
    const { id } = await createSession();
    const path = `/v1/sessions/${id}/context-items`;
    const plain = { type: 'rule', name: 'plain' };
    const remove = (query: string, body?: object) => {
      // Node sends the body of a DELETE with nothing that says where it ends, unless it is told.
      const headers = body && { 'content-length': String(Buffer.byteLength(JSON.stringify(body))) };
      return daemon.request(`${path}${query}`, { method: 'DELETE', body, ...(headers && { headers }) });
    };
    const query = '?type=rule&name=plain';
    expect((await remove(query)).body).toMatchObject({ items: [], lastSyncId: 2 });
    await daemon.request(path, { body: plain });
    expect((await remove('', plain)).body).toMatchObject({ items: [], lastSyncId: 4 });
    for (const refused of [await remove(query, plain), await remove(''), await remove('?type=tool&name=x')])
      expect(refused.status).toBe(400);
  });

  it('RQ-06 streams the export as JSON Lines', async () => {
    const { id } = await createSession();
    await daemon.request(`/v1/sessions/${id}/requests`, { body: { message: 'one\ntwo' } });
    const answer = await daemon.request('/v1/request-contexts?format=jsonl&agentId=reviewer');
    expect(answer.headers['content-type']).toBe('application/jsonl; charset=utf-8');
    const lines = answer.text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line)).at(-1)).toMatchObject({ sessionId: id, message: 'one\ntwo' });
    expect((await daemon.request('/v1/request-contexts?format=csv')).status).toBe(400);
  });

  it('SE-03 a session is as it was after a restart', async () => {
    const { id } = await createSession();
    await daemon.request(`/v1/sessions/${id}`, { method: 'PATCH', body: { temperature: 0.25, currentModelId: 'm' } });
    await daemon.request(`/v1/sessions/${id}/context-items`, { body: { type: 'reference', name: 'docs/glossary' } });
    const { body } = await daemon.request(`/v1/sessions/${id}/requests`, { body: { message: 'hello' } });
    const { requestId, messages } = body as RequestReceipt;
    const before = (await daemon.request(`/v1/sessions/${id}`)).body;
    await daemon.stop();
    daemon = await start();
    expect((await daemon.request(`/v1/sessions/${id}`)).body).toEqual(before);
    const rebuilt = await daemon.request(`/v1/sessions/${id}/requests/${requestId}`);
    expect(rebuilt.body).toMatchObject({ messages, changedItems: [] });
    writeFileSync(join(directory, 'project/.context/docs/glossary.md'), 'Changed.\n');
    const changed = await daemon.request(`/v1/sessions/${id}/requests/${requestId}`);
    expect(changed.body).toMatchObject({ messages, changedItems: [{ name: 'docs/glossary', change: 'changed' }] });
  });
});

describe('looking back', () => {
  it('RQ-04 gives what was sent after its files have changed, gone, and been blocked by a policy', async () => {
    const project = join(directory, 'lookback');
    mkdirSync(join(project, '.context'), { recursive: true });
    const write = (name: string, text: string) => writeFileSync(join(project, name), text);
    for (const name of ['one', 'two']) write(`.context/${name}.md`, `---\ntrigger: always\n---\nText of ${name}.\n`);
    const agent = { name: 'Lookback', mountedDirectory: project };
    await daemon.request('/v1/agents/lookback', { method: 'PUT', body: agent });
    const created = await daemon.request('/v1/sessions', { body: { agentId: 'lookback' } });
    const path = `/v1/sessions/${(created.body as Session).id}/requests`;
    const sent = (await daemon.request(path, { body: { message: 'a\r\nb \ud800 \u202e' } })).body as RequestReceipt;
    expect(sent.messages.map(({ content }) => content)).toEqual([
      'Rule: Text of one.\n',
      'Rule: Text of two.\n',
      'a\r\nb \ud800 \u202e',
    ]);
    const look = async () => {
      const { body } = await daemon.request(`${path}/${sent.requestId}`);
      const { messages, changedItems } = body as RebuiltRequest;
      expect(messages).toEqual(sent.messages);
      return changedItems.map(({ name, change }) => `${name} ${change}`);
    };
    expect(await look()).toEqual([]);
    write('.context/one.md', 'Other.\n');
    expect(await look()).toEqual(['one changed']);
    rmSync(join(project, '.context/one.md'));
    expect(await look()).toEqual(['one missing']);
    write('.ai-context-policy.yaml', 'ai_context_policy: block\n');
    expect(await look()).toEqual(['one missing', 'two missing']);
    const { omitted, messages } = (await daemon.request(path, { body: { message: 'c' } })).body as RequestReceipt;
    expect(omitted).toMatchObject([
      { name: 'one', reason: { code: 'missing' } },
      { name: 'two', reason: { code: 'missing', detail: expect.stringContaining('blocked by a policy') } },
    ]);
    expect(messages.map(({ content }) => content)).toEqual(['a\r\nb \ud800 \u202e', 'c']);
  });

  it('RQ-04 S-67 requests and replies that cross each other are each rebuilt as they were', async () => {
    const { id } = await createSession();
    const path = `/v1/sessions/${id}/requests`;
    const clients = Array.from({ length: 12 }, createClient);
    const receipts = await Promise.all(
      clients.map(async ({ send, close }, client) => {
        const { status, body } = await send('POST', path, { body: { message: `question ${client}` } });
        expect(status).toBe(201);
        const receipt = body as RequestReceipt;
        const replies = await Promise.all(
          [1, 2].map((modelReply) => daemon.request(`${path}/${receipt.requestId}/reply`, { body: { modelReply } })),
        );
        expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409]);
        close();
        return receipt;
      }),
    );
    for (const { requestId, messages } of receipts) {
      const { body } = await daemon.request(`${path}/${requestId}`);
      expect(body).toMatchObject({ messages, changedItems: [] });
    }
    const { messages, lastSyncId } = (await daemon.request(`/v1/sessions/${id}`)).body as Session;
    expect(messages.map(({ syncId }) => syncId)).toEqual(Array.from({ length: 24 }, (_, at) => at + 2));
    expect(lastSyncId).toBe(25);
    const other = await createSession();
    const foreign = `/v1/sessions/${other.id}/requests/${receipts[0]?.requestId}`;
    expect((await daemon.request(`${foreign}/reply`, { body: { modelReply: 1 } })).status).toBe(404);
    expect((await daemon.request(foreign)).status).toBe(404);
  });
});

describe('contextd sessions, contextd request', () => {
  const run = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await daemon.cli(args, { cwd: join(directory, 'project') });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };

  it('SY-04 SE-01 SE-02 begins a session, changes its items, shows and deletes it', async () => {
    // An earlier one, whatever ran before.
    await createSession();
    const { id } = JSON.parse(await run('sessions', 'create', 'reviewer', '--json')) as Session;
    expect(await run('sessions', 'add', id, 'reference', 'docs/glossary')).toBe(
      'Items 2\n  ● always  rule       plain\n  ○ manual  reference  docs/glossary\n',
    );
    const removed = JSON.parse(await run('sessions', 'remove', id, 'rule', 'plain', '--json')) as SessionItems;
    expect(removed.items.map(({ name }) => name)).toEqual(['docs/glossary']);
    expect(await run('sessions', 'list', '--agent', 'reviewer')).toMatch(new RegExp(`^${id}  reviewer · `, 'u'));
    expect(await run('sessions', 'show', id)).toContain('  ○ manual  reference  docs/glossary\n');
    const listed = JSON.parse(await run('sessions', 'list', '--json')) as { sessions: SessionSummary[] };
    const { body } = await daemon.request('/v1/sessions?limit=1');
    expect(listed.sessions.length).toBeGreaterThan(1);
    expect(listed.sessions.slice(0, 1)).toEqual((body as { sessions: SessionSummary[] }).sessions);
    const tool = (name: string) => daemon.cli(['sessions', 'add', id, 'tool', name]);
    expect(await tool('files/read')).toMatchObject({ code: 64, stderr: 'contextd: The agent has no such item.\n' });
    expect(await tool('read')).toMatchObject({ code: 64, stderr: 'contextd: name the server too: "<server>/read"\n' });
    const child = await run('sessions', 'create', 'reviewer', '--parent', id);
    expect(child).toContain(`parent    ${id}`);
    expect(await run('sessions', 'delete', id)).toBe(`The session ${id} is gone.\n`);
    const other = (await createSession()).id;
    const beginning = other.slice(0, [...other].findIndex((letter, at) => letter !== id[at]) + 4);
    expect((await daemon.cli(['sessions', 'show', beginning])).stdout).toContain(other);
    const gone = await daemon.cli(['sessions', 'show', id]);
    expect(gone).toMatchObject({ code: 64, stderr: 'contextd: There is no session with this id.\n' });
  });

  it('SY-04 RQ-03 prints the receipt: what went in, why, and what it costs', async () => {
    const { id } = await createSession();
    const question = 'How are errors handled?';
    const receipt = await run('request', id, question, '--file', 'src/a.ts', '--mention', 'docs/glossary');
    expect(receipt).toMatch(/^4 items, 6 messages, \d+ tokens\n/u);
    expect(receipt).toMatch(/ ● always +rule +plain +\d+\n/u);
    expect(receipt).toMatch(/ ○ manual +reference +docs\/glossary +\d+\n/u);
    expect(receipt).toMatch(/ ◐ auto +rule +style +\d+\n/u);
    expect(receipt).toMatch(/ ◇ agent +rule +errors +\d+ +0\.\d\d\n/u);
    const cut = await run('request', id, question, '--file', 'src/a.ts', '--budget', '1');
    expect(cut).toContain('Left out\n  rule errors: ');
    const { messages } = JSON.parse(await run('request', id, question, '--json')) as RequestReceipt;
    expect(messages.at(-1)).toEqual({ role: 'user', content: question });
    expect(await run('sessions', 'show', id)).toContain(`  user      ${question}\n`);
    await daemon.cli(['request', id, '-'], { input: 'And in\nthe tests?\n' });
    const { messages: all } = (await daemon.request(`/v1/sessions/${id}`)).body as Session;
    expect(all.at(-1)).toMatchObject({ role: 'user', content: 'And in\nthe tests?' });
  });

  it('SY-04 RQ-04 SE-03 changes settings, takes a reply, and shows past requests with what became of their items', async () => {
    const { id } = await createSession();
    const set = ['--model', 'small', '--temperature', '0', '--tool-permission', 'always', '--max-chat-turns', '3'];
    expect(await run('sessions', 'set', id, ...set)).toMatch(
      /model +small\n.*turns 3,.* temperature 0,.*\n.*asked before/u,
    );
    const unset = JSON.parse(await run('sessions', 'set', id, '--model', '', '--json')) as SessionSummary;
    expect(unset).toMatchObject({ temperature: 0, toolPermission: 'always', lastSyncId: 3 });
    expect(unset).not.toHaveProperty('currentModelId');
    for (const wrong of [[], ['--temperature', 'warm'], ['--temperature', '7'], ['--tool-permission', 'maybe']])
      expect(await daemon.cli(['sessions', 'set', id, ...wrong])).toMatchObject({ code: 64, stdout: '' });
    expect(await run('sessions', 'requests', id)).toContain('Nothing was asked yet.');

    const kept = join(directory, 'project/.context/kept.md');
    writeFileSync(kept, '---\ntrigger: manual\npriority: 7\ndescription: What is kept\n---\nKeep it.\n');
    const asked = await run('request', id, 'How are errors handled?', '--mention', 'kept', '--json');
    const { requestId } = JSON.parse(asked) as RequestReceipt;
    rmSync(kept);
    await run('request', id, 'And then?');
    const listed = (await run('sessions', 'requests', id)).split('\n');
    expect(listed[0]).toContain(' · no reply · And then?');
    expect(listed[1]).toMatch(new RegExp(`^${requestId}  .* · no reply · How are`, 'u'));
    expect(await run('sessions', 'requests', id, '--limit', '1')).not.toContain(requestId);
    const page = await run('sessions', 'context', id, requestId);
    expect(page).toMatch(/^How are errors handled\?\nasked .* · no reply yet · 3 items · 5 messages · \d+ tokens\n/u);
    expect(page).toMatch(/Rules 3\n +007 ○ manual +kept +What is kept\n +mentioned as kept\n +! missing since: /u);
    expect(page).toMatch(/ 500 ◇ agent +errors +0\.\d\d +How errors are handled\n/u);
    const path = `/v1/sessions/${id}/requests/${requestId}`;
    expect(JSON.parse(await run('sessions', 'context', id, requestId, '--json'))).toEqual(
      (await daemon.request(path)).body,
    );

    const piped = await daemon.cli(['sessions', 'reply', id, requestId], { input: 'They are\nwrapped.\n' });
    expect(piped).toMatchObject({ code: 0, stderr: '', stdout: 'The reply was added to the session.\n' });
    const twice = await daemon.cli(['sessions', 'reply', id, requestId, 'Again.']);
    expect(twice).toMatchObject({ code: 64, stderr: 'contextd: The request already has a reply.\n' });
    expect(await daemon.cli(['sessions', 'reply', id, requestId], { input: '\n' })).toMatchObject({ code: 64 });
    expect(await run('sessions', 'context', id, requestId)).toContain(' · replied · ');
    const { messages } = (await daemon.request(`/v1/sessions/${id}`)).body as Session;
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', modelReply: 'They are\nwrapped.', requestId });

    const changes = await run('sessions', 'changes', id);
    expect(changes).toMatch(
      /^ +2 .*settings +currentModelId small, .*\n +3 .*settings +currentModelId no longer set\n +4 .*user +How/u,
    );
    expect(changes).toMatch(/\n +6 .* assistant +They are wrapped\.\n$/u);
    const since = JSON.parse(await run('sessions', 'changes', id, '--since', '4', '--json')) as SessionChanges;
    expect(since).toMatchObject({ lastSyncId: 6, changes: [{ syncId: 5 }, { syncId: 6 }] });
    expect(await run('sessions', 'changes', id, '--since', '6')).toBe('Nothing happened since.\n');
    expect(await daemon.cli(['sessions', 'changes', id, '--since', '99'])).toMatchObject({ code: 64 });
  });
});
