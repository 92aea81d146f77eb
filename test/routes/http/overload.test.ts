/** What cannot be worked on soon is refused at once, and nothing else is (SY-05, S-84). */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createEventLoopWatch } from '../../../routes/http/event-loop.ts';
import { Problem } from '../../../routes/http/problem.ts';
import { digestToken } from '../../../src/tokens/access-tokens.ts';
import { createListeningApp, createLogSink, type ListeningApp, operationsOf, token } from '../support/listening-app.ts';
import { openRawConnection, requestText } from '../support/raw-http.ts';

type App = ListeningApp;

let test: App | undefined;
afterEach(async () => {
  await test?.app.close();
  test = undefined;
});

const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const body = '{"mountedDirectory":"/p"}';
const resolve = ({ url }: App, more: RequestInit = {}) =>
  fetch(`${url}/v1/context/resolve`, { method: 'POST', headers, body, ...more });

/** The event loop gets no turn meanwhile. Nothing is worked on either: the time of the processor is for others. */
function holdTurn(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

async function expectShed(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/u);
  expect(Problem.parse(await response.json())).toMatchObject({ code: 'unavailable' });
}

/** `resolve` waits; `begun` counts the calls, `go` lets all of them go on. */
function holdResolve({ engine }: App) {
  const held = Promise.withResolvers<void>();
  const { resolve: original } = engine;
  let begun = 0;
  Object.assign(engine, {
    resolve: async (request: Parameters<typeof original>[0]) => {
      begun += 1;
      await held.promise;
      return original(request);
    },
  });
  return { begun: () => begun, go: held.resolve };
}

describe('too many requests of one kind', () => {
  it('SY-05 wait for their turn where all can be answered in time', async () => {
    test = await createListeningApp({ limits: { underWay: 2, waitMs: 30_000 } });
    const held = holdResolve(test);
    const all = Array.from({ length: 40 }, () => resolve(test as App));
    await expect.poll(held.begun, { timeout: 20_000 }).toBe(2);
    held.go();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
  });

  it('SY-05 are refused at once where they cannot, by how long others took', async () => {
    test = await createListeningApp({ limits: { underWay: 1, waitMs: 1_000 } });
    const { engine } = test;
    const { resolve: original } = engine;
    const slowly = async (request: Parameters<typeof original>[0]) => {
      await new Promise((done) => setTimeout(done, 250));
      return original(request);
    };
    Object.assign(engine, { resolve: slowly });
    await resolve(test);
    const answers = await Promise.all(Array.from({ length: 20 }, () => resolve(test as App)));
    const good = answers.filter(({ status }) => status === 200).length;
    expect(good).toBeGreaterThanOrEqual(2);
    expect(good).toBeLessThan(15);
    const refused = answers.find(({ status }) => status !== 200);
    await expectShed(refused as Response);
  });

  it('SY-05 wait again once others are quick again, however long they took before', async () => {
    test = await createListeningApp({ limits: { underWay: 2, waitMs: 300 } });
    const { engine } = test;
    const { resolve: original } = engine;
    let ms = 700;
    const slowly = async (request: Parameters<typeof original>[0]) => {
      await new Promise((done) => setTimeout(done, ms));
      return original(request);
    };
    Object.assign(engine, { resolve: slowly });
    const ask = (count: number) => Promise.all(Array.from({ length: count }, () => resolve(test as App)));
    expect((await ask(3)).map(({ status }) => status).sort()).toEqual([200, 200, 503]);
    ms = 5;
    for (let round = 0; round < 3; round += 1)
      expect((await ask(4)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('SY-05 are not begun for clients that are gone before their turn', async () => {
    test = await createListeningApp({ limits: { underWay: 1 } });
    const held = holdResolve(test);
    const first = resolve(test);
    await expect.poll(held.begun).toBe(1);
    const ending = new AbortController();
    const gone = resolve(test, { signal: ending.signal }).catch(() => 'gone');
    const inFlight = async () =>
      (await (await fetch(`${test?.url}/v1/status`, { headers })).json()) as { requests: { inFlight: number } };
    await expect.poll(async () => (await inFlight()).requests.inFlight).toBe(3);
    ending.abort();
    expect(await gone).toBe('gone');
    await expect.poll(async () => (await inFlight()).requests.inFlight).toBe(2);
    held.go();
    expect((await first).status).toBe(200);
    expect(held.begun()).toBe(1);
  });

  it('SY-05 are refused with 503 until others are done; other operations go on', async () => {
    test = await createListeningApp({ limits: { underWay: 2, waitMs: 50 } });
    const held = holdResolve(test);
    const first = [resolve(test), resolve(test)];
    await expect.poll(held.begun).toBe(2);
    await expectShed(await resolve(test));
    expect((await fetch(`${test.url}/v1/roots`, { headers })).status).toBe(200);
    held.go();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200]);
    expect((await resolve(test)).status).toBe(200);
    const status = await (await fetch(`${test.url}/v1/status`, { headers })).json();
    expect(status).toMatchObject({ requests: { shed: 1, failed: 0, succeeded: 4 } });
  });

  it('SY-05 count until their work is done, also when their clients are gone', async () => {
    test = await createListeningApp({ limits: { underWay: 2, waitMs: 50 } });
    const held = holdResolve(test);
    for (const count of [1, 2]) {
      const connection = await openRawConnection(test.port);
      const lines = [['Host', `127.0.0.1:${test.port}`] as const, ...(Object.entries(headers) as [string, string][])];
      connection.write(requestText({ method: 'POST', target: '/v1/context/resolve', headers: lines, body }));
      await expect.poll(held.begun).toBe(count);
      connection.destroy();
    }
    const aborted = async () =>
      (await (await fetch(`${test?.url}/v1/status`, { headers })).json()) as { requests: { aborted: number } };
    await expect.poll(async () => (await aborted()).requests.aborted).toBe(2);
    await expectShed(await resolve(test));
    held.go();
    await expect.poll(async () => (await resolve(test as App)).status).toBe(200);
  });

  it('SY-05 S-15 of one token for agents leave room for others', async () => {
    test = await createListeningApp({ limits: { underWay: 4 } });
    const names = ['a'.repeat(43), 'b'.repeat(43)];
    const idOf = (digest: Buffer) => names.find((name) => digest.equals(digestToken(name)));
    Object.assign(test.engine.tokens, { idOf });
    const held = holdResolve(test);
    const as = (name = '') => ({ headers: { ...headers, authorization: `Bearer ${name}` } });
    const [one, two] = [as(names[0]), as(names[1])];
    const first = [resolve(test, one), resolve(test, one)];
    await expect.poll(held.begun).toBe(2);
    await expectShed(await resolve(test, one));
    first.push(resolve(test, two));
    await expect.poll(held.begun).toBe(3);
    await expectShed(await resolve(test, two));
    first.push(resolve(test));
    await expect.poll(held.begun).toBe(4);
    held.go();
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await resolve(test, one)).status).toBe(200);
  });

  it('SY-05 do not count when they fail', async () => {
    test = await createListeningApp({ limits: { underWay: 1 } });
    test.engine.failWith = new Error('unexpected');
    for (let count = 0; count < 5; count += 1) expect((await resolve(test)).status).toBe(500);
    test.engine.failWith = undefined;
    expect((await resolve(test)).status).toBe(200);
  });
});

describe('an event loop that is late', () => {
  it('SY-05 has everything refused but what tells how the daemon is, ends it, or is a stream', async () => {
    const { lines, logger } = createLogSink();
    // Every delay is longer than that, and every answer comes later.
    test = await createListeningApp({ limits: { lateMs: -1, waitMs: -1 }, logger });
    const { url, app, engine } = test;
    // Something else is worked on.
    const held = holdResolve(test);
    const first = resolve(test);
    await expect.poll(held.begun).toBe(1);
    await expect.poll(async () => (await fetch(`${url}/v1/roots`, { headers })).status, { timeout: 5_000 }).toBe(503);
    const exempt = ['getStatus', 'getMetrics', 'shutDown', 'streamEvents', 'listTokens', 'revokeToken'];
    for (const { operationId, method, target, body: example, isPublic } of operationsOf(app)) {
      engine.calls.length = 0;
      const response = await fetch(url + target, { method, headers, ...(example && { body: example }) });
      if (isPublic || exempt.includes(operationId)) {
        expect(response.status, operationId).not.toBe(503);
        await response.body?.cancel();
        continue;
      }
      await expectShed(response);
      expect(engine.calls).toEqual([]);
    }
    await expect.poll(() => lines.length).toBeGreaterThan(5);
    // However many are refused, few lines are written, and none of them as an error.
    const refused = lines.map((line) => JSON.parse(line)).filter(({ status }) => status === 503);
    expect(refused.length).toBeLessThan(60);
    expect(refused.every(({ level, code }) => level === 40 && code === 'unavailable')).toBe(true);
    held.go();
    expect((await first).status).toBe(200);
  });
});

it('SY-05 refuses nothing of a client that asks one thing after the other, however late the event loop is', async () => {
  test = await createListeningApp({ limits: { lateMs: -1 } });
  const { engine } = test;
  const { resolve: original } = engine;
  const slowly = async (request: Parameters<typeof original>[0]) => {
    holdTurn(150);
    return original(request);
  };
  Object.assign(engine, { resolve: slowly });
  for (let count = 0; count < 20; count += 1) expect((await resolve(test)).status).toBe(200);
});

describe('createEventLoopWatch', () => {
  const busy = async (forMs: number, turnMs = 60) => {
    for (const end = performance.now() + forMs; performance.now() < end; ) {
      holdTurn(turnMs);
      await nextTurn();
    }
  };

  it('SY-05 finds turns that are too long, one after the other, and notices when they are over', async () => {
    const watch = createEventLoopWatch({ windowMs: 100, lateMs: 30 });
    watch.wake();
    expect(watch.isLate).toBe(false);
    await busy(600);
    expect(watch.isLate).toBe(true);
    expect(watch.figures.meanMs).toBeGreaterThan(30);
    expect(watch.figures.utilization).toBeGreaterThan(0.5);
    expect(watch.figures.longestMs).toBeGreaterThanOrEqual(watch.figures.maxMs);
    await expect.poll(() => watch.isLate, { timeout: 10_000 }).toBe(false);
    watch.stop();
    expect(watch.figures).toMatchObject({ meanMs: 0, p99Ms: 0, maxMs: 0, utilization: 0 });
    expect(watch.figures.longestMs).toBeGreaterThan(30);
  });

  it('SY-05 finds turns that are longer than what it looks at', async () => {
    const watch = createEventLoopWatch({ windowMs: 50, lateMs: 40 });
    watch.wake();
    await busy(500, 100);
    expect(watch.isLate).toBe(true);
    watch.stop();
  });

  it('SY-05 looks at nothing while no requests come, and again when one does', async () => {
    const watch = createEventLoopWatch({ windowMs: 20, idleMs: 60, lateMs: 100 });
    watch.wake();
    await busy(150, 40);
    expect(watch.figures.longestMs).toBeGreaterThan(0);
    await expect.poll(() => watch.figures.utilization).toBe(0);
    const { longestMs } = watch.figures;
    await busy(300, longestMs + 100);
    expect(watch.figures).toMatchObject({ utilization: 0, longestMs });
    watch.wake();
    await busy(2 * (longestMs + 100), longestMs + 100);
    expect(watch.figures.longestMs).toBeGreaterThan(longestMs);
    watch.stop();
  });

  it('SY-05 takes one long turn for no overload', async () => {
    const watch = createEventLoopWatch({ windowMs: 100, lateMs: 100 });
    watch.wake();
    await expect.poll(() => watch.figures.utilization).toBeGreaterThan(0);
    holdTurn(400);
    const seen: boolean[] = [];
    await expect
      .poll(() => {
        seen.push(watch.isLate);
        return watch.figures.longestMs;
      })
      .toBeGreaterThan(300);
    expect(seen).not.toContain(true);
    watch.stop();
  });
});
