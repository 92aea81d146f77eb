/** Whoever is refused gets to read why, and no other request is lost with the connection (S-76). */
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createListeningApp, type ListeningApp, token } from './support/listening-app.ts';

let test: ListeningApp;
beforeAll(async () => {
  test = await createListeningApp();
});
afterAll(() => test.app.close());

const mebibyte = 1024 * 1024;
const head = (line: string, authorization = `Authorization: Bearer ${token}\r\n`) =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1:${test.port}\r\n${authorization}Content-Type: application/json\r\n`;
const post = (length: number) => `${head('POST /v1/context/resolve')}Content-Length: ${length}\r\n\r\n`;
const spaces = (bytes: number) => ' '.repeat(bytes);
const chunked = (bytes: number) => `${bytes.toString(16)}\r\n${spaces(bytes)}\r\n0\r\n\r\n`;

/** Writes all of it before it reads anything, as many simple clients do; rejects when the connection is reset. */
function writeThenRead(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: test.port, host: '127.0.0.1' });
    let received = '';
    socket.on('error', reject);
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(received));
    // More than the buffers of both sides hold, so that the answer comes while this is written.
    socket.write(text, 'latin1', () => socket.resume());
    socket.on('data', (bytes) => {
      received += bytes;
    });
    socket.pause();
  });
}

describe('a client that is refused while it sends', () => {
  it.each([
    { what: 'a body that says it is too large', status: 413, text: () => post(8 * mebibyte) + spaces(8 * mebibyte) },
    {
      what: 'a body in chunks that is too large',
      status: 413,
      text: () => `${head('POST /v1/roots')}Transfer-Encoding: chunked\r\n\r\n${chunked(8 * mebibyte)}`,
    },
    {
      what: 'a large body without a token',
      status: 401,
      text: () => `${head('POST /v1/roots', '')}Content-Length: ${8 * mebibyte}\r\n\r\n${spaces(8 * mebibyte)}`,
    },
    {
      what: 'a header that is too large',
      status: 431,
      text: () => `${head('GET /health')}X: ${'a'.repeat(8 * mebibyte)}`,
    },
    {
      what: 'a target that is too long, and a large body',
      status: 414,
      text: () => `${head(`POST /${'a'.repeat(9_000)}`)}Content-Length: ${8 * mebibyte}\r\n\r\n${spaces(8 * mebibyte)}`,
    },
    { what: 'something else than HTTP', status: 400, text: () => `what?\r\n${spaces(8 * mebibyte)}` },
    {
      what: 'a protocol that it cannot change to',
      status: 400,
      text: () =>
        `${head('POST /v1/roots')}Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: ${8 * mebibyte}\r\n\r\n${spaces(8 * mebibyte)}`,
    },
  ])('S-76 reads the $status for $what, which says that the connection ends', async ({ status, text }) => {
    const answer = (await writeThenRead(text())).toLowerCase();
    expect(answer).toMatch(new RegExp(`^http/1\\.1 ${status} `, 'u'));
    expect(answer).toContain('\r\nconnection: close\r\n');
  });

  it('S-76 has nothing done that it sends after what ends the connection', async () => {
    const before = test.engine.calls.length;
    const innocent = `${head('GET /v1/roots')}\r\n`;
    await writeThenRead(post(2 * mebibyte) + spaces(2 * mebibyte) + innocent.repeat(3));
    expect(test.engine.calls.slice(before)).toEqual([]);
  });
});

describe('a client that keeps its connections', () => {
  const send = (agent: Agent, body: string | undefined) =>
    new Promise<{ statusCode: number | undefined; localPort: number | undefined }>((resolve, reject) => {
      const method = body === undefined ? 'GET' : 'POST';
      const path = body === undefined ? '/v1/roots' : '/v1/context/resolve';
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const request = httpRequest(`${test.url}${path}`, { agent, method, headers }, (response) => {
        const { statusCode, socket } = response;
        const { localPort } = socket;
        response.resume().on('end', () => resolve({ statusCode, localPort }));
      });
      request.on('error', reject).end(body);
    });

  it('S-76 loses no request after one that was too large', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const work = Array.from({ length: 200 }, async (_, count) => {
      const tooLarge = count % 5 === 0;
      const { statusCode } = await send(agent, tooLarge ? spaces(mebibyte * (1 + (count % 4)) + 1) : undefined);
      return statusCode === (tooLarge ? 413 : 200);
    });
    expect((await Promise.all(work)).filter((good) => !good)).toEqual([]);
    agent.destroy();
  });

  it('S-76 keeps them after a refusal whose body is small', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ports = new Set<number | undefined>();
    for (const body of ['{"mountedDirectory":1}', '{', undefined, '[]', undefined]) {
      const { statusCode, localPort } = await send(agent, body);
      expect(statusCode).toBe(body === undefined ? 200 : 400);
      ports.add(localPort);
    }
    expect(ports.size).toBe(1);
    agent.destroy();
  });
});
