/** Signing the console in, through the real daemon and its command line (S-10). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { type Answer, runContextd, sendRequest, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { createFakeBrowser } from '../support/fake-browser.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let directory: string;
let project: string;
let stateDirectory: string;
beforeEach(() => {
  directory = temporaryDirectory();
  project = join(directory, 'a project & more');
  mkdirSync(join(project, 'src'), { recursive: true });
  stateDirectory = join(directory, 'state');
});

const fragmentOf = (url: string): URLSearchParams => new URLSearchParams(new URL(url).hash.slice(1));
/** As the page at this address does it, whose name only browsers resolve. */
const redeem = (url: string): Promise<Answer> => {
  const { host, port } = new URL(url);
  const at = { body: { code: fragmentOf(url).get('code') }, headers: { host } };
  return sendRequest(`http://127.0.0.1:${port}/v1/console/sessions`, at);
};
const statusOf = async (url: string, token: string): Promise<number> =>
  (await sendRequest(`${url}/v1/status`, { headers: { authorization: `Bearer ${token}` } })).status;
const pagesLeft = (): string[] => {
  const pages = join(stateDirectory, 'sign-in');
  return existsSync(pages) ? readdirSync(pages) : [];
};

it('S-10 S-09 a restart ends codes and sessions, and no log of any level has ever held one', async () => {
  const options = { grantRoots: [project], stateDirectory, args: ['--log-level', 'trace'] };
  const first = await startDaemon(options);
  const { stdout } = await first.cli(['open', '--print'], { cwd: project });
  const url = stdout.trimEnd();
  const session = await redeem(url);
  expect(session.status).toBe(201);
  const { token } = session.body as { token: string };
  expect(await statusOf(first.url, token)).toBe(200);
  expect((await redeem(url)).status).toBe(401);
  const pending = (await first.cli(['open', '--print'])).stdout.trimEnd();
  const log = first.process.output;
  await first.stop();

  const second = await startDaemon(options);
  expect(await statusOf(second.url, token)).toBe(401);
  const hostOf = async (daemon: TestDaemon) => new URL((await daemon.cli(['open', '--print'])).stdout).host;
  const [earlier, now] = [new URL(pending).host, await hostOf(second)];
  const attempt = (host: string) =>
    sendRequest(`${second.url}/v1/console/sessions`, {
      body: { code: fragmentOf(pending).get('code') },
      headers: { host: host.replace(/\d+$/u, String(second.port)) },
    });
  expect(now.split('.')[0]).not.toBe(earlier.split('.')[0]);
  expect((await attempt(now)).status).toBe(401);
  for (const host of [earlier, `x.${now}`, now.replace(/^./u, (first) => (first === '0' ? '1' : '0'))])
    expect(await attempt(host)).toMatchObject({ status: 403, body: { code: 'forbidden_host' } });
  await second.stop();
  const written = [log, second.process.output].map(({ stdout, stderr }) => stdout + stderr).join('');
  expect(written).toContain('/v1/console/sessions');
  for (const secret of [token, fragmentOf(url).get('code'), fragmentOf(pending).get('code')])
    expect(written).not.toContain(secret as string);
}, 60_000);

it('SY-04 S-10 "open" hands the browser a page that signs in and names the directory', async () => {
  const daemon = await startDaemon({ grantRoots: [project], stateDirectory });
  const browser = createFakeBrowser(directory);
  const open = (args: string[], cwd = directory, env: Record<string, string> = { BROWSER: browser.program }) =>
    daemon.cli(['open', ...args], { cwd, env });

  const said = await open([], join(project, 'src'));
  expect(said).toMatchObject({ code: 0, stderr: '' });
  expect(said.stdout).toMatch(/^The console is open in your browser: http:\/\/[0-9a-f]{32}\.localhost:\d+\/\n$/u);
  const [start] = browser.starts();
  expect(start).toMatchObject({ status: 201, args: [expect.stringMatching(/^file:\/\/\/.*\.html$/u)] });
  expect(said.stdout).toContain(new URL(start?.address ?? '').origin);
  expect(fragmentOf(start?.address ?? '').get('dir')).toBe(join(project, 'src'));
  expect(await statusOf(daemon.url, start?.token ?? '')).toBe(200);
  expect(pagesLeft()).toEqual([]);

  const directoryIn = async (args: string[], cwd?: string) =>
    fragmentOf((await open([...args, '--print'], cwd)).stdout.trimEnd()).get('dir');
  expect(await directoryIn([])).toBeNull();
  expect(await directoryIn(['a project & more'])).toBe(project);
  expect(await directoryIn(['.'], project)).toBe(project);
  expect(browser.starts().length).toBe(1);

  const json = JSON.parse((await open(['--json', '--print', project])).stdout);
  expect(json).toMatchObject({ opened: false, expiresAt: expect.stringMatching(/^\d{4}-.*Z$/u) });
  expect((await redeem(json.url)).status).toBe(201);

  const noBrowser = await open([], directory, { BROWSER: join(directory, 'missing') });
  expect(noBrowser).toMatchObject({ code: 0, stderr: '' });
  expect(noBrowser.stdout).toMatch(/^No browser could be started\. .* 60 s; it works once:\nhttp:\/\/\S+#code=\S+\n$/u);
  expect((await open([], directory, {})).stdout).toMatch(/^No browser/u);
  const overSsh = await open([], directory, { SSH_CONNECTION: '192.0.2.2 50000 192.0.2.1 22' });
  const { port } = new URL(daemon.url);
  expect(overSsh.stdout).toContain(`ssh -N -L ${port}:localhost:${port} <this machine>\n`);
  await daemon.stop();

  const without = await runContextd(['open', '--state-dir', stateDirectory], { env: { BROWSER: browser.program } });
  expect(without).toMatchObject({ code: 69, stdout: '' });
  expect(without.stderr).toContain('contextd start');
}, 60_000);

it('S-10 no argument and no environment of any process ever holds the code', async () => {
  const program = join(import.meta.dirname, '../support/seen-processes.ts');
  const seenIn = join(directory, 'seen');
  writeFileSync(seenIn, '');
  const watcher = spawn(process.execPath, [program, seenIn, ...readdirSync('/proc')]);
  const daemon = await startDaemon({ grantRoots: [project], stateDirectory });
  const browser = createFakeBrowser(directory, { seenIn });
  for (let round = 0; round < 3; round += 1)
    expect((await daemon.cli(['open', project], { env: { BROWSER: browser.program } })).code).toBe(0);
  await daemon.stop();
  const served = await startDaemon({ stateDirectory, args: ['--open'], env: { BROWSER: browser.program } });
  await until(() => browser.starts().length === 4);
  await served.stop();
  watcher.stdin.end();
  await once(watcher, 'exit');
  const processes = readFileSync(seenIn, 'utf8');
  const starts = browser.starts();
  expect(starts.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  // It has seen the browser, in whose page the code was.
  for (const { address, args, cmdline, environ, token } of starts) {
    expect(processes).toContain(args[0]);
    const code = fragmentOf(address).get('code') as string;
    expect(code.length).toBe(43);
    for (const secret of [code, token, daemon.token, served.token])
      for (const shown of [cmdline, environ, processes]) expect(shown).not.toContain(secret);
  }
}, 60_000);

it('S-10 a browser that cannot read the page is told of, with an address to open; the page is for its user only', async () => {
  const daemon = await startDaemon({ grantRoots: [project], stateDirectory });
  const browser = createFakeBrowser(directory, { signsIn: false });
  const opening = daemon.cli(['open'], { env: { BROWSER: browser.program } });
  const [start] = await until(() => (browser.starts().length > 0 ? browser.starts() : undefined));
  const [page] = pagesLeft() as [string];
  const modes = ['sign-in', `sign-in/${page}`].map((name) => statSync(join(stateDirectory, name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  const said = await opening;
  expect(said.code).toBe(0);
  expect(said.stdout).toMatch(/^The browser has not signed in\. .*snap or flatpak.*\nhttp:\/\/\S+#code=\S+\n$/u);
  expect((await redeem(said.stdout.trimEnd().split('\n')[1] as string)).status).toBe(201);
  expect(pagesLeft()).toEqual([page]);
  expect((await redeem(start?.address ?? '')).status).toBe(201);
  expect(pagesLeft()).toEqual([]);
  await daemon.stop();
}, 60_000);

it('S-10 S-81 no page outlives the daemon, however that ends', async () => {
  const first = await startDaemon({ stateDirectory });
  const make = (daemon: TestDaemon) => daemon.request('/v1/console/sign-in-pages', { body: {} });
  expect((await make(first)).status).toBe(201);
  expect(pagesLeft().length).toBe(1);
  await first.stop();
  expect(pagesLeft()).toEqual([]);
  const second = await startDaemon({ stateDirectory });
  await make(second);
  second.process.child.kill('SIGKILL');
  await second.process.exited;
  expect(pagesLeft().length).toBe(1);
  const third = await startDaemon({ stateDirectory });
  expect(pagesLeft()).toEqual([]);
  await third.stop();
}, 60_000);

it('S-10 "serve --open" and "start --open" open it too, and run where no browser opens', async () => {
  const browser = createFakeBrowser(directory);
  const env = { BROWSER: browser.program, HOME: directory };
  const served = await startDaemon({ grantRoots: [project], stateDirectory, args: ['--open'], env, cwd: project });
  const [start] = await until(() => (browser.starts().length === 1 ? browser.starts() : undefined));
  expect(start?.status).toBe(201);
  expect(fragmentOf(start?.address ?? '').get('dir')).toBe(project);
  await served.stop();
  const { stdout, stderr } = served.process.output;
  expect(stdout + stderr).not.toContain(fragmentOf(start?.address ?? '').get('code'));

  const blind = await startDaemon({ stateDirectory, args: ['--open'] });
  await until(() => blind.process.output.stderr.includes('contextd open --print'));
  expect((await blind.request('/v1/status')).status).toBe(200);
  await blind.stop();
  expect(blind.process.output.stdout + blind.process.output.stderr).not.toContain('#code=');

  const open = (BROWSER: string) =>
    runContextd(['start', '--port', '0', '--state-dir', stateDirectory, '--open', '--json'], {
      env: { BROWSER, HOME: directory },
    });
  try {
    const started = await open(browser.program);
    expect(started.code).toBe(0);
    expect(browser.starts()[1]?.status).toBe(201);
    const { origin } = new URL(browser.starts()[1]?.address ?? '');
    expect(started.stderr).toBe(`The console is open in your browser: ${origin}/\n`);
    const again = await open(join(directory, 'missing'));
    expect(again.code).toBe(0);
    // What is written there may be kept: a log, a file.
    expect(again.stderr).toContain('contextd open --print');
    expect(again.stderr).not.toContain('code=');
  } finally {
    await runContextd(['stop', '--state-dir', stateDirectory]);
  }
  expect(readFileSync(join(stateDirectory, 'contextd.log'), 'utf8')).not.toMatch(/code=/u);
}, 60_000);

it('S-10 signing out ends what this console has open, and nothing else', async () => {
  const daemon = await startDaemon({ grantRoots: [project], stateDirectory });
  const signIn = async (): Promise<string> =>
    ((await redeem((await daemon.cli(['open', '--print'])).stdout.trimEnd())).body as { token: string }).token;
  const [mine, other] = [await signIn(), await signIn()];
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const streams = await Promise.all(
    [mine, mine, other, daemon.token].map(async (token) => {
      const { body } = await fetch(`${daemon.url}/v1/events`, { headers: bearer(token) });
      let isOpen = true;
      const ended = (async () => {
        for await (const _ of body as unknown as AsyncIterable<unknown>);
      })()
        .catch(() => {})
        .finally(() => {
          isOpen = false;
        });
      return { ended, isOpen: () => isOpen };
    }),
  );
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
  };
  const begin = (token: string) =>
    fetch(`${daemon.url}/mcp`, {
      method: 'POST',
      headers: {
        ...bearer(token),
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(initialize),
    });
  const idOf = async (token: string): Promise<string> => {
    const response = await begin(token);
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  const [mcpOfMine, mcpOfOther] = [await idOf(mine), await idOf(other)];
  expect(mcpOfMine).not.toBe('');

  const signedOut = await sendRequest(`${daemon.url}/v1/console/sessions`, { method: 'DELETE', headers: bearer(mine) });
  expect(signedOut.status).toBe(204);
  await Promise.all(streams.slice(0, 2).map(({ ended }) => ended));
  expect(streams.map(({ isOpen }) => isOpen())).toEqual([false, false, true, true]);
  expect(await statusOf(daemon.url, mine)).toBe(401);
  expect(await statusOf(daemon.url, other)).toBe(200);
  const statusOfSession = async (id: string): Promise<number> =>
    (
      await sendRequest(`${daemon.url}/mcp`, {
        method: 'DELETE',
        headers: { ...bearer(daemon.token), 'mcp-session-id': id, 'mcp-protocol-version': '2025-06-18' },
      })
    ).status;
  await until(async () => (await statusOfSession(mcpOfMine)) === 404);
  expect(await statusOfSession(mcpOfOther)).not.toBe(404);
  await daemon.stop();
}, 30_000);

it('S-10 signing out ends a stream also where a request with another token followed on its connection', async () => {
  const daemon = await startDaemon({ stateDirectory });
  const { body } = await redeem((await daemon.cli(['open', '--print'])).stdout.trimEnd());
  const { token } = body as { token: string };
  const socket = connect(daemon.port, '127.0.0.1');
  let isOpen = true;
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isOpen = false;
  });
  const head = (path: string, bearer: string) =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${bearer}\r\n\r\n`;
  socket.write(head('/v1/events', token));
  await until(() => received.includes('text/event-stream'));
  socket.write(head('/v1/status', daemon.token));
  // Nothing is answered behind the stream, so that only time shows that it has been read.
  await delay(100);
  const headers = { authorization: `Bearer ${token}` };
  const signedOut = await sendRequest(`${daemon.url}/v1/console/sessions`, { method: 'DELETE', headers });
  expect(signedOut.status).toBe(204);
  await until(() => !isOpen);
  await daemon.stop();
}, 30_000);
