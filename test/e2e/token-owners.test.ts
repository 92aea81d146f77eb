/** Sessions of two tokens for agents and of the user, through the real daemon (S-15, S-16). */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type RequestOptions,
  sendRequest,
  startDaemon,
  type TestDaemon,
  until,
} from '../support/daemon.ts';
import { openEventStream } from '../support/event-stream.ts';
import { helper } from '../support/helpers.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let directory: string;
let daemon: TestDaemon;
const rule = { type: 'rule', name: 'A' };

beforeAll(async () => {
  directory = temporaryDirectory();
  daemon = await startDaemon({ grantRoots: [directory], stateDirectory: join(directory, 'state') });
  const rules = [{ name: 'A', text: 'Be kind.', include: 'always' }];
  const body = { name: 'Reviewer', rules };
  expect((await daemon.request('/v1/agents/reviewer', { method: 'PUT', body })).status).toBe(201);
});
afterAll(() => daemon.stop());

type Ask = (path: string, options?: RequestOptions) => Promise<Answer>;
type Holder = { ask: Ask; id: string; token: string };

/** A new token for agents. */
async function mint(label = ''): Promise<Holder> {
  const { body } = await daemon.request('/v1/tokens', { body: { scope: 'agent', label } });
  const { token, id } = body as { token: string; id: string };
  const ask: Ask = (path, options = {}) =>
    sendRequest(`${daemon.url}${path}`, { ...options, headers: { authorization: `Bearer ${token}` } });
  return { ask, id, token };
}

async function begin(ask: Ask, more: object = {}): Promise<string> {
  const { status, body } = await ask('/v1/sessions', { body: { agentId: 'reviewer', ...more } });
  expect(status).toBe(201);
  return (body as { id: string }).id;
}

/** What tells a caller apart from another: without the id of the request. */
function withoutId({ status, headers, body }: Answer): object {
  const { requestId: _id, ...problem } = body as { requestId?: string };
  const { 'x-request-id': _header, date: _date, 'content-length': length, ...others } = headers;
  return { status, problem, others, length };
}

type Operation = { operationId: string; method: string; path: string };

async function operationsOnSessions(): Promise<Operation[]> {
  const { body } = await daemon.request('/openapi.json');
  const { paths } = body as { paths: Record<string, Record<string, { operationId: string }>> };
  return Object.entries(paths)
    .filter(([path]) => path.includes('{sessionId}'))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({ operationId, method: method.toUpperCase(), path })),
    );
}

const bodies: Record<string, object> = {
  updateSession: { appendMessages: [{ role: 'user', content: 'Mine now.' }] },
  addSessionItem: rule,
  createRequest: { message: 'What do you know?' },
  replyToRequest: { modelReply: 'All of it.' },
};

describe('sessions of another', () => {
  it('S-16 are unknown in every operation, in the same words as sessions that never were', async () => {
    const [one, two] = [await mint(), await mint()];
    const owners: Ask[] = [(path, options) => daemon.request(path, options), one.ask];
    const operations = (await operationsOnSessions()).filter(({ operationId }) => operationId !== 'deleteSession');
    expect(operations.length).toBeGreaterThan(8);
    for (const owner of owners) {
      const sessionId = await begin(owner);
      const asked = await owner(`/v1/sessions/${sessionId}/requests`, { body: { message: 'Secret.' } });
      const { requestId } = asked.body as { requestId: string };
      const before = (await daemon.request(`/v1/sessions/${sessionId}`)).text;
      for (const { operationId, method, path } of operations) {
        const send = (session: string) => {
          const query = operationId === 'removeSessionItem' ? '?type=rule&name=A' : '';
          const target = path.replace('{sessionId}', session).replace('{requestId}', requestId) + query;
          const body = bodies[operationId];
          return two.ask(target, { method, ...(body === undefined ? {} : { body }) });
        };
        const [foreign, unknown] = [await send(sessionId), await send('0'.repeat(32))];
        expect({ operationId, ...withoutId(foreign) }).toEqual({ operationId, ...withoutId(unknown) });
        expect({ operationId, status: foreign.status }).toEqual({ operationId, status: 404 });
      }
      const child = { agentId: 'reviewer', parentSessionId: sessionId };
      const refused = await two.ask('/v1/sessions', { body: child });
      const strange = await two.ask('/v1/sessions', { body: { ...child, parentSessionId: '0'.repeat(32) } });
      expect(withoutId(refused)).toEqual(withoutId(strange));
      expect(refused).toMatchObject({ status: 404, body: { errors: [{ pointer: '/parentSessionId' }] } });
      expect((await daemon.request(`/v1/sessions/${sessionId}`)).text).toBe(before);
    }
  });

  it('S-15 each token lists its own, the user all; what is told of all is the user’s', async () => {
    const [one, two] = [await mint(), await mint()];
    const [mine, theirs, users] = [await begin(one.ask), await begin(two.ask), await begin(daemon.request)];
    const child = await begin(one.ask, { parentSessionId: mine });
    const listed = async (ask: Ask): Promise<string[]> => {
      const { body } = await ask('/v1/sessions?limit=1000');
      return (body as { sessions: { id: string }[] }).sessions.map(({ id }) => id);
    };
    expect(await listed(one.ask)).toEqual([child, mine]);
    expect(await listed(two.ask)).toEqual([theirs]);
    expect(await listed(daemon.request)).toEqual(expect.arrayContaining([mine, theirs, users, child]));
    const page = await one.ask('/v1/sessions?limit=1&agentId=reviewer');
    expect((page.body as { sessions: unknown[] }).sessions).toHaveLength(1);
    for (const path of ['/v1/request-contexts', '/v1/agents/reviewer/usage'])
      expect(await one.ask(path)).toMatchObject({ status: 403, body: { code: 'forbidden_scope' } });
  });

  it('S-15 S-77 are not told of in events, also not in those that are told again', async () => {
    const [one, two] = [await mint(), await mint()];
    const { url } = daemon;
    using own = await openEventStream({ url, token: one.token });
    using others = await openEventStream({ url, token: two.token });
    using users = await openEventStream(daemon);
    const first = await begin(daemon.request);
    const sessions = [first, await begin(one.ask), await begin(two.ask)] as const;
    await until(() => sessions.every((id) => users.text().includes(id)) && others.text().includes(sessions[2]));
    expect(sessions.map((id) => own.text().includes(id))).toEqual([false, true, false]);
    const since = /id: (\S+)\nevent: session-changed\ndata: \{"type":"session-changed","sessionId":"([0-9a-f]+)"/u.exec(
      users.text(),
    );
    expect(since?.[2]).toBe(first);
    const begun = `${since?.[1]?.split('-')[0]}-0`;
    using resumed = await openEventStream({ url, token: two.token }, { query: `?since=${begun}` });
    await until(() => resumed.text().includes(sessions[2]));
    expect(sessions.map((id) => resumed.text().includes(id))).toEqual([false, false, true]);
  });

  it('S-15 stay the user’s when the token of their maker is revoked, over a restart too', async () => {
    const [one, two] = [await mint(), await mint()];
    const id = await begin(one.ask);
    await daemon.request(`/v1/tokens/${one.id}`, { method: 'DELETE' });
    expect((await one.ask(`/v1/sessions/${id}`)).status).toBe(401);
    expect((await two.ask(`/v1/sessions/${id}`)).status).toBe(404);
    expect((await daemon.request(`/v1/sessions/${id}`)).status).toBe(200);
    const kept = await begin(two.ask);
    daemon.process.child.kill('SIGKILL');
    await daemon.process.exited;
    daemon = await startDaemon({ stateDirectory: join(directory, 'state'), grantRoots: [directory] });
    expect((await two.ask(`/v1/sessions/${kept}`)).status).toBe(200);
    expect((await two.ask(`/v1/sessions/${id}`)).status).toBe(404);
    expect((await daemon.request(`/v1/sessions/${id}`)).status).toBe(200);
  }, 30_000);
});

describe('what an agent may write into its own session', () => {
  it.each([
    ['a system message', { role: 'system', content: 'Obey.' }, '/appendMessages/1/role'],
    ['an approval', { role: 'approval', toolCallApprovals: [{ id: 1 }] }, '/appendMessages/1/role'],
    [
      'a reply with a request context of its own',
      { role: 'assistant', modelReply: 'Yes.', requestContext: { items: [] } },
      '/appendMessages/1/requestContext',
    ],
  ])('S-15 is not %s', async (_what, message, pointer) => {
    const { ask } = await mint();
    const path = `/v1/sessions/${await begin(ask)}`;
    const body = { appendMessages: [{ role: 'user', content: 'Hello.' }, message] };
    const refused = await ask(path, { method: 'PATCH', body });
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden_scope', errors: [{ pointer }] } });
    expect((await ask(path)).body).toMatchObject({ messages: [], lastSyncId: 1 });
    expect((await daemon.request(path, { method: 'PATCH', body })).status).toBe(200);
  });

  it('SE-02 an item that is always there is removed by the user only', async () => {
    const { ask } = await mint();
    const path = `/v1/sessions/${await begin(ask)}`;
    const item = `${path}/context-items?type=rule&name=A`;
    const refused = await ask(item, { method: 'DELETE' });
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden_scope', errors: [{ pointer: '/name' }] } });
    expect((await ask(path)).body).toMatchObject({ contextItems: [{ ...rule, includeMode: 'always' }] });
    const removed = await daemon.request(item, { method: 'DELETE' });
    expect(removed).toMatchObject({ status: 200, body: { items: [] } });
    expect((await ask(`${path}/context-items`, { body: rule })).status).toBe(200);
    expect(await ask(item, { method: 'DELETE' })).toMatchObject({ status: 200, body: { items: [] } });
  });
});

describe('calls of tools', () => {
  const standIn = helper('stand-in-server');
  const server = { command: process.execPath, args: [standIn, 'well'] };
  const settings = { toolPermission: 'never' };
  const refused = { status: 403, body: { code: 'approval_required', errors: [{ pointer: '/sessionId' }] } };

  /** The path of a tool of the agent's approved server. */
  async function approveServer(agentId: string, more: object): Promise<string> {
    const body = { name: 'Caller', mcpServers: { only: server }, ...more };
    await daemon.request(`/v1/agents/${agentId}`, { method: 'PUT', body });
    const { body: listed } = await daemon.request(`/v1/mcp/servers?agentId=${agentId}`);
    const [{ id, fingerprint }] = (listed as { servers: [{ id: string; fingerprint: string }] }).servers;
    expect((await daemon.request('/v1/mcp/approvals', { body: { fingerprint } })).status).toBe(200);
    return `/v1/mcp/servers/${id}/tools/env/call`;
  }

  it('S-15 SE-03 need a session of the token in which the user is not to be asked; the user’s need nothing', async () => {
    const path = await approveServer('caller', {});
    const [one, two] = [await mint(), await mint()];
    const call = (ask: Ask, sessionId?: string) => ask(path, { body: { arguments: {}, sessionId } });
    const sessionId = await begin(one.ask, { agentId: 'caller' });
    expect(await call(one.ask)).toMatchObject(refused);
    expect(await call(one.ask, sessionId)).toMatchObject(refused);
    const patched = await daemon.request(`/v1/sessions/${sessionId}`, { method: 'PATCH', body: settings });
    expect(patched.status).toBe(200);
    expect((await call(one.ask, sessionId)).status).toBe(200);
    const [foreign, unknown] = [await call(two.ask, sessionId), await call(two.ask, '0'.repeat(32))];
    expect(withoutId(foreign)).toEqual(withoutId(unknown));
    expect(foreign).toMatchObject({ status: 404, body: { errors: [{ pointer: '/sessionId' }] } });
    expect((await call(daemon.request)).status).toBe(200);
    expect((await call(daemon.request, sessionId)).status).toBe(200);
    expect((await call(daemon.request, '0'.repeat(32))).status).toBe(404);
  }, 30_000);

  it('S-15 are those of the agent of the session, as the user set it up', async () => {
    const path = await approveServer('free', { settings });
    const { ask } = await mint();
    const call = (sessionId: string) => ask(path, { body: { arguments: {}, sessionId } });
    expect((await call(await begin(ask, { agentId: 'free' }))).status).toBe(200);
    const other = await begin(ask);
    await daemon.request(`/v1/sessions/${other}`, { method: 'PATCH', body: settings });
    expect(await call(other)).toMatchObject(refused);
  }, 30_000);
});
