/** `/mcp` under hostile input and load (MC-05, S-66, S-77); what it offers is proven in test/e2e/mcp-server.test.ts. */
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMcpEndpoint, type McpEndpoint } from '../../routes/mcp-endpoint.ts';
import { type ContextVerbs, verbsOfEngine } from '../../src/mcp-server/verbs.ts';
import { theUser } from '../../src/ports/caller.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { sized } from '../support/test-size.ts';
import { contextFile, createWorkspace } from '../support/workspace.ts';
import { createTestApp, type TestApp } from './support/listening-app.ts';

const messages = sized(1_000, 3_000, 600);
const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};
const modernHeaders = (method: string, name?: unknown): Record<string, string> => ({
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': method,
  ...(typeof name === 'string' && /^\w+$/u.test(name) && { 'mcp-name': name }),
});
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const createEngine = async () =>
  (
    await createWorkspace(
      { '/p/.context/a.md': contextFile({ trigger: 'always' }, 'Text.\n') },
      { grantedRoots: ['/p'] },
    )
  ).engine;

describe('hostile input', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await createTestApp({ engine: await createEngine() });
  });
  afterEach(() => test.app.close());
  const send = (payload: unknown, headers: Record<string, string> = {}) =>
    test.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });

  it(`S-66 MC-05 answers ${messages} generated messages without a 5xx, and no call with a protocol error`, {
    timeout: 60_000,
  }, async () => {
    const methods = [
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/read',
      'resources/subscribe',
      'prompts/list',
      'prompts/get',
      'initialize',
      'ping',
      'server/discover',
      'completion/complete',
      'notifications/cancelled',
      '__proto__',
    ];
    const odd = fc.oneof(
      fc.constantFrom(
        '',
        '/p',
        '~',
        'file:///p/.context/a.md',
        'file://',
        '\ud800',
        'a\0b',
        '__proto__',
        'constructor',
      ),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const tool = fc.constantFrom(
      'resolve_context',
      'explain_context',
      'retrieve_context',
      'search_context',
      'check_policy',
      'toString',
    );
    const field = fc.constantFrom(
      'mountedDirectory',
      'files',
      'paths',
      'query',
      'path',
      'budget',
      'agentId',
      'mentions',
      'openTabs',
      'activeDocument',
      '__proto__',
    );
    const params = fc.oneof(
      odd,
      fc.record({ name: tool, arguments: fc.oneof(fc.dictionary(field, odd), odd) }),
      fc.record({ uri: odd, cursor: odd, name: odd }, { requiredKeys: [] }),
    );
    const anything = fc.record({ method: fc.constantFrom(...methods), params });
    const toolCall = fc.record({
      method: fc.constant('tools/call'),
      params: fc.record({ name: tool, arguments: fc.dictionary(field, odd) }),
    });
    const message = fc
      .tuple(fc.oneof(anything, toolCall), fc.oneof(fc.nat(), odd))
      .map(([sent, id]) => ({ jsonrpc: '2.0', id, ...sent }));
    const headers = fc.constantFrom<Record<string, string>[]>(
      {},
      { 'mcp-session-id': 'x' },
      { accept: 'text/html' },
      { 'mcp-protocol-version': '1' },
      { 'mcp-protocol-version': '2026-07-28' },
    );
    let calls = 0;
    await fc.assert(
      fc.asyncProperty(message, headers, fc.boolean(), async (sent, sentHeaders, isModern) => {
        const withEnvelope = { ...sent, params: { ...(sent.params as object), _meta: envelope } };
        const answer = await send(
          isModern ? withEnvelope : sent,
          isModern ? modernHeaders(sent.method, (sent.params as { name?: unknown } | null)?.name) : sentHeaders,
        );
        if (answer.statusCode >= 500) expect.fail(answer.body);
        // What these say of wrong parameters is the SDK's.
        if (!['initialize', 'ping'].includes(sent.method) && answer.body.includes('"code":-32603'))
          expect.fail(answer.body);
        if (answer.body.includes('"isError":true')) calls += 1;
      }),
      { numRuns: messages, seed: 20_260_105 },
    );
    expect(calls).toBeGreaterThan(20);
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });

  it('S-66 MC-05 refuses what is no message, deep JSON and too much of it by a problem', async () => {
    for (const payload of [
      '{}',
      '[]',
      '1',
      '"x"',
      '{"jsonrpc":"1.0"}',
      '{',
      JSON.stringify(Array(65).fill(initialize)),
    ])
      expect((await send(payload)).json(), payload).toMatchObject({ status: 400, code: 'invalid_request' });
    const deep = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect((await send(deep)).json()).toMatchObject({ status: 400, code: 'invalid_request' });
    expect((await send(`{"jsonrpc":"2.0","method":"${'a'.repeat(1024 * 1024)}"}`)).statusCode).toBe(413);
    expect((await send(initialize, { 'content-type': 'text/plain' })).statusCode).toBe(415);
    expect(
      (await send({ jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': 'a'.repeat(32) })).statusCode,
    ).toBe(404);
    const answer = await test.app.inject({ method: 'POST', url: '/mcp?mountedDirectory=&x=1', payload: initialize });
    expect(answer.json().errors.map(({ pointer }: { pointer: string }) => pointer)).toContain('/x');
  });

  it('MC-05 serves clients that hold no session, and those that do not say what they accept', async () => {
    const answer = await test.app.inject({
      method: 'POST',
      url: '/mcp?mountedDirectory=%2Fp',
      payload: { jsonrpc: '2.0', id: 7, method: 'resources/list' },
    });
    expect(answer.statusCode).toBe(200);
    expect(answer.body).toContain('file:///p/.context/a.md');
  });
});

describe('bounds', () => {
  let endpoint: McpEndpoint;
  let subscribers = 0;
  let listening: { url: string; close(): Promise<void> };
  const limits = { sessions: 3, streams: 6, idleMs: 1_000_000 };
  beforeEach(async () => {
    const verbs = verbsOfEngine(await createEngine(), () => {});
    const counted: ContextVerbs = {
      ...verbs,
      subscribe(deliver) {
        subscribers += 1;
        const subscription = verbs.subscribe(deliver);
        return {
          close() {
            subscribers -= 1;
            subscription.close();
          },
        };
      },
    };
    endpoint = createMcpEndpoint({ verbs: counted, version: '0', onError() {}, limits });
    const server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const body = text === '' ? undefined : JSON.parse(text);
      const refusal = await endpoint.refusal({ caller: theUser, request, body });
      if (refusal !== undefined) response.writeHead(refusal.code === 'unavailable' ? 503 : 404).end();
      else await endpoint.handle({ caller: theUser, request, response, body, mountedDirectories: ['/p'] });
    });
    const port = await listenOnLoopback(server);
    listening = {
      url: `http://127.0.0.1:${port}/mcp`,
      async close() {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      },
    };
  });
  afterEach(async () => {
    await endpoint.close();
    await listening.close();
    expect(subscribers).toBe(0);
  });

  /** The answer as soon as it begins. */
  async function open(method: string, headers: Record<string, string>, body?: unknown): Promise<IncomingMessage> {
    const all = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers };
    const request = httpRequest(listening.url, { method, headers: all, agent: false });
    request.on('error', () => {});
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => {});
    return response;
  }
  async function begin(): Promise<string> {
    const response = await open('POST', {}, initialize);
    response.resume();
    await once(response, 'end');
    return String(response.headers['mcp-session-id']);
  }
  const stream = (id: string) => open('GET', { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' });

  it('S-77 MC-05 S-16 keeps a bounded number of sessions, and lets the one go that was unused for longest', async () => {
    const ids = [];
    for (let session = 0; session < 5; session += 1) ids.push(await begin());
    expect(new Set(ids).size).toBe(5);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/u);
    expect(endpoint.sessions).toBe(3);
    expect((await stream(ids[0] as string)).statusCode).toBe(404);
    expect((await stream(ids[4] as string)).statusCode).toBe(200);
  });

  it('S-77 MC-05 refuses a session where all have a stream, and streams beyond their number', async () => {
    const ids = [await begin(), await begin(), await begin()];
    const streams = await Promise.all(ids.map(stream));
    expect(streams.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await open('POST', {}, initialize)).statusCode).toBe(503);
    const listen = {
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta: envelope, notifications: { resourcesListChanged: true } },
    };
    const statuses = [];
    for (let each = 0; each < 4; each += 1)
      statuses.push((await open('POST', modernHeaders('subscriptions/listen'), { ...listen, id: each })).statusCode);
    expect(statuses).toEqual([200, 200, 200, 503]);
  });

  it('S-77 MC-05 forgets clients that vanish', async () => {
    for (let client = 0; client < 40; client += 1) {
      const response = await stream(await begin());
      expect(response.statusCode).toBe(200);
      response.destroy();
      await once(response, 'close');
      await expect
        .poll(() =>
          endpoint.refusal({ caller: theUser, request: { headers: {} } as IncomingMessage, body: initialize }),
        )
        .toBeUndefined();
    }
    expect(endpoint.sessions).toBeLessThanOrEqual(3);
    expect(subscribers).toBe(1);
  });
});
