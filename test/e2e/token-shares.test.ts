/** One token for agents takes all it can get; the user and another token go on, through the real daemon (S-15, S-75, S-77). */
import { Agent, get, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type RequestOptions, sendRequest, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let directory: string;
let daemon: TestDaemon;

beforeAll(async () => {
  directory = temporaryDirectory();
  daemon = await startDaemon({ grantRoots: [directory], args: ['--agent-quota', '2'] });
  const body = { name: 'Reviewer', rules: [{ name: 'A', text: 'Be kind.', include: 'always' }] };
  expect((await daemon.request('/v1/agents/reviewer', { method: 'PUT', body })).status).toBe(201);
});
afterAll(() => daemon.stop());

/** The answer that is not of a machine with too much to do at the moment. */
async function served(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await delay(200);
  }
}

type Use = { sessions: number; storedBytes: number; connections: number; streams: number };
type Figures = { most: Use; held: { id: string; label: string; use: Use }[] };

async function mint(label: string) {
  const { body } = await served(() => daemon.request('/v1/tokens', { body: { scope: 'agent', label } }));
  const { token, id } = body as { token: string; id: string };
  const headers = { authorization: `Bearer ${token}` };
  const ask = (path: string, options: RequestOptions = {}): Promise<Answer> =>
    served(() => sendRequest(`${daemon.url}${path}`, { ...options, headers }));
  return { ask, id, token, headers };
}
type Holder = Awaited<ReturnType<typeof mint>>;

async function figures(ask: (path: string) => Promise<Answer>): Promise<Figures> {
  return ((await ask('/v1/status')).body as { tokens: Figures }).tokens;
}

/** A stream of events; `ended` once the daemon ended it. */
function listen({ headers }: Holder): { status: Promise<number>; ended: Promise<void>; end(): void } {
  const status = Promise.withResolvers<number>();
  const ended = Promise.withResolvers<void>();
  const request = get(`${daemon.url}/v1/events`, { headers, agent: false });
  const fail = () => {
    status.resolve(0);
    ended.resolve();
  };
  request.on('error', fail).on('response', (response: IncomingMessage) => {
    status.resolve(response.statusCode ?? 0);
    response.on('error', () => {}).on('close', ended.resolve);
    response.resume();
  });
  return { status: status.promise, ended: ended.promise, end: () => request.destroy() };
}

/** A connection that says this and then nothing. */
async function hold(text: string): Promise<Socket> {
  const socket = connect(daemon.port, '127.0.0.1');
  socket.on('error', () => {}).resume();
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  if (text !== '') socket.write(text);
  return socket;
}

/** What the user must always be able to ask, each on a connection of its own. */
async function expectUserServed(): Promise<void> {
  for (const [method, path] of [
    ['GET', '/v1/status'],
    ['GET', '/v1/tokens'],
    ['GET', '/health'],
  ] as const) {
    const { status } = await daemon.request(path, { method });
    expect({ path, status }).toEqual({ path, status: 200 });
  }
}

describe('connections and streams', () => {
  it('S-75 S-77 S-15 all that one token can take leaves the user served, and ends at once when it is revoked', async () => {
    const [greedy, modest] = [await mint('greedy'), await mint('modest')];
    const streams = Array.from({ length: 300 }, () => listen(greedy));
    const statuses = await Promise.all(streams.map(({ status }) => status));
    const { most, held } = await figures(daemon.request);
    expect(statuses.filter((status) => status === 200)).toHaveLength(most.streams);
    expect(statuses.filter((status) => status === 429 || status === 503)).toHaveLength(300 - most.streams);
    expect(held.find(({ id }) => id === greedy.id)?.use).toMatchObject({ streams: most.streams });

    // Its other connections, and some that never say whose they are: three times as many as there may be.
    const start = `POST /v1/context/resolve HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nContent-Type: application/json\r\n`;
    const dripping = `${start}Authorization: Bearer ${greedy.token}\r\nContent-Length: 100\r\n\r\n{`;
    const sockets: Socket[] = [];
    for (let at = 0; at < 3_000; at += 100)
      sockets.push(...(await Promise.all(Array.from({ length: 100 }, (_, n) => hold(n % 2 === 0 ? '' : dripping)))));
    await expectUserServed();
    const { held: now } = await figures(daemon.request);
    const use = now.find(({ id }) => id === greedy.id)?.use;
    // The user was served beside all that, and not once it had ended.
    expect(use?.streams).toBe(most.streams);
    expect(use?.connections).toBeLessThanOrEqual(most.connections);
    expect((await modest.ask('/v1/sessions', { body: { agentId: 'reviewer' } })).status).toBe(201);
    const own = listen(modest);
    expect(await own.status).toBe(200);
    // What the user waits for is not ended for the sake of others.
    const users = await served(() => daemon.request('/v1/sessions'));
    expect(users.status).toBe(200);

    const startedAt = performance.now();
    const revoked = await daemon.request(`/v1/tokens/${greedy.id}`, { method: 'DELETE' });
    expect(revoked.status).toBe(204);
    await Promise.all(streams.map(({ ended }) => ended));
    // By the end of the token, not at the next heartbeat.
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    expect((await greedy.ask('/v1/status')).status).toBe(401);
    const after = await figures(daemon.request);
    expect(after.held.map(({ label }) => label)).toEqual(['modest']);
    expect(after.held[0]?.use).toMatchObject({ sessions: 1, streams: 1 });
    own.end();
    for (const socket of sockets) socket.destroy();
  }, 60_000);

  it('S-15 a stream ends with its token, whoever else asked on the same connection meanwhile', async () => {
    const [streaming, other] = [await mint('streaming'), await mint('other')];
    const request = (path: string, { token }: Holder) =>
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const socket = await hold(request('/v1/events', streaming));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {}).resume();
    await delay(300);
    socket.write(request('/v1/status', other));
    await delay(300);
    expect((await daemon.request(`/v1/tokens/${streaming.id}`, { method: 'DELETE' })).status).toBe(204);
    await closed;
  });

  it('S-15 S-16 an MCP session is only its token’s, and ends with it', async () => {
    const [one, two] = [await mint('one'), await mint('two')];
    const message = (method: string, params: object, id: number) => ({ jsonrpc: '2.0', id, method, params });
    const clientInfo = { name: 'test', version: '0' };
    const initialize = message('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }, 1);
    const send = ({ token }: { token: string }, body: object, session?: string): Promise<Answer> =>
      served(() =>
        sendRequest(`${daemon.url}/mcp`, {
          body,
          headers: { authorization: `Bearer ${token}`, ...(session && { 'mcp-session-id': session }) },
        }),
      );
    const begun = await send(one, initialize);
    const session = String(begun.headers['mcp-session-id']);
    const list = message('tools/list', {}, 2);
    expect((await send(one, list, session)).status).toBe(200);
    const [foreign, unknown] = [await send(two, list, session), await send(two, list, '0'.repeat(32))];
    expect(foreign.status).toBe(404);
    expect({ ...(foreign.body as object), requestId: '' }).toEqual({ ...(unknown.body as object), requestId: '' });
    const headers = { ...one.headers, 'mcp-session-id': session, accept: 'text/event-stream' };
    const ended = Promise.withResolvers<void>();
    const stream = httpRequest(`${daemon.url}/mcp`, { headers, agent: new Agent() });
    stream
      .on('error', () => ended.resolve())
      .on('response', (response) => {
        response
          .on('error', () => {})
          .on('close', ended.resolve)
          .resume();
      });
    stream.end();
    await delay(200);
    await daemon.request(`/v1/tokens/${one.id}`, { method: 'DELETE' });
    await ended.promise;
    await daemon.request(`/v1/tokens/${two.id}`, { method: 'DELETE' });
  }, 20_000);
});

describe('what a token stores', () => {
  it('S-15 is bounded, counted and shown; the user and other tokens go on', async () => {
    const [greedy, modest] = [await mint('greedy'), await mint('modest')];
    const begin = async ({ ask }: Pick<Holder, 'ask'>) => {
      const { body } = await ask('/v1/sessions', { body: { agentId: 'reviewer' } });
      return (body as { id: string }).id;
    };
    const useOf = async ({ id }: Holder) => (await figures(daemon.request)).held.find((each) => each.id === id)?.use;
    const id = await begin(greedy);
    const body = { appendMessages: [{ role: 'user', content: 'x'.repeat(200_000) }] };
    const append = (ask: Holder['ask'], session: string) => ask(`/v1/sessions/${session}`, { method: 'PATCH', body });
    const statuses: number[] = [];
    for (let at = 0; at < 12; at += 1) statuses.push((await append(greedy.ask, id)).status);
    expect(statuses).toEqual([...Array(10).fill(200), 429, 429]);
    expect(await append(greedy.ask, id)).toMatchObject({ body: { code: 'limit_exceeded' } });
    const use = await useOf(greedy);
    expect(use).toMatchObject({ sessions: 1 });
    expect(use?.storedBytes).toBeGreaterThan(2_000_000);
    expect(use?.storedBytes).toBeLessThanOrEqual(2 * 1024 * 1024);
    const other = await begin(modest);
    expect((await append(modest.ask, other)).status).toBe(200);
    expect((await append(daemon.request, id)).status).toBe(200);
    // A token is told of itself only.
    expect((await figures(modest.ask)).held.map(({ label }) => label)).toEqual(['modest']);
    const listed = await daemon.cli(['token', 'list']);
    expect(listed.stdout).toMatch(/greedy.*1 session, 2\.\d MiB/u);
    expect((await daemon.cli(['status'])).stdout).toMatch(/greedy: 1 session, 2\.\d MiB of 2\.0 MiB/u);
    await daemon.request(`/v1/sessions/${id}`, { method: 'DELETE' });
    expect(await useOf(greedy)).toMatchObject({ sessions: 0, storedBytes: 0 });
    const again = await begin(greedy);
    expect((await append(greedy.ask, again)).status).toBe(200);
  }, 30_000);
});
