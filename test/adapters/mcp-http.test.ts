import { type ChildProcess, spawn } from 'node:child_process';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { objectionToAddress } from '../../src/adapters/mcp/address.ts';
import { createMcpLauncher } from '../../src/adapters/mcp/launcher.ts';
import type { McpFailure, McpLaunch } from '../../src/ports/mcp-launcher.ts';
import { until } from '../support/daemon.ts';
import { freePort, listenOnLoopback } from '../support/loopback.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const everything = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const directory = temporaryDirectory();
let ownPort = 1;
/** Each wait takes so long at most, in which a busy machine does what is waited for. */
const launcherOf = (ms: number) =>
  createMcpLauncher({
    stateDirectory: directory,
    client: { name: 'contextd-test', version: '0' },
    ownPort: () => ownPort,
    times: { initializeMs: ms, listMs: ms, callMs: ms, changeMs: 50 },
  });
const launcher = launcherOf(30_000);
/** For what never comes. */
const impatient = launcherOf(1_000);
const quiet = { onEnd() {}, onListChanged() {} };
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => Promise.all([launcher, impatient].map((each) => each.dispose())));

const remote = (url: string, transport: 'http' | 'sse' = 'http'): McpLaunch => ({
  transport,
  url,
  headers: { 'X-Canary': 'canary-of-the-header' },
});
const failureOf = (work: Promise<unknown>): Promise<McpFailure> =>
  work.then(
    () => expect.unreachable('it should have failed'),
    (error: { failure: McpFailure }) => error.failure,
  );

type Seen = { method: string; url: string; headers: NodeJS.Dict<string | string[]> };
/** A server on a free port that notes every request. */
async function serve(listener: RequestListener): Promise<{ url: string; port: number; seen: Seen[]; server: Server }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    listener(request, response);
  });
  const port = await listenOnLoopback(server);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/mcp`, port, seen, server };
}

async function startEverything(transport: 'streamableHttp' | 'sse'): Promise<{ port: number; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(process.execPath, [everything, transport], { env: { PORT: String(port) }, stdio: 'ignore' });
  closing.push(() => child.kill('SIGKILL'));
  await until(() =>
    fetch(`http://127.0.0.1:${port}/nothing`).then(
      () => true,
      () => false,
    ),
  );
  return { port, child };
}

describe('real servers over HTTP', () => {
  it.each([
    ['streamableHttp', 'http', '/mcp'],
    ['sse', 'sse', '/sse'],
  ] as const)(
    'MC-01 speaks with server-everything over %s, and notices when it goes',
    async (name, transport, path) => {
      const { port, child } = await startEverything(name);
      const ended = Promise.withResolvers<McpFailure>();
      const launch = remote(`http://127.0.0.1:${port}${path}`, transport);
      const connection = await launcher.connect(launch, { ...quiet, onEnd: ended.resolve });
      expect((await connection.listTools()).map((tool) => tool.name)).toContain('echo');
      expect((await connection.listPrompts()).length).toBeGreaterThan(0);
      const { content } = await connection.callTool('echo', { arguments: { message: 'hello' } });
      expect(content).toEqual([{ type: 'text', text: 'Echo: hello' }]);
      child.kill('SIGKILL');
      if (transport === 'http') {
        const failure = await failureOf(connection.callTool('echo', { arguments: { message: 'x' } }));
        expect(failure).toMatchObject({ code: 'unreachable' });
      }
      expect(await ended.promise).toMatchObject({ code: 'unreachable' });
    },
  );
});

describe('where a server may be', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://2852039166/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://[::ffff:169.254.169.254]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://0.0.0.0:1234/',
    'http://[::]:1234/',
    'http://255.255.255.255/',
    'http://100.100.100.200/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'http://user:word@127.0.0.1:9/',
    'no address',
  ])('S-27 refuses %s', async (url) => {
    for (const transport of ['http', 'sse'] as const)
      expect(await failureOf(launcher.connect(remote(url, transport), quiet))).toMatchObject({ code: 'refused' });
  });

  it('S-27 refuses the daemon itself, by any of its names', async () => {
    const { port, seen } = await serve((_, response) => response.end());
    ownPort = port;
    for (const host of ['127.0.0.1', 'localhost', '127.9.9.9', '[::1]', '[::ffff:127.0.0.1]', '2130706433'])
      expect(await failureOf(launcher.connect(remote(`http://${host}:${port}/mcp`), quiet))).toMatchObject({
        code: 'refused',
      });
    expect(seen).toEqual([]);
    ownPort = 1;
  });

  it('S-27 judges addresses, loopback and private ones being as good as any', () => {
    for (const address of [
      '127.0.0.1',
      '::1',
      '10.0.0.1',
      '192.168.1.5',
      '172.16.0.1',
      '8.8.8.8',
      'fd00::1',
      '2606:4700::1',
    ])
      expect(objectionToAddress(address, 80, 81)).toBeUndefined();
    for (const address of ['169.254.0.1', 'fe80::1%eth0', '::ffff:a9fe:a9fe', '0.1.2.3', 'ff02::1', '224.0.0.1'])
      expect(objectionToAddress(address, 80, 81)).toBeDefined();
    for (const address of ['fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe', 'fd00:42::42'])
      expect(objectionToAddress(address, 80, 81), address).toContain('metadata');
  });

  it('S-27 knows addresses of this machine however they are written', () => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const mapped = own.filter(({ family }) => family === 'IPv4').map(({ address }) => `[::ffff:${address}]`);
    const written = mapped.map((each) => new URL(`http://${each}/`).hostname.slice(1, -1));
    for (const address of [...own.map((each) => each.address), ...written])
      if (!/^fe80/iu.test(address)) expect(objectionToAddress(address, 80, 80)).toBe('That is the daemon itself.');
    expect(written).not.toEqual([]);
  });
});

describe('what a server may answer', () => {
  it.each(['http', 'sse'] as const)('S-27 follows no redirect over %s, and no header goes along', async (transport) => {
    const target = await serve((_, response) => response.end());
    for (const location of [target.url, 'http://169.254.169.254/', 'file:///etc/passwd', '/elsewhere', 'http://[']) {
      for (const status of [301, 302, 303, 307, 308]) {
        const { url, seen } = await serve((_, response) => response.writeHead(status, { location }).end());
        const failure = await failureOf(launcher.connect(remote(url, transport), quiet));
        expect(failure).toMatchObject({ code: 'refused', detail: expect.stringContaining('redirect') });
        expect(seen.every(({ headers }) => headers['x-canary'] === 'canary-of-the-header')).toBe(true);
      }
    }
    expect(target.seen).toEqual([]);
  });

  it('S-27 posts to no address that a server of the older kind hands out', async () => {
    const target = await serve((_, response) => response.end());
    const { url } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${target.url}\n\n`);
    });
    expect(await failureOf(launcher.connect(remote(url, 'sse'), quiet))).toMatchObject({ code: 'protocol' });
    expect(target.seen).toEqual([]);
  });

  it.each([401, 403])('says what to do about status %i, and opens nothing by itself', async (status) => {
    const target = await serve((_, response) => response.end());
    const { url, seen } = await serve((_, response) =>
      response.writeHead(status, { 'www-authenticate': `Bearer resource_metadata="${target.url}"` }).end(),
    );
    const failure = await failureOf(launcher.connect(remote(url), quiet));
    expect(failure).toMatchObject({ code: 'refused', detail: expect.stringContaining('"headers"') });
    expect(target.seen).toEqual([]);
    expect(seen).toHaveLength(1);
  });

  it('S-26 repeats no secret that a server repeats', async () => {
    const { url } = await serve((request, response) => {
      request.resume();
      const message = `${request.headers['x-canary']} and ${new URL(request.url ?? '', 'http://x').searchParams.get('key')}`;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code: -32000, message } }));
    });
    const { detail } = await failureOf(launcher.connect(remote(`${url}?key=canary-of-the-url`), quiet));
    expect(detail).toContain('*** and ***');
  });

  const bodies: [what: string, type: string, chunk: string, code: string][] = [
    ['JSON without end', 'application/json', 'x'.repeat(65_536), 'limit_exceeded'],
    ['JSON of 100,000 levels', 'application/json', '['.repeat(100_000), 'limit_exceeded'],
    ['an event without end', 'text/event-stream', 'x'.repeat(65_536), 'limit_exceeded'],
    [
      'events without end',
      'text/event-stream',
      'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n'.repeat(1_000),
      'timeout',
    ],
  ];
  it.for(bodies)('S-30 gives up on %s', async ([, type, chunk, code]) => {
    const { url } = await serve((request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      response.writeHead(200, { 'content-type': type });
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', write);
      write();
    });
    const { connect } = code === 'timeout' ? impatient : launcher;
    expect(await failureOf(connect(remote(url), quiet))).toMatchObject({ code });
  });

  it.each([
    ['its stream ends without a result', 200, { code: 'protocol', detail: 'It ended its answer without a result.' }],
    ['the server forbids it', 403, { code: 'rejected', detail: 'It answered with HTTP status 403.' }],
  ])('S-28 fails a call, and no other, at once when %s', async (_, status, expected) => {
    const { url } = await serve(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = (await json(request)) as { id?: number; method: string; params: { name: string } };
      if (id === undefined) return void response.writeHead(202).end();
      const handshake = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      const result = method === 'initialize' ? handshake : { content: [] };
      const isBad = params.name === 'bad';
      const challenge = isBad && status === 403 ? { 'www-authenticate': 'Bearer error="insufficient_scope"' } : {};
      response.writeHead(isBad ? status : 200, { 'content-type': 'text/event-stream', ...challenge });
      response.end(isBad ? ': working\n\n' : `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
    const onEnd = vi.fn();
    const connection = await launcher.connect(remote(url), { ...quiet, onEnd });
    expect(await failureOf(connection.callTool('bad', { arguments: {} }))).toEqual(expected);
    expect(await connection.callTool('whole', { arguments: {} })).toMatchObject({ content: [] });
    expect(onEnd).not.toHaveBeenCalled();
  });

  /** A server that begins a stream for each call, which a client may open again at once. `isRest`: it was opened again. */
  function serveStreams(onCall: (response: ServerResponse, isRest: boolean) => void) {
    return serve(async (request, response) => {
      const { id, method } =
        request.method === 'POST' ? ((await json(request)) as { id?: number; method: string }) : {};
      const isRest = 'last-event-id' in request.headers;
      if (method === undefined && !isRest) return void response.writeHead(405).end();
      if (method !== undefined && id === undefined) return void response.writeHead(202).end();
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const isAnswered = method === 'initialize';
      response.write(
        isAnswered ? `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n` : 'retry: 0\nid: 1\ndata:\n\n',
      );
      if (isAnswered) response.end();
      else onCall(response, isRest);
    });
  }

  it('S-28 asks at most twice a second for the rest of an answer, whatever the server says', async () => {
    const { url, seen } = await serveStreams((response) => response.end());
    const connection = await launcher.connect(remote(url), quiet);
    const caller = new AbortController();
    const begun = performance.now();
    const call = failureOf(connection.callTool('x', { arguments: {}, signal: caller.signal }));
    await until(() => seen.filter(({ headers }) => 'last-event-id' in headers).length === 3);
    expect(performance.now() - begun).toBeGreaterThan(1_400);
    caller.abort();
    expect(await call).toMatchObject({ code: 'cancelled' });
    await connection.close();
  });

  it.each(['of the call', 'that continues it'])(
    'S-28 ends the stream %s when nobody waits for it any more',
    async (which) => {
      const isWaiting = Promise.withResolvers<void>();
      const hasEnded = Promise.withResolvers<void>();
      const { url } = await serveStreams((response, isRest) => {
        if (which === 'that continues it' && !isRest) {
          response.end();
          return;
        }
        response.on('close', hasEnded.resolve);
        isWaiting.resolve();
      });
      const onEnd = vi.fn();
      const connection = await launcher.connect(remote(url), { ...quiet, onEnd });
      const caller = new AbortController();
      const call = failureOf(connection.callTool('x', { arguments: {}, signal: caller.signal }));
      await isWaiting.promise;
      caller.abort();
      expect(await call).toMatchObject({ code: 'cancelled' });
      await hasEnded.promise;
      expect(onEnd).not.toHaveBeenCalled();
    },
  );

  it.each([
    ['has no stream for notifications, and answers with 404 to that', 0],
    ['forgot the session, when that stream is opened again', 1],
  ])('MC-03 sees whether a server %s', async (_, streams) => {
    const { url, seen } = await serve(async (request, response) => {
      const gets = seen.filter(({ method }) => method === 'GET').length;
      if (request.method !== 'POST' && gets > streams) return void response.writeHead(404).end();
      response.setHeader('content-type', 'text/event-stream');
      if (request.method !== 'POST') return void response.end('retry: 0\n\n');
      const { id, method } = (await json(request)) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      const handshake = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      const result = method === 'initialize' ? handshake : { content: [] };
      response.setHeader('mcp-session-id', 'a');
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    });
    const onEnd = vi.fn();
    const connection = await launcher.connect(remote(url), { ...quiet, onEnd });
    await until(() => seen.filter(({ method }) => method === 'GET').length > streams);
    if (streams > 0) await until(() => onEnd.mock.calls.length === 1);
    else expect(await connection.callTool('x', { arguments: {} })).toMatchObject({ content: [] });
  });

  const answerMs = 1_000;
  /** A server of the newest revision, and a launcher that opens its streams of changes again at once. */
  async function followNewest(onListen: (response: ServerResponse) => void, listenMs = 50) {
    const { url } = await serve(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = (await json(request)) as { id?: number | string; method: string };
      const answerWith = (message: object) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...message }));
      };
      if (method === 'initialize')
        return answerWith({ error: { code: -32_022, message: 'x', data: { supported: ['2026-07-28'] } } });
      const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
      const capabilities = { tools: { listChanged: true } };
      if (method === 'server/discover')
        return answerWith({ result: { ...complete, supportedVersions: ['2026-07-28'], capabilities } });
      if (method !== 'subscriptions/listen') return void response.writeHead(202).end();
      const params = {
        _meta: { 'io.modelcontextprotocol/subscriptionId': id },
        notifications: { toolsListChanged: true },
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const told = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
      response.write(`data: ${JSON.stringify(told)}\n\n`);
      onListen(response);
    });
    const eager = createMcpLauncher({
      stateDirectory: directory,
      client: { name: 'contextd-test', version: '0' },
      times: { answerMs, listenMs },
    });
    closing.push(() => eager.dispose());
    const [onListChanged, onEnd] = [vi.fn(), vi.fn()];
    const connection = await eager.connect(remote(url), { onListChanged, onEnd });
    return { connection, onListChanged, onEnd };
  }

  it('MC-04 S-27 follows the lists of a server of the newest revision for as long as it runs', async () => {
    const listens: ServerResponse[] = [];
    const { connection, onListChanged, onEnd } = await followNewest((response) => listens.push(response));
    await until(() => listens.length === 1);
    await delay(1.5 * answerMs);
    expect(listens[0]?.destroyed).toBe(false);
    // A proxy ends streams after a while.
    listens[0]?.end();
    await until(() => listens.length === 2 && onListChanged.mock.calls.length === 1);
    listens[1]?.destroy();
    await until(() => listens.length === 3 && onListChanged.mock.calls.length === 2);
    await connection.close();
    await until(() => listens[2]?.destroyed === true);
    expect(onEnd).not.toHaveBeenCalled();
  });

  it('MC-04 S-27 waits longer and longer for a server that ends each stream of changes at once', async () => {
    const begun: number[] = [];
    const { connection } = await followNewest((response) => {
      begun.push(performance.now());
      response.end();
    });
    await until(() => begun.length === 4);
    await connection.close();
    const [first = 0, , , fourth = 0] = begun;
    expect(fourth - first).toBeGreaterThan(250);
  });

  it('MC-04 S-27 soon opens again what has lasted, however often the server ended it at once before', async () => {
    const begun: number[] = [];
    // Long, as also a busy machine must end a stream sooner.
    const listenMs = 500;
    const { connection } = await followNewest(async (response) => {
      begun.push(performance.now());
      if (begun.length === 3) await delay(1.2 * listenMs);
      response.end();
    }, listenMs);
    await until(() => begun.length === 4);
    await connection.close();
    const [, second = 0, third = 0, fourth = 0] = begun;
    // After two that ended at once it has waited four times as long as after what has lasted.
    expect(fourth - third).toBeLessThan(third - second);
  });

  const noSession = { jsonrpc: '2.0', error: { code: -32_000, message: 'Bad Request: No valid session ID provided' } };
  it.each([
    [404, ''],
    [400, JSON.stringify(noSession)],
  ])('MC-03 says which calls a server that forgot the session has not begun: %i %s', async (status, said) => {
    const ended = Promise.withResolvers<McpFailure>();
    const { url } = await serve(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = (await json(request)) as { id?: number; method: string; params: { name: string } };
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'tools/call') {
        if (params.name === 'late') return;
        if (params.name === 'soon') await ended.promise;
        return void response.writeHead(status).end(said);
      }
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
      response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'a' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    const onEnd = vi.fn(ended.resolve);
    const connection = await launcher.connect(remote(url), { ...quiet, onEnd });
    const [begun, soon, now] = ['late', 'soon', 'now'].map((name) =>
      failureOf(connection.callTool(name, { arguments: {} })),
    );
    const lost = { code: 'unreachable', detail: 'It no longer knows the session.' };
    for (const failure of [now, soon]) expect(await failure).toEqual({ ...lost, isUnprocessed: true });
    expect(await begun).toEqual(lost);
    expect(onEnd).toHaveBeenCalledExactlyOnceWith({ ...lost, isUnprocessed: true });
  });

  it('S-28 gives up on silence', async () => {
    const { url } = await serve(() => {});
    expect(await failureOf(impatient.connect(remote(url), quiet))).toMatchObject({ code: 'timeout' });
  });

  it.each(['http', 'sse'] as const)('says when nobody is there, over %s', async (transport) => {
    const port = await freePort();
    const failure = await failureOf(launcher.connect(remote(`http://127.0.0.1:${port}/`, transport), quiet));
    expect(failure).toMatchObject({ code: 'unreachable', detail: expect.stringContaining('ECONNREFUSED') });
  });
});
