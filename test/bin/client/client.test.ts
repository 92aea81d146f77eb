import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findDaemon, requireDaemon } from '../../../src/bin/client/client.ts';
import { writeDiscoveryFile } from '../../../src/bin/state/discovery-file.ts';
import { freePort, listenOnLoopback } from '../../support/loopback.ts';
import { temporaryDirectory } from '../../support/temporary-files.ts';

const token = 'the-token-nobody-else-may-see';

describe('client of the daemon', () => {
  let directory: string;
  const servers: Server[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  /** A server on a free port; everything it is sent, headers and bodies, ends up in `heard`. */
  async function listen(listener: RequestListener): Promise<{ port: number; heard: string[] }> {
    const heard: string[] = [];
    const server = createServer((request, response) => {
      heard.push(`${request.method} ${request.url} ${request.rawHeaders.join(' ')}`);
      request.on('data', (chunk) => heard.push(String(chunk)));
      listener(request, response);
    });
    servers.push(server);
    return { port: await listenOnLoopback(server), heard };
  }

  function leaveDiscoveryFile(port: number, pid = process.pid): void {
    const url = `http://127.0.0.1:${port}`;
    const rest = { version: '0', startedAt: new Date(0), instanceId: 'i' };
    writeDiscoveryFile(join(directory, 'daemon.json'), { url, token, pid, ...rest });
  }

  function proofFor(request: IncomingMessage): string {
    const challenge = new URL(request.url ?? '', 'http://x').searchParams.get('challenge') ?? '';
    return JSON.stringify({ status: 'ok', proof: createHmac('sha256', token).update(challenge).digest('hex') });
  }

  it('finds nothing where there is no discovery file', async () => {
    expect(await findDaemon(directory)).toMatchObject({
      ok: false,
      reason: expect.stringContaining('no discovery file'),
    });
    await expect(requireDaemon(directory)).rejects.toMatchObject({ exitCode: 69 });
  });

  it('says so where the discovery file holds something else', async () => {
    writeFileSync(join(directory, 'daemon.json'), 'something else', { mode: 0o600 });
    expect(await findDaemon(directory)).toEqual({
      ok: false,
      reason: `the discovery file in ${directory} is damaged`,
    });
  });

  it('S-74 refuses a leftover file whose port nobody listens on, whether its process is dead or another one', async () => {
    const port = await freePort();
    for (const pid of [2 ** 22 + 1, process.ppid]) {
      leaveDiscoveryFile(port, pid);
      expect(await findDaemon(directory)).toMatchObject({
        ok: false,
        reason: expect.stringContaining('nothing answers'),
      });
    }
  });

  it.each<[string, RequestListener]>([
    ['answers without a proof', (_, response) => response.end('{"status":"ok"}')],
    ['guesses', (_, response) => response.end(JSON.stringify({ status: 'ok', proof: '0'.repeat(64) }))],
    [
      'sends the challenge back',
      (request, response) => response.end(JSON.stringify({ proof: request.url?.split('=')[1] })),
    ],
    [
      'proves another token',
      (_, response) => response.end(JSON.stringify({ proof: createHmac('sha256', 'x').digest('hex') })),
    ],
    ['answers with a list', (_, response) => response.end('["proof"]')],
    ['answers with something else', (_, response) => response.end('<html>')],
    ['asks for the token', (_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('{}')],
    ['sends elsewhere', (_, response) => response.writeHead(307, { location: '/collect' }).end()],
    ['hangs up', (_, response) => response.destroy()],
  ])('S-74 never sends the token to a stranger that %s', async (_, listener) => {
    const { port, heard } = await listen(listener);
    leaveDiscoveryFile(port);
    expect(await findDaemon(directory)).toMatchObject({ ok: false });
    expect(heard.length).toBe(1);
    expect(heard.join('\n')).not.toContain(token);
  });

  it('S-74 does not send the token on another connection than that of the proof', async () => {
    const { port, heard } = await listen((request, response) => {
      response.setHeader('connection', 'close').end(proofFor(request));
    });
    leaveDiscoveryFile(port);
    const found = await findDaemon(directory);
    if (!found.ok) throw new Error(found.reason);
    await expect(found.client.request({ method: 'GET', path: '/v1/status' })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(heard.every((line) => line.startsWith('GET /health?challenge='))).toBe(true);
    expect(heard.join('\n')).not.toContain(token);
  });

  it('S-74 sends another challenge each time', async () => {
    const { port, heard } = await listen((request, response) => response.end(proofFor(request)));
    leaveDiscoveryFile(port);
    await findDaemon(directory);
    await findDaemon(directory);
    expect(heard.length).toBe(2);
    expect(heard[0]).not.toBe(heard[1]);
  });

  it('sends the token and the body to the daemon, and returns its answer', async () => {
    const { port, heard } = await listen((request, response) => {
      response.end(request.url?.startsWith('/health') ? proofFor(request) : '{"answer":42}');
    });
    leaveDiscoveryFile(port);
    const { request } = await requireDaemon(directory);
    expect(await request({ method: 'DELETE', path: '/v1/roots', body: { path: '/é' } })).toEqual({ answer: 42 });
    expect(heard.at(-2)).toContain(`Bearer ${token}`);
    expect(heard.at(-2)).toContain('application/json content-length 14');
    expect(heard.at(-1)).toBe('{"path":"/é"}');
  });

  it('throws a problem of the daemon with its code, and "internal" for what is no problem document', async () => {
    const problems = [
      JSON.stringify({ code: 'not_found', detail: 'No such root.', errors: [{ pointer: '/path', message: 'no' }] }),
      'oh',
    ];
    const { port } = await listen((request, response) => {
      if (request.url?.startsWith('/health')) response.end(proofFor(request));
      else response.writeHead(404).end(problems.shift());
    });
    leaveDiscoveryFile(port);
    const { request } = await requireDaemon(directory);
    await expect(request({ method: 'GET', path: '/' })).rejects.toMatchObject({
      code: 'not_found',
      message: 'No such root.',
      errors: [{ pointer: '/path', message: 'no' }],
    });
    await expect(request({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 'internal' });
  });
});
