/**
 * Figure 2 of docs/threats.md: of generated requests none is answered 5xx or holds the event loop for more than 200 ms, and
 * every refusal is a problem. They are injected in process, behind the guard; others, whose bytes are odd too, go over
 * sockets. What exactly is answered to odd bytes is in server.test.ts.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleAgent } from '../../openapi/examples-agents.ts';
import { exampleSession } from '../../openapi/examples-sessions.ts';
import { Problem } from '../../routes/http/problem.ts';
import { GrantedRoots } from '../../routes/roots.ts';
import { Status } from '../../routes/status.ts';
import { Health, Stopping } from '../../routes/system.ts';
import { GrantedRoot } from '../../src/access/roots.ts';
import { ConvertResult } from '../../src/context/convert/convert-request.ts';
import { ExplainResult } from '../../src/context/explain-result.ts';
import { ResolveResult } from '../../src/context/resolve-result.ts';
import { ValidateResult } from '../../src/validation/diagnostic.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { sized } from '../support/test-size.ts';
import { contextFile, createWorkspace } from '../support/workspace.ts';
import { requests, takersOf, text } from './support/generated-requests.ts';
import { createListeningApp, createTestApp, operationsOf, type TestApp } from './support/listening-app.ts';
import { type OddBytes, oddBytes, piecesOf, sendToTheEnd, wholeAnswers } from './support/odd-bytes.ts';
import { headerOf, openRawConnection, type RawAnswer, type RawConnection, requestText } from './support/raw-http.ts';

/** More runs and other seeds for a longer search; what fails prints its seed. */
const runs = Number(process.env.FUZZ_RUNS ?? sized(12_000, 1_000_000, 2_500));
const seed = Number(process.env.FUZZ_SEED ?? 20_260_105);
const overSockets = sized(1_000, 100_000, 700);

/** The longest that a request may hold the event loop: the time of the processor, in milliseconds. */
const maxTurnMs = 200;

/** A busy machine makes the event loop late, and then 503 is right; that is for overload.test.ts. */
const limits = { lateMs: Number.POSITIVE_INFINITY };

let test: TestApp;
beforeAll(async () => {
  test = await createTestApp({ limits });
});
afterAll(() => test.app.close());

const answers: Record<string, { parse(value: unknown): unknown }> = {
  '/health': Health,
  '/v1/status': Status,
  '/v1/shutdown': Stopping,
  '/v1/context/resolve': ResolveResult,
  '/v1/context/explain': ExplainResult,
  '/v1/context/convert': ConvertResult,
  '/v1/config/validate': ValidateResult,
  'GET /v1/roots': GrantedRoots,
  'POST /v1/roots': GrantedRoot,
};

/**
 * Each request gets a turn of the event loop, as from a socket. Without, answers follow one another in microtasks only, and
 * all that is released in the next turn is kept: 30 kB for each request that has no body.
 */
async function inject(app: FastifyInstance, request: InjectOptions) {
  const answer = await app.inject(request);
  await nextTurn();
  return answer;
}

/**
 * Puts the ids of a session and of a request in it into the addresses of requests. Now and then they are made anew, with the
 * root and the agent of the examples: generated requests change and remove them all, and a session that grew for ever would
 * become slow.
 */
function createExampleIds(app: FastifyInstance): (url: string) => Promise<string> {
  let asked = 0;
  let ids = { session: '', request: '' };
  const make = async (url: string, payload: object) => (await inject(app, { method: 'POST', url, payload })).json();
  return async (url) => {
    asked += 1;
    if (asked % 250 === 1) {
      await inject(app, { method: 'DELETE', url: `/v1/sessions/${ids.session}` });
      await inject(app, { method: 'POST', url: '/v1/roots', payload: { path: '~/project' } });
      await inject(app, { method: 'PUT', url: exampleAgent.path, payload: exampleAgent.body });
      const { id } = await make('/v1/sessions', exampleSession.body);
      const { requestId } = await make(`/v1/sessions/${id}/requests`, exampleSession.request);
      ids = { session: id, request: requestId };
    }
    return url.replace(exampleSession.id, ids.session).replace(exampleSession.requestId, ids.request);
  };
}

/**
 * `tookMs` is of the processor, which a busy machine makes no longer. Code that is loaded and memory that is collected meanwhile
 * may; so a request that took long is sent again, alone.
 */
async function expectNoStall(request: unknown, again: () => Promise<unknown>): Promise<void> {
  const longest = await longestTurnMs(again);
  expect(longest, `a stall by ${JSON.stringify(request).slice(0, 1_000)}`).toBeLessThanOrEqual(maxTurnMs);
}

// Made once: making a schema takes longer than parsing by it.
const WholeProblem = Problem.strict();
const problemType = 'application/problem+json; charset=utf-8';

/**
 * What is wrong with an MCP message is told as JSON-RPC; everything else is refused by a problem. What is right is compared
 * without `expect`, which takes longer than the answer.
 */
function expectRefusal(path: string, answer: { status: number; contentType: unknown; body: string }): void {
  const { status, contentType, body } = answer;
  if (path === '/mcp' && contentType === 'application/json') {
    expect(JSON.parse(body)).toMatchObject({ jsonrpc: '2.0', error: {} });
    return;
  }
  if (contentType !== problemType) expect(contentType).toBe(problemType);
  const problem = WholeProblem.parse(JSON.parse(body));
  if (problem.status !== status) expect(problem.status).toBe(status);
}

/** How often each status was seen, and how each operation that takes a body fared: the generator must get past validation. */
type Seen = {
  statuses: Map<number, number>;
  /** Requests that came as far as `resolve` of the stand-in for the engine. */
  resolved: number;
  takers: { operationId: string; sent: number; valid: number; done: number }[];
};

/** Sends generated requests and judges the answers. */
async function fuzz(app: FastifyInstance, numRuns: number): Promise<Seen> {
  const statuses = new Map<number, number>();
  let resolved = 0;
  const takers = new Map(
    takersOf(app).map(({ operationId, method, url }) => [
      `${method} ${url}`,
      { operationId, sent: 0, valid: 0, done: 0 },
    ]),
  );
  const withIds = createExampleIds(app);
  await fc.assert(
    fc.asyncProperty(requests(app), async (generated) => {
      const request = { ...generated, url: await withIds(String(generated.url)) };
      const before = process.threadCpuUsage();
      const answer = await inject(app, request);
      const { user, system } = process.threadCpuUsage(before);
      if ((user + system) / 1_000 > maxTurnMs) await expectNoStall(request, () => inject(app, request));
      const { statusCode } = answer;
      statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      // All of them, with what they were asked, would fill the memory.
      for (const { verb } of test.engine.calls.splice(0)) if (verb === 'resolve') resolved += 1;
      const taker = takers.get(`${generated.method} ${generated.url}`);
      if (taker !== undefined) {
        taker.sent += 1;
        if (![400, 413, 415].includes(statusCode)) taker.valid += 1;
        if (statusCode < 300) taker.done += 1;
      }
      if (statusCode >= 500) expect(statusCode).toBeLessThan(500);
      if (request.method === 'HEAD') return;
      const path = request.url.split('?')[0] ?? '';
      if (statusCode >= 400) {
        expectRefusal(path, { status: statusCode, contentType: answer.headers['content-type'], body: answer.body });
        return;
      }
      const schema = answers[`${request.method} ${path}`] ?? answers[path];
      if (schema !== undefined && ![204, 304].includes(statusCode)) schema.parse(answer.json());
    }),
    { numRuns, seed },
  );
  expect(({} as Record<string, unknown>).a).toBeUndefined();
  for (const { operationId, sent, valid } of takers.values())
    expect(valid, `${operationId} of ${sent} that were not refused as invalid`).toBeGreaterThanOrEqual(
      Math.floor(sent / 20),
    );
  return { statuses, resolved, takers: [...takers.values()] };
}

const timeout = 120_000 + runs * 3;

it(`S-66 answers ${runs} generated requests without a 5xx or a stall, and refuses by problems only`, {
  timeout,
}, async () => {
  const { statuses, resolved, takers } = await fuzz(test.app, runs);
  for (const status of [200, 201, 202, 204, 400, 404, 405, 415])
    expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(5);
  expect(resolved).toBeGreaterThan(runs / 50);
  // The fake engine knows no MCP server.
  const undone = ['approveMcpServer', 'callMcpTool', 'readMcpResource', 'getMcpPrompt'];
  expect(takers.filter(({ done }) => done === 0).map(({ operationId }) => operationId)).toEqual(undone);
});

it('S-66 S-34 answers generated requests without a 5xx on a real workspace too', { timeout }, async () => {
  const { engine } = await createWorkspace({
    '/p/.context/a.md': contextFile({ trigger: 'always' }),
    '/p/a/.context/context-config.json': '{"clientContext":{"includeFiles":["../**"]}}',
    '/p/a/b/c.ts': 'export {};\n',
    '~/project/.context/b.md': contextFile({ trigger: 'auto', globs: '**/*.ts' }),
    '~/project/src/button.ts': 'export {};\n',
  });
  // A stream that ends at once, since nobody would end it.
  const { subscribe } = test.engine;
  const real = await createTestApp({ limits, engine: { ...engine, subscribe } });
  const { statuses } = await fuzz(real.app, Math.max(runs / 10, 625));
  for (const status of [200, 201, 204, 400, 404])
    expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(5);
  await real.app.close();
});

it(`S-66 S-76 answers ${overSockets} generated requests over sockets, and odd bytes, without a 5xx or a stall`, {
  timeout: 60_000 + overSockets * 10,
}, async () => {
  const patient = { requestTimeoutMs: 300_000, headersTimeoutMs: 300_000, keepAliveTimeoutMs: 300_000 };
  const listening = await createListeningApp({ limits: { ...limits, ...patient } });
  const { app, port } = listening;
  const lanes: (RawConnection | undefined)[] = Array.from({ length: 8 });
  const statuses = new Map<number, number>();
  let unanswered = 0;
  const withIds = createExampleIds(app);

  function judge({ method, target }: OddBytes, answer: RawAnswer): void {
    const { status, body } = answer;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (!(status >= 200 && status < 500)) expect.fail(`${method} ${target} is answered ${status}`);
    if (status >= 400 && method !== 'HEAD')
      expectRefusal(target.split('?')[0] ?? '', { status, contentType: headerOf(answer, 'content-type'), body });
  }

  /** Where an answer does not say that the connection ends, the next request is sent on it. */
  async function exchange(lane: number, odd: OddBytes): Promise<void> {
    const pieces = piecesOf(odd);
    if (odd.kind === 'broken') {
      const answers = wholeAnswers(await sendToTheEnd(port, pieces));
      for (const answer of answers) judge(odd, answer);
      if (answers.length === 0) unanswered += 1;
      return;
    }
    const connection = (odd.kind === 'whole' ? lanes[lane] : undefined) ?? (await openRawConnection(port));
    if (odd.kind === 'whole') lanes[lane] = connection;
    const last = pieces.pop() as string;
    for (const piece of pieces) {
      connection.write(piece);
      await nextTurn();
    }
    const answer = await connection.exchange(last, odd.method === 'HEAD');
    judge(odd, answer);
    if (headerOf(answer, 'connection') === 'close') {
      expect(await connection.closed(), `after the answer to ${JSON.stringify(odd)}`).toEqual([]);
      if (odd.kind === 'whole') lanes[lane] = undefined;
    } else if (odd.kind === 'odd') connection.destroy();
  }

  const batch = fc.array(oddBytes(app, port), { minLength: lanes.length, maxLength: lanes.length });
  await fc.assert(
    fc.asyncProperty(batch, async (generated) => {
      const sent: OddBytes[] = [];
      for (const odd of generated) sent.push({ ...odd, bytes: await withIds(odd.bytes) });
      const tookMs = await longestTurnMs(() => Promise.all(sent.map((odd, lane) => exchange(lane, odd))));
      if (tookMs <= maxTurnMs) return;
      for (const [lane, odd] of sent.entries()) await expectNoStall(odd, () => exchange(lane, odd));
    }),
    // Not made smaller: what fails names its request, and each attempt at a stall is one more.
    { numRuns: Math.ceil(overSockets / lanes.length), seed, endOnFailure: true },
  );
  for (const status of [200, 201, 202, 204, 400, 401, 403, 404, 405, 415])
    expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(5);
  // One that is whole by chance may be closed before it is answered.
  expect(unanswered).toBeLessThan(overSockets / 100);
  const last = await openRawConnection(port);
  const health = requestText({ method: 'GET', target: '/health', headers: [['Host', `127.0.0.1:${port}`]] });
  expect((await last.exchange(health)).status).toBe(200);
  for (const connection of [...lanes, last]) connection?.destroy();
  await app.close();
});

const readingVerbs =
  /^(?:resolve|listRoots|listTokens|exportState|index\.status|mcp\.(?:list|tools|resources|prompts)|agents\.(?:list|get|export|items)|sessions\.(?:list|get|changes|listRequests|getRequest|usage|exportRequests))$/u;

it('S-05 changes nothing by GET or HEAD, whatever the query says', { timeout }, async () => {
  // After the requests of the other tests there is so much to list that it would take long.
  const { app, engine, shutdowns } = await createTestApp({ limits });
  const withIds = createExampleIds(app);
  const paths: string[] = [];
  for (const { method, target } of operationsOf(app))
    if (method === 'GET') paths.push(await withIds(target.split('?', 1)[0] as string));
  const key = fc.constantFrom('command', 'args', 'env', 'cwd', 'url', 'path');
  engine.calls.length = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET' as const, 'HEAD' as const),
      fc.constantFrom(...paths),
      fc.dictionary(key, text, { minKeys: 1, maxKeys: 3 }),
      async (method, path, entries) => {
        const { statusCode } = await inject(app, { method, url: `${path}?${new URLSearchParams(entries)}` });
        // The stream of events has no HEAD; there is no server or token that an id of an example could name.
        if (![200, 400, 404, 405].includes(statusCode)) expect.fail(`${method} ${path} is answered ${statusCode}`);
      },
    ),
    { numRuns: runs / 5, seed },
  );
  expect(engine.calls.filter(({ verb }) => !readingVerbs.test(verb))).toEqual([]);
  expect(shutdowns()).toBe(0);
  await app.close();
});
