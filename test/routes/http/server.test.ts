/** Odd, large, slow and broken requests, on real sockets (S-75, S-76). */

import { type OutgoingHttpHeaders, request as requestByHttp } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Problem } from '../../../routes/http/problem.ts';
import { fixedLimits } from '../../../src/settings.ts';
import { createListeningApp, type ListeningApp, token } from '../support/listening-app.ts';
import { headerOf, openRawConnection, type RawAnswer, requestText } from '../support/raw-http.ts';

let test: ListeningApp;
beforeAll(async () => {
  test = await createListeningApp();
});
afterAll(() => test.app.close());

const mebibyte = 1024 * 1024;
const host = () => ['Host', `127.0.0.1:${test.port}`] as const;
const authorization = ['Authorization', `Bearer ${token}`] as const;
const json = ['Content-Type', 'application/json'] as const;
const head = () => `Host: 127.0.0.1:${test.port}\r\nAuthorization: Bearer ${token}\r\n`;
const status = () => requestText({ method: 'GET', target: '/v1/status', headers: [host(), authorization] });
const resolveBody = (length: number) => {
  const empty = JSON.stringify({ mountedDirectory: '/p', query: '' });
  return `${' '.repeat(length - empty.length)}${empty}`;
};

/** Sends bytes on a connection of their own, and waits for the daemon to close it. */
async function sendAndClose(bytes: string, port = test.port): Promise<RawAnswer[]> {
  const connection = await openRawConnection(port);
  connection.write(bytes);
  return connection.closed();
}

async function post(body: string, headers: readonly (readonly [string, string])[] = []): Promise<RawAnswer> {
  const connection = await openRawConnection(test.port);
  const request = {
    method: 'POST',
    target: '/v1/context/resolve',
    headers: [host(), authorization, json, ...headers],
    body,
  };
  const answer = await connection.exchange(requestText(request));
  connection.destroy();
  return answer;
}

function expectProblem(answer: RawAnswer | undefined, status: number, code: string): void {
  expect(answer?.status).toBe(status);
  expect(Problem.parse(JSON.parse(answer?.body ?? ''))).toMatchObject({ status, code });
  expect(headerOf(answer as RawAnswer, 'content-type')).toBe('application/problem+json; charset=utf-8');
  expect(headerOf(answer as RawAnswer, 'x-request-id')).toMatch(/^[0-9a-f]{32}$/u);
  expect(headerOf(answer as RawAnswer, 'content-security-policy')).toContain("default-src 'none'");
}

/** Sends a body only when it is asked for, as curl does with a large one. */
async function postWhenAsked(body: string, headers: OutgoingHttpHeaders) {
  const request = requestByHttp(`http://127.0.0.1:${test.port}/v1/context/resolve`, {
    method: 'POST',
    headers: {
      Expect: '100-continue',
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      ...headers,
    },
  });
  let isAsked = false;
  request.on('continue', () => {
    isAsked = true;
    request.end(body);
  });
  const status = await new Promise((resolve, reject) => {
    request.on('response', (response) => resolve(response.statusCode)).on('error', reject);
    request.flushHeaders();
  });
  request.destroy();
  return { isAsked, status };
}

describe('a body that is held back', () => {
  it('S-76 is asked for behind the guard only, and not if it is too large for every operation', async () => {
    const Authorization = `Bearer ${token}`;
    expect(await postWhenAsked(resolveBody(100), { Authorization })).toEqual({ isAsked: true, status: 200 });
    expect(await postWhenAsked(resolveBody(100), {})).toEqual({ isAsked: false, status: 401 });
    expect(await postWhenAsked(resolveBody(mebibyte + 1), { Authorization })).toEqual({ isAsked: false, status: 413 });
    expect(await postWhenAsked(resolveBody(100), { Authorization, Host: 'example.com' })).toEqual({
      isAsked: false,
      status: 403,
    });
  });
});

describe('size', () => {
  it('S-76 takes a body of 1 MiB and refuses one byte more', async () => {
    expect((await post(resolveBody(mebibyte - 1))).status).toBe(200);
    expect((await post(resolveBody(mebibyte))).status).toBe(200);
    const refused = await post(resolveBody(mebibyte + 1));
    expectProblem(refused, 413, 'payload_too_large');
    expect(JSON.parse(refused?.body ?? '')).toMatchObject({ detail: 'The body is larger than 1048576 bytes.' });
  });

  it('S-76 refuses a chunked body of more than 1 MiB, and drops a connection that goes on sending', async () => {
    const connection = await openRawConnection(test.port);
    connection.write(
      `POST /v1/context/resolve HTTP/1.1\r\n${head()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const closed = connection.closed();
    let isClosed = false;
    void closed.then(() => {
      isClosed = true;
    });
    let sent = 0;
    for (; !isClosed && sent < 64 * mebibyte; sent += 0x10000) {
      connection.write(chunk);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const answers = await closed;
    expect(answers.map((answer) => answer.status)).toEqual([413]);
    expect(sent).toBeLessThan(64 * mebibyte);
  });

  it('S-76 refuses a header of 20 KiB and a target of 9 KiB', async () => {
    const large = requestText({
      method: 'GET',
      target: '/v1/status',
      headers: [host(), authorization, ['X', 'a'.repeat(20 * 1024)]],
    });
    const [answer, ...more] = await sendAndClose(large);
    expectProblem(answer, 431, 'invalid_request');
    expect(more).toEqual([]);
    const connection = await openRawConnection(test.port);
    const long = (length: number) =>
      requestText({ method: 'GET', target: `/${'a'.repeat(length)}`, headers: [host(), authorization] });
    expectProblem(await connection.exchange(long(9 * 1024)), 414, 'invalid_request');
    expectProblem(await connection.exchange(long(8 * 1024 - 1)), 404, 'not_found');
    connection.destroy();
  });

  it('S-76 hides no header line behind many others', async () => {
    const filler = Array.from({ length: 2_100 }, () => ['a', ''] as const);
    const connection = await openRawConnection(test.port);
    const request = {
      method: 'GET',
      target: '/v1/status',
      headers: [host(), authorization, ...filler, ['Origin', 'http://evil.com'] as const],
    };
    expectProblem(await connection.exchange(requestText(request).replaceAll(': ', ':')), 403, 'forbidden_origin');
    connection.destroy();
  });

  it('S-76 refuses a compressed body', async () => {
    expectProblem(
      await post(gzipSync(resolveBody(100)).toString('latin1'), [['Content-Encoding', 'gzip']]),
      415,
      'unsupported_media_type',
    );
  });
});

describe('form', () => {
  it('S-66 S-76 refuses a body that is nested deeper than 32 levels, is not UTF-8 or not JSON', async () => {
    const nested = (depth: number) =>
      `{"mountedDirectory":"/p","budget":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expectProblem(await post(nested(33)), 400, 'invalid_request');
    expect((await post(nested(33))).body).toContain('nested');
    expect((await post(nested(32))).body).not.toContain('nested');
    expect((await post(`{"mountedDirectory":"/p","query":"\\"${'[{'.repeat(100)}"}`)).status).toBe(200);
    for (const body of ['[', '{"a":}', '\xff\xfe', 'nul', '1 2'])
      expectProblem(await post(body), 400, 'invalid_request');
    const invalidText = await post('{"mountedDirectory":"/\xc3\x28"}');
    expectProblem(invalidText, 400, 'invalid_request');
    expect(invalidText.body).toContain('UTF-8');
    for (const poison of ['"__proto__":{"a":1}', '"constructor":{"prototype":{"a":1}}', '"\\u005f_proto__":{"a":1}']) {
      const poisoned = await post(`{"mountedDirectory":"/p",${poison}}`);
      expectProblem(poisoned, 400, 'invalid_request');
      expect(poisoned.body).toContain('forbidden key');
    }
  });

  it('S-76 says where a body is not JSON, and which key is forbidden', async () => {
    const said = async (body: string) => {
      const { detail, errors } = JSON.parse((await post(body)).body);
      return { detail, errors };
    };
    const broken = '{"mountedDirectory":"/p" "query":""}';
    const place =
      'The body cannot be read: it is not valid JSON (a comma or a closing bracket is missing) (at character 25).';
    expect(await said(broken)).toEqual({ detail: place });
    expect(await said(`\xef\xbb\xbf${broken}`)).toEqual({ detail: place });
    expect((await said('  ')).detail).toMatch(/^The body cannot be read: it is not valid JSON \(.+\)\.$/u);
    // The limits of files say nothing about a body.
    const long = (await said(`[${'1,'.repeat(30_000)}]`)).detail;
    expect(long).toMatch(/^The body cannot be read: it is not valid JSON \(.+\) \(at character 60001\)\.$/u);
    expect((await said(`${'['.repeat(20)}}`)).detail).toContain('(at character 20)');
    expect((await said('{"mountedDirectory":"/p","budget":{"__proto__":{"a":1}}}')).detail).toBe(
      'The body has a forbidden key: "__proto__", or "constructor" with "prototype" in it.',
    );
  });

  it('S-76 answers 400 and closes when the bytes are not HTTP', async () => {
    const broken = [
      'GET / HTTP/1.1\r\nHost\r\n\r\n',
      'GET /\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      'NOPE / HTTP/1.1\r\n\r\n',
      `GET / HTTP/1.1\r\n${head()}X: a\x00b\r\n\r\n`,
      `GET / HTTP/1.1\r\n${head()}X: a\r\n b: c\rd\r\n\r\n`,
      `GET / HTTP/1.1\r\n${head()}X : a\r\n\r\n`,
      `POST / HTTP/1.1\r\n${head()}Content-Length: -1\r\n\r\n`,
      `POST / HTTP/1.1\r\n${head()}Content-Length: 1, 2\r\n\r\n`,
      `POST / HTTP/1.1\r\n${head()}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      `POST / HTTP/1.1\r\n${head()}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ];
    for (const bytes of broken) {
      const answers = await sendAndClose(bytes);
      expect(answers.length, JSON.stringify(bytes)).toBe(1);
      expectProblem(answers[0], 400, 'invalid_request');
    }
  });

  it('S-76 answers 400 and closes when a chunk is broken', async () => {
    for (const garbage of [
      'zz\r\n{}\r\n0\r\n\r\n',
      '2\r\n{}garbage',
      '-2\r\n{}\r\n',
      '2\n{}\r\n',
      'fffffffffffffffff\r\n',
    ]) {
      const chunked = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
      const answers = await sendAndClose(`POST /v1/roots HTTP/1.1\r\n${head()}${chunked}${garbage}`);
      expect(
        answers.map((answer) => answer.status),
        JSON.stringify(garbage),
      ).toEqual([400]);
    }
    expect(test.engine.calls.filter(({ verb }) => verb === 'grantRoot')).toEqual([]);
  });

  it('S-76 takes what follows a body that is longer than announced as another request, under the same guard', async () => {
    const body = '{"mountedDirectory":"/p"}';
    const smuggled = 'DELETE /v1/roots?path=/p HTTP/1.1\r\nHost: evil.com\r\n\r\n';
    const headers = [host(), authorization, json];
    const request = requestText({ method: 'POST', target: '/v1/context/resolve', headers, body });
    const connection = await openRawConnection(test.port);
    expect((await connection.exchange(request + smuggled)).status).toBe(200);
    expectProblem(await connection.exchange(''), 403, 'forbidden_host');
    connection.destroy();
    const answers = await sendAndClose(`${request}}garbage`);
    expect(answers.at(-1)?.status).toBe(400);
    expect(test.engine.calls.filter(({ verb }) => verb === 'revokeRoot')).toEqual([]);
  });

  it('S-76 closes the socket on CONNECT and on a change of protocol', async () => {
    expect(await sendAndClose(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${head()}\r\n`)).toEqual([]);
    const upgrade = `GET /v1/status HTTP/1.1\r\n${head()}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`;
    const answers = await sendAndClose(upgrade);
    expect(answers.map((answer) => answer.status)).toEqual([400]);
    const connection = await openRawConnection(test.port);
    const h2c = `GET /v1/status HTTP/1.1\r\n${head()}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`;
    expect((await connection.exchange(h2c)).status).toBe(200);
    connection.destroy();
  });

  it('S-76 refuses malformed paths and answers OPTIONS * like any unknown path', async () => {
    const connection = await openRawConnection(test.port);
    const send = (method: string, target: string) =>
      connection.exchange(requestText({ method, target, headers: [host(), authorization] }));
    for (const target of ['/v1/%', '/%ff', '/v1/roots%zz', '/%C3%28'])
      expectProblem(await send('GET', target), 400, 'invalid_request');
    expect((await send('OPTIONS', '*')).status).toBeGreaterThanOrEqual(400);
    for (const method of ['PROPFIND', 'TRACE', 'QUERY', 'PURGE', 'M-SEARCH']) {
      const { status } = await send(method, '/v1/roots');
      expect([404, 405, 415]).toContain(status);
    }
    connection.destroy();
  });

  it('S-76 S-66 refuses the methods of RTSP, which the parser takes and no route has', async () => {
    for (const method of ['DESCRIBE', 'ANNOUNCE', 'FLUSH']) {
      const [answer, ...more] = await sendAndClose(`${method} /health RTSP/1.0\r\n${head()}\r\n`);
      expectProblem(answer, 400, 'invalid_request');
      expect(more).toEqual([]);
    }
  });

  it('S-76 answers a request once, however odd it is', async () => {
    const answers = await sendAndClose(
      `POST /v1/sessions/x/requests HTTP/1.1\r\n${head()}Transfer-Encoding: gzip\r\n\r\n`,
    );
    expect(answers.map(({ status }) => status)).toEqual([400]);
    // Refused before its body is there, which then turns out to be none, or ends.
    for (const rest of ['zz\r\n', undefined]) {
      const connection = await openRawConnection(test.port);
      const refused = `POST /v1/roots HTTP/1.1\r\nHost: 127.0.0.1:${test.port}\r\nTransfer-Encoding: chunked\r\n\r\n`;
      expect((await connection.exchange(refused)).status).toBe(401);
      if (rest === undefined) connection.end();
      else connection.write(rest);
      expect(await connection.closed()).toEqual([]);
    }
  });
});

describe('time', () => {
  it('S-75 S-76 limits are those of the security document where nothing else is said', () => {
    expect(fixedLimits.http).toEqual({
      bodyBytes: mebibyte,
      headerBytes: 16 * 1024,
      urlCharacters: 8 * 1024,
      jsonDepth: 32,
      requestTimeoutMs: 10_000,
      headersTimeoutMs: 5_000,
      connectionsCheckMs: 1_000,
      keepAliveTimeoutMs: 5_000,
      unreadMs: 120_000,
      connections: 1_024,
    });
  });

  const limits = { requestTimeoutMs: 600, headersTimeoutMs: 300, connectionsCheckMs: 50, keepAliveTimeoutMs: 200 };

  it('S-75 cuts off 500 clients that drip their header and 500 that drip their body, while others are served', async () => {
    const slow = await createListeningApp({ limits: { ...limits, requestTimeoutMs: 2_000, headersTimeoutMs: 1_000 } });
    const allOpen = Promise.withResolvers<void>();
    let open = 0;
    const dripping = async (first: string, drop: string) => {
      const connection = await openRawConnection(slow.port);
      connection.write(first);
      open += 1;
      if (open === 1_020) allOpen.resolve();
      const timer = setInterval(() => connection.write(drop), 150);
      const answers = await connection.closed();
      clearInterval(timer);
      return answers;
    };
    const start = `Host: 127.0.0.1:${slow.port}\r\nAuthorization: Bearer ${token}\r\n`;
    const body = `${start}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;
    const slowHeaders = Array.from({ length: 500 }, () => dripping(`GET /v1/status HTTP/1.1\r\n${start}`, 'X: y\r\n'));
    const slowBodies = Array.from({ length: 500 }, () => dripping(`POST /v1/roots HTTP/1.1\r\n${body}`, ' '));
    const silent = Array.from({ length: 20 }, () => dripping('', ''));
    const request = requestText({
      method: 'GET',
      target: '/v1/status',
      headers: [['Host', `127.0.0.1:${slow.port}`], authorization],
    });
    let served = 0;
    let areCut = false;
    const serving = (async () => {
      await allOpen.promise;
      while (!areCut) {
        // Each on a connection of its own: one that waits on a busy machine may be closed as idle.
        const good = await openRawConnection(slow.port);
        expect((await good.exchange(request)).status).toBe(200);
        good.destroy();
        served += 1;
        await delay(2);
      }
    })();
    for (const answers of await Promise.all([...slowHeaders, ...slowBodies]))
      expect(answers.map(({ status }) => status)).toEqual([408]);
    await Promise.all(silent);
    areCut = true;
    await serving;
    expect(served).toBeGreaterThan(5);
    expect(slow.engine.calls.filter(({ verb }) => verb === 'grantRoot')).toEqual([]);
    await slow.app.close();
  });

  it('S-75 takes no more connections than the limit: the one that has been silent for longest gives way', async () => {
    const few = await createListeningApp({ limits: { connections: 3 } });
    const connections: Awaited<ReturnType<typeof openRawConnection>>[] = [];
    for (let at = 0; at < 4; at += 1) connections.push(await openRawConnection(few.port));
    expect(await connections[0]?.closed()).toEqual([]);
    const { promise, resolve } = Promise.withResolvers<number>();
    few.app.server.getConnections((_error, count) => resolve(count));
    expect(await promise).toBe(3);
    for (const connection of connections) connection.destroy();
    await few.app.close();
  });

  it('S-75 a new connection takes the place of the idle one whose last answer is the oldest', async () => {
    const few = await createListeningApp({ limits: { connections: 3 } });
    const headers = [['Host', `127.0.0.1:${few.port}`] as const, authorization];
    const request = requestText({ method: 'GET', target: '/v1/status', headers });
    const connections: Awaited<ReturnType<typeof openRawConnection>>[] = [];
    for (let at = 0; at < 3; at += 1) connections.push(await openRawConnection(few.port));
    const [first, second, third] = connections;
    for (const each of [second, first, third]) expect((await each?.exchange(request))?.status).toBe(200);
    const fresh = await openRawConnection(few.port);
    expect((await fresh.exchange(request)).status).toBe(200);
    expect(await second?.closed()).toEqual([]);
    expect((await first?.exchange(request))?.status).toBe(200);
    for (const connection of [...connections, fresh]) connection.destroy();
    await few.app.close();
  });

  it('S-75 closes no connection on which the user waits, and takes no other then', async () => {
    const few = await createListeningApp({ limits: { connections: 2 } });
    const held = Promise.withResolvers<void>();
    let begun = 0;
    const { resolve } = few.engine;
    Object.assign(few.engine, {
      resolve: async (asked: Parameters<typeof resolve>[0]) => {
        begun += 1;
        await held.promise;
        return resolve(asked);
      },
    });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = '{"mountedDirectory":"/p"}';
    const ask = () => fetch(`${few.url}/v1/context/resolve`, { method: 'POST', headers, body });
    const asked = [ask(), ask()];
    await expect.poll(() => begun).toBe(2);
    const surplus = await openRawConnection(few.port);
    expect(await surplus.closed()).toEqual([]);
    held.resolve();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200]);
    await few.app.close();
  });

  it('S-75 tells clients how long an idle connection is kept', async () => {
    const patient = await createListeningApp({ limits: { keepAliveTimeoutMs: 7_000 } });
    expect((await fetch(`${patient.url}/health`)).headers.get('keep-alive')).toBe('timeout=7');
    await patient.app.close();
    expect((await fetch(`${test.url}/health`)).headers.get('keep-alive')).toBe('timeout=5');
  });

  describe('a client that reads nothing for a while', () => {
    const message = 'x'.repeat(32 * mebibyte);
    /** Answers with `message`. */
    const createLongAnswers = async () => {
      const slow = await createListeningApp({ limits: { ...limits, unreadMs: 600 } });
      const { resolve } = slow.engine;
      Object.assign(slow.engine, {
        resolve: async (asked: Parameters<typeof resolve>[0]) => ({
          ...(await resolve(asked)),
          warnings: [{ code: 'limit_entries', message }],
        }),
      });
      const headers = [['Host', `127.0.0.1:${slow.port}`] as const, authorization, json];
      const body = '{"mountedDirectory":"/p"}';
      const request = requestText({ method: 'POST', target: '/v1/context/resolve', headers, body });
      const ask = () => connect(slow.port, '127.0.0.1').on('error', () => {});
      const count = promisify(slow.app.server.getConnections.bind(slow.app.server));
      return { ...slow, request, ask, count };
    };

    it('S-75 does not get the rest of a long answer', async () => {
      const { app, request, ask, count } = await createLongAnswers();
      const reading = ask();
      let bytes = 0;
      // Reads on, with rests that are shorter than the limit.
      let rests = 0;
      reading.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes < rests * 4 * mebibyte) return;
        rests += 1;
        reading.pause();
        setTimeout(() => reading.resume(), 100);
      });
      const silent = [ask(), ask(), ask()];
      for (const socket of [reading, ...silent]) socket.write(request);
      await expect.poll(() => bytes, { timeout: 20_000 }).toBeGreaterThan(message.length);
      await expect.poll(() => count(), { timeout: 20_000 }).toBe(0);
      for (const socket of [reading, ...silent]) socket.destroy();
      await app.close();
    });

    it('S-75 does not get the rest of any of several long answers that are complete at once', async () => {
      const { app, engine, request, ask, count } = await createLongAnswers();
      const { resolve } = engine;
      const all = Promise.withResolvers<Awaited<ReturnType<typeof resolve>>>();
      let asked = 0;
      Object.assign(engine, {
        resolve: async (each: Parameters<typeof resolve>[0]) => {
          asked += 1;
          if (asked === 3) all.resolve(await resolve(each));
          return all.promise;
        },
      });
      const silent = [ask(), ask(), ask()];
      for (const socket of silent) socket.write(request);
      await expect.poll(() => asked).toBe(3);
      await expect.poll(() => count(), { timeout: 5_000 }).toBe(0);
      for (const socket of silent) socket.destroy();
      await app.close();
    });

    it('S-75 does not get the rest of a long answer that was requested together with others', async () => {
      const { app, request, ask, count } = await createLongAnswers();
      const reading = ask();
      let bytes = 0;
      reading.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > 1.1 * message.length) reading.pause();
      });
      reading.write(request.repeat(3));
      await expect.poll(() => bytes, { timeout: 20_000 }).toBeGreaterThan(1.1 * message.length);
      await expect.poll(() => count(), { timeout: 20_000 }).toBe(0);
      reading.destroy();
      await app.close();
    });
  });

  it('S-75 a lying Content-Length holds a connection no longer than the request timeout', async () => {
    const slow = await createListeningApp({ limits });
    const lying = `POST /v1/roots HTTP/1.1\r\nHost: 127.0.0.1:${slow.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{}`;
    expect((await sendAndClose(lying, slow.port)).map(({ status }) => status)).toEqual([408]);
    await slow.app.close();
  });
});

describe('life', () => {
  it('S-80 answers 503 while it stops, and finishes what was under way', async () => {
    const stopping = await createListeningApp();
    const held = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const { resolve } = stopping.engine;
    Object.assign(stopping.engine, {
      resolve: async (request: never) => {
        entered.resolve();
        await held.promise;
        return resolve(request);
      },
    });
    const connection = await openRawConnection(stopping.port);
    const headers = [['Host', `127.0.0.1:${stopping.port}`] as const, authorization];
    const body = '{"mountedDirectory":"/p"}';
    const request = { method: 'POST', target: '/v1/context/resolve', headers: [...headers, json], body };
    const underWay = connection.exchange(requestText(request));
    await entered.promise;
    const closed = stopping.app.close();
    await expect(openRawConnection(stopping.port)).rejects.toThrow();
    connection.write(requestText({ method: 'GET', target: '/v1/status', headers }));
    held.resolve();
    expect((await underWay).status).toBe(200);
    const [late] = await connection.closed();
    expectProblem(late, 503, 'unavailable');
    await closed;
  });

  it('S-13 accepts a further host in any case, on the socket too', async () => {
    const named = await createListeningApp({ allowedHosts: ['Box.local:4747'] });
    const connection = await openRawConnection(named.port);
    const send = (name: string) =>
      connection.exchange(
        requestText({ method: 'GET', target: '/v1/status', headers: [['Host', name], authorization] }),
      );
    expect((await send('box.LOCAL:4747')).status).toBe(200);
    expect((await send('box.local')).status).toBe(403);
    connection.destroy();
    await named.app.close();
  });

  it('SY-01 stops even when the client that asked for it does not wait for the answer', async () => {
    const stopping = await createListeningApp();
    const connection = await openRawConnection(stopping.port);
    const headers = [['Host', `127.0.0.1:${stopping.port}`] as const, authorization];
    connection.write(requestText({ method: 'POST', target: '/v1/shutdown', headers }));
    connection.destroy();
    // Whether the request arrived at all before the end of the connection is up to the machine; if it did, it counts.
    const other = await openRawConnection(stopping.port);
    const answer = await other.exchange(requestText({ method: 'POST', target: '/v1/shutdown', headers }));
    expect(answer.status).toBe(202);
    await expect.poll(stopping.shutdowns).toBe(1);
    other.destroy();
    await stopping.app.close();
  });

  it('survives clients that go away before, during and after their request', async () => {
    for (let cut = 1; cut < status().length; cut += 5) {
      const connection = await openRawConnection(test.port);
      connection.write(status().slice(0, cut));
      connection.destroy();
    }
    for (let round = 0; round < 20; round += 1) {
      const connection = await openRawConnection(test.port);
      connection.write(status().repeat(5));
      connection.destroy();
    }
    const connection = await openRawConnection(test.port);
    expect((await connection.exchange(status())).status).toBe(200);
    connection.destroy();
  });
});
