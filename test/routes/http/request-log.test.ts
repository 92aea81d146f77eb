import { describe, expect, it } from 'vitest';
import { createRequestLog } from '../../../routes/http/request-log.ts';
import { createRequestId } from '../../../routes/http/secured-response.ts';
import { createListeningApp, createLogSink, operationsOf, token } from '../support/listening-app.ts';
import { openRawConnection, requestText } from '../support/raw-http.ts';

const line = { requestId: 'id', method: 'GET', route: null, status: 401, durationMs: 0, peer: '127.0.0.1' };

describe('createRequestLog', () => {
  it('S-84 writes ten lines a second for requests nobody vouches for, and counts the others', () => {
    const { lines, logger } = createLogSink();
    let elapsedMs = 0;
    const log = createRequestLog(logger, { elapsedMs: () => elapsedMs });
    for (let second = 0; second < 60; second += 1)
      for (let request = 0; request < 1_000; request += 1) {
        elapsedMs = second * 1_000 + request;
        log.unvouched(line);
      }
    const written = lines.map((text) => JSON.parse(text) as { suppressed?: number });
    expect(written).toHaveLength(600);
    expect(written.reduce((sum, { suppressed = 0 }) => sum + suppressed, 0)).toBe(59 * 990);
  });

  it('S-84 writes a hundred lines a second for requests with a token, and all that were slow or failed', () => {
    const { lines, logger } = createLogSink();
    let elapsedMs = 0;
    const log = createRequestLog(logger, { elapsedMs: () => elapsedMs });
    const good = { ...line, status: 200 };
    for (let second = 0; second < 10; second += 1) {
      for (let request = 0; request < 1_000; request += 1) {
        elapsedMs = second * 1_000 + request;
        log.answered(good);
        log.unvouched(line);
      }
      log.answered({ ...good, durationMs: 5_000 });
      log.answered({ ...good, status: 500 });
    }
    const written = lines.map((text) => JSON.parse(text) as { level: number; status: number; suppressed?: number });
    const [quick, others] = [written.filter(({ level }) => level === 30), written.filter(({ level }) => level > 30)];
    const suppressed = (status: number) =>
      quick.reduce((sum, each) => sum + (each.status === status ? (each.suppressed ?? 0) : 0), 0);
    expect(quick.filter(({ status }) => status === 200)).toHaveLength(1_000);
    expect(suppressed(200)).toBe(9 * 900);
    expect(suppressed(401)).toBe(9 * 990);
    expect(others.map(({ level, status }) => [level, status])).toEqual(
      Array.from({ length: 10 }, () => [
        [40, 200],
        [50, 500],
      ]).flat(),
    );
  });

  it('S-84 writes refused requests beside the good ones, a hundred lines a second too', () => {
    const { lines, logger } = createLogSink();
    const log = createRequestLog(logger, { elapsedMs: () => 0 });
    for (let request = 0; request < 1_000; request += 1) log.answered({ ...line, status: 200 });
    for (let request = 0; request < 1_000; request += 1) log.answered({ ...line, status: 403 });
    const statuses = lines.map((text) => (JSON.parse(text) as { status: number }).status);
    expect(statuses).toEqual([...Array(100).fill(200), ...Array(100).fill(403)]);
  });

  it('S-84 shortens what it says of an unexpected error to a line of at most 8 KiB, correctly escaped', () => {
    const { lines, logger } = createLogSink();
    const log = createRequestLog(logger);
    log.failed('id', new Error(`\n{"level":60}\u001b[31m${'x'.repeat(1_000_000)}`));
    for (const character of ['\u0000', '\u0085', '"', '\n', '\u20ac', '\ud83d\ude00', '\ud800'])
      log.failed('id', character.repeat(100_000));
    expect(lines).toHaveLength(8);
    for (const text of lines) {
      expect(Buffer.byteLength(text)).toBeLessThan(8 * 1024);
      expect(text.indexOf('\n')).toBe(text.length - 1);
      expect(JSON.parse(text)).toMatchObject({ level: 50, requestId: 'id' });
    }
  });

  it('SY-05 warns of a request that took long, with its path, duration and id, but of no stream', () => {
    const { lines, logger } = createLogSink();
    const log = createRequestLog(logger);
    const answered = { ...line, route: '/v1/context/resolve', status: 200 };
    log.answered({ ...answered, durationMs: 1_000 });
    log.answered({ ...answered, durationMs: 1_000.5 });
    log.answered({ ...answered, durationMs: 90_000, stream: true });
    log.answered({ ...answered, durationMs: 5_000, status: 499, aborted: true });
    log.answered({ ...answered, durationMs: 5_000, status: 500 });
    createRequestLog(logger, { slowMs: 10 }).answered({ ...answered, durationMs: 11 });
    createRequestLog(logger, { slowMs: 0 }).answered({ ...answered, durationMs: 60_000 });
    const written = lines.map((text) => JSON.parse(text) as { level: number; msg: string });
    expect(written.map(({ level, msg }) => [level, msg])).toEqual([
      [30, 'request'],
      [40, 'slow request'],
      [30, 'request'],
      [40, 'slow request'],
      [50, 'slow request'],
      [40, 'slow request'],
      [30, 'request'],
    ]);
    expect(written[1]).toMatchObject({ requestId: 'id', route: '/v1/context/resolve', durationMs: 1_000.5 });
    expect(written[3]).toMatchObject({ aborted: true });
  });

  it('SY-05 S-84 counts every request, whether it is written or not, and needs no logger', () => {
    for (const logger of [createLogSink().logger, false as const]) {
      let counted = 0;
      const log = createRequestLog(logger, { count: () => (counted += 1), elapsedMs: () => 0 });
      for (let count = 0; count < 100; count += 1) {
        log.answered(line);
        log.unvouched(line);
      }
      log.failed('id', new Error('x'));
      expect(counted).toBe(200);
    }
  });
});

describe('the log of the app', () => {
  it('S-09 S-02 holds id, method, route, status, duration and peer, and nothing that a client sent', async () => {
    const { lines, logger } = createLogSink();
    const test = await createListeningApp({ logger });
    const canary = (name: string) => `canary-${name}`;
    const headers = [
      ['Host', `127.0.0.1:${test.port}`],
      ['X-Forwarded-For', canary('forwarded')],
      ['User-Agent', canary('agent')],
      ['Cookie', canary('cookie')],
      ['X-Request-Id', canary('id')],
      ['Referer', canary('referer')],
    ] as const;
    const connection = await openRawConnection(test.port);
    const good = `Bearer ${token}`;
    const oddHeaders = [[['Content-Type', canary('type')] as const], [['Origin', canary('origin')] as const]];
    const send = async (method: string, target: string, body?: string) => {
      // Of what is refused nothing comes to the engine: that it fails makes no difference.
      const isWorking = test.engine.failWith === undefined;
      for (const authorization of isWorking ? [good, `Bearer ${canary('token')}`] : [good])
        for (const extra of isWorking ? [[], ...oddHeaders] : [[]]) {
          const all = [
            ...headers,
            ...extra,
            ['Authorization', authorization] as const,
            ['Content-Type', 'application/json'] as const,
          ];
          await connection.exchange(requestText({ method, target, headers: all, body }));
        }
    };
    for (const failWith of [undefined, new Error('unexpected')]) {
      test.engine.failWith = failWith;
      for (const { method, path } of operationsOf(test.app))
        for (const body of [
          undefined,
          `{"mountedDirectory":"/${canary('body')}"}`,
          `{"${canary('key')}":1}`,
          canary('text'),
        ]) {
          const query = `?${canary('key')}=${canary('query')}&token=${token}`;
          for (const target of [path, `${path}${query}`, `${path}/${canary('path')}`])
            await send(method, target, method === 'GET' ? undefined : body);
        }
    }
    connection.destroy();
    const broken = await openRawConnection(test.port);
    broken.write(`GET /${canary('broken')} HTTP/1.1\r\n${canary('broken')}\r\n\r\n`);
    await broken.closed();
    await test.app.close();

    const text = lines.join('');
    expect(lines.length).toBeGreaterThan(50);
    expect(text).not.toContain('canary');
    expect(text).not.toContain(token);
    const requests = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    for (const entry of requests) {
      expect(entry).toMatchObject({
        requestId: expect.stringMatching(/^[0-9a-f]{32}$/u),
        peer: '127.0.0.1',
        status: expect.any(Number),
      });
      expect(Object.keys(entry)).toEqual(expect.arrayContaining(['method', 'route', 'durationMs']));
    }
    expect(requests).toContainEqual(
      expect.objectContaining({ method: 'POST', route: '/v1/context/resolve', status: 500 }),
    );
    expect(text).toContain('Error: unexpected');
  });

  it.each(['/v1/status', '/health', '/docs/page.js'])(
    'S-84 does not grow with a flood of requests for %s without the token',
    async (target) => {
      const { lines, logger } = createLogSink();
      const test = await createListeningApp({ logger });
      const headers = [['Host', `127.0.0.1:${test.port}`] as const, ['Authorization', 'Bearer x'] as const];
      const connection = await openRawConnection(test.port);
      for (let count = 0; count < 1_500; count += 1)
        await connection.exchange(requestText({ method: 'GET', target, headers }));
      connection.destroy();
      await test.app.close();
      // Ten lines a second: the bound leaves room for a machine that takes a minute for this.
      expect(lines.length).toBeLessThan(700);
    },
  );

  it('S-09 takes a client that goes away in the middle of its body for no error of its own', async () => {
    const { lines, logger } = createLogSink();
    const test = await createListeningApp({ logger });
    const connection = await openRawConnection(test.port);
    const headers = [
      ['Host', `127.0.0.1:${test.port}`],
      ['Authorization', `Bearer ${token}`],
      ['Content-Type', 'application/json'],
    ] as const;
    const request = requestText({ method: 'POST', target: '/v1/roots', headers, body: '{"path":"/p"}' });
    connection.write(request.slice(0, -5));
    await fetch(`${test.url}/health`); // on a later connection: by now the request has arrived
    connection.destroy();
    await expect.poll(() => lines.some((line) => line.includes('"status":400'))).toBe(true);
    await test.app.close();
    expect(lines.map((line) => JSON.parse(line).level).filter((level) => level > 30)).toEqual([]);
    expect(test.engine.calls).toEqual([]);
  });
});

describe('request ids', () => {
  it('S-16 are 128 random bits: no repetition and no order in a million', () => {
    const count = 1_000_000;
    const ids = new Set<string>();
    let rising = 0;
    let previous = '';
    for (let index = 0; index < count; index += 1) {
      const id = createRequestId();
      if (id > previous) rising += 1;
      previous = id;
      ids.add(id);
    }
    expect(previous).toMatch(/^[0-9a-f]{32}$/u);
    expect(ids.size).toBe(count);
    expect(Math.abs(rising / count - 0.5)).toBeLessThan(0.01);
  });

  it('S-16 are never taken from the client', async () => {
    const test = await createListeningApp();
    const answer = await fetch(`${test.url}/health`, { headers: { 'x-request-id': 'mine', 'request-id': 'mine' } });
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/u);
    await test.app.close();
  });
});
