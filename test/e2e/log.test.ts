/** The log of the real daemon: what is written, how much, and where (SY-05, S-83, S-84). */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { runContextd, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

/** On each of so many connections. */
const floods = { connections: 13, requests: sized(2_000, 300_000, 1_000) };

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
  mkdirSync(join(project, '.context'));
  writeFileSync(join(project, '.context/a.md'), '---\ntrigger: always\n---\nUse tabs.\n');
});

type Entry = {
  level: number;
  time: number;
  msg: string;
  status?: number;
  route?: string;
  durationMs?: number;
  requestId?: string;
  suppressed?: number;
};

/** All lines are JSON of at most 8 KiB, and nothing in them steers a terminal. */
function entriesOf({ process: { output } }: TestDaemon): Entry[] {
  return output.stderr
    .trimEnd()
    .split('\n')
    .map((line) => {
      expect(Buffer.byteLength(line)).toBeLessThan(8 * 1024);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u202e]/u);
      return JSON.parse(line) as Entry;
    });
}

describe('lines', () => {
  it('SY-05 tell of slow requests as warnings, with their path and id; not of streams', async () => {
    await using daemon = await startDaemon({ grantRoots: [project], args: ['--slow-request', '1'] });
    const answer = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: project } });
    const stream = new AbortController();
    const headers = { authorization: `Bearer ${daemon.token}` };
    await fetch(`${daemon.url}/v1/events`, { headers, signal: stream.signal });
    // Long enough for a stream to be slow.
    await daemon.request('/v1/config/validate', { body: { mountedDirectory: project } });
    stream.abort();
    await until(() => daemon.process.output.stderr.includes('/v1/events'));
    const entries = entriesOf(daemon);
    const slow = entries.find(({ route }) => route === '/v1/context/resolve');
    expect(slow).toMatchObject({ level: 40, msg: 'slow request', requestId: answer.headers['x-request-id'] });
    expect(slow?.durationMs).toBeGreaterThan(1);
    expect(entries.find(({ route }) => route === '/v1/events')).toMatchObject({ level: 30, msg: 'request' });
  });

  it('S-84 are at most a hundred a second for requests that are quick, and say how many are missing', async () => {
    await using daemon = await startDaemon({ grantRoots: [project] });
    const sent = 1_000;
    for (let count = 0; count < sent; count += 50)
      await Promise.all(Array.from({ length: 50 }, () => daemon.request('/v1/roots')));
    const linesOf = () => entriesOf(daemon).filter(({ route, status }) => route === '/v1/roots' && status === 200);
    const told = () => linesOf().reduce((sum, { suppressed = 0 }) => sum + 1 + suppressed, 0);
    // The seconds of the limit begin at other times.
    const ofOneSecond = Map.groupBy(linesOf(), ({ time }) => Math.floor(time / 1_000));
    for (const lines of ofOneSecond.values()) expect(lines.length).toBeLessThanOrEqual(200);
    // The count is in the next line that is written, in a later second.
    let more = 0;
    await until(async () => {
      if (told() === sent + more) return true;
      await daemon.request('/v1/roots');
      more += 1;
      await delay(100);
      return false;
    });
  });

  it('S-84 are whole and short, whatever names and texts there are', async () => {
    const hostile = [
      '\n{"level":60,"msg":"forged"}',
      '\u001b[2J\u001b[31mred',
      '\u009b31m',
      '\u202egpj',
      'x'.repeat(240_000),
    ];
    await using daemon = await startDaemon({ grantRoots: [project], args: ['--log-level', 'trace'] });
    for (const text of hostile) {
      const name = text.slice(0, 100).replaceAll('/', '_');
      mkdirSync(join(project, name, '.context'), { recursive: true });
      writeFileSync(
        join(project, name, '.context', `${name}.md`),
        `---\nglobs: [${JSON.stringify(text)}]\n---\n${text}\n`,
      );
      const servers = { [name]: { command: text, args: [text], env: { [name]: text } } };
      writeFileSync(join(project, name, '.context/context-config.json'), JSON.stringify({ mcpServers: servers }));
      const mountedDirectory = join(project, name);
      await daemon.request('/v1/context/resolve', { body: { mountedDirectory, mentions: [name], query: name } });
      await daemon.request('/v1/context/explain', { body: { mountedDirectory, path: text } });
      await daemon.request('/v1/config/validate', { body: { mountedDirectory } });
      await daemon.request('/v1/config/validate', {
        body: { kind: 'context-file', content: text.padEnd(150_000, text), path: name },
      });
      await daemon.request('/v1/policy/preview', {
        body: { mountedDirectory, aiContextPolicy: 'allow', exclude: [text] },
      });
      await daemon.request('/v1/retrieve', { body: { mountedDirectory, query: text, openTabs: [name] } });
      await daemon.request('/v1/search', { body: { mountedDirectory, query: text.slice(0, 1_000) } });
      await daemon.request('/v1/workspace/files/search', { body: { mountedDirectory, query: text } });
      await daemon.request('/v1/agents/hostile', {
        method: 'PUT',
        body: { name, description: text, mcpServers: servers },
      });
      await daemon.request(`/v1/mcp/servers?mountedDirectory=${encodeURIComponent(mountedDirectory)}`);
      await daemon.request('/v1/roots', { body: { path: mountedDirectory } });
      await daemon.request(`/v1/${encodeURIComponent(name)}`, { headers: { 'user-agent': 'x', referer: 'y' } });
    }
    const entries = entriesOf(daemon);
    expect(entries.length).toBeGreaterThan(30);
    expect(entries.filter(({ level, msg }) => level === 60 || msg === 'forged')).toEqual([]);
    expect(entries.filter(({ level }) => level >= 50)).toEqual([]);
  });

  const requests = floods.connections * floods.requests;
  it(`S-84 are few when ${requests} requests have no good token`, { timeout: 60_000 + requests / 5 }, async () => {
    await using daemon = await startDaemon();
    const begun = performance.now();
    await floodWithBadTokens(daemon);
    const seconds = Math.ceil((performance.now() - begun) / 1_000) + 1;
    const refused = entriesOf(daemon).filter(({ status }) => status === 401);
    expect(refused.length).toBeLessThanOrEqual(10 * seconds);
    expect(refused.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(daemon.process.output.stderr)).toBeLessThan(10 * 1024 * 1024);
    expect((await daemon.request('/v1/status')).body).toMatchObject({ requests: { refused: requests } });
  });
});

/** Many requests after each other on each connection, none of which waits for an answer. */
async function floodWithBadTokens({ port }: TestDaemon): Promise<void> {
  const { connections, requests } = floods;
  const request = `GET /v1/status HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer forged\r\n\r\n`;
  const flood = async () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let unsent = requests;
    const send = (error?: Error | null) => {
      const some = Math.min(unsent, 5_000);
      unsent -= some;
      if (some > 0 && !error) socket.write(request.repeat(some), send);
    };
    const socket = connect(port, '127.0.0.1', () => send());
    let answers = 0;
    let rest = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      const parts = (rest + text).split('HTTP/1.1 401');
      answers += parts.length - 1;
      rest = (parts.at(-1) as string).slice(-12);
      if (answers === requests) {
        socket.destroy();
        resolve();
      }
    });
    socket.on('error', reject).on('close', () => resolve());
    await promise;
    expect(answers).toBe(requests);
  };
  await Promise.all(Array.from({ length: connections }, flood));
}

describe('the log file of a daemon in the background', () => {
  it('S-83 is emptied when it is full, older lines are kept beside it, and the status says where it is', async () => {
    const state = join(project, 'state');
    const env = { HOME: project };
    const run = (...args: string[]) => runContextd([...args, '--state-dir', state], { env });
    expect(await run('start', '--port', '0')).toMatchObject({ code: 0 });
    expect(await run('stop')).toMatchObject({ code: 0 });
    const log = join(state, 'contextd.log');
    const filler = `${JSON.stringify({ level: 30, msg: 'earlier', filler: 'x'.repeat(1_000) })}\n`;
    appendFileSync(log, filler.repeat(Math.floor((10 * 1024 * 1024 - statSync(log).size) / filler.length)));
    expect(await run('start', '--port', '0')).toMatchObject({ code: 0 });
    const status = JSON.parse((await run('status', '--json')).stdout) as { log: string };
    expect(status.log).toBe(log);
    expect(await run('stop')).toMatchObject({ code: 0 });
    expect(readdirSync(state).filter((name) => name.startsWith('contextd.log'))).toEqual([
      'contextd.log',
      'contextd.log.1',
    ]);
    expect(statSync(log).size).toBeLessThan(100_000);
    expect(statSync(`${log}.1`).size).toBeLessThanOrEqual(10 * 1024 * 1024);
    expect(statSync(`${log}.1`).mode & 0o777).toBe(0o600);
    const lines = [`${log}.1`, log]
      .flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'))
      .map((line) => JSON.parse(line));
    // What it says on standard output when it is ready is no line of the log.
    for (const line of lines) expect(line).toMatchObject({ level: expect.any(Number), msg: expect.any(String) });
    expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
  });
});
