/** How programs find the daemon and ask it: socket, environment, `ensure`, `api` (contract, “Connecting”). */
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tryLock } from '../../src/adapters/files/lock-file.ts';
import type { Diagnosis } from '../../src/bin/daemon/doctor.ts';
import { type RunOptions, runContextd, spawnContextd, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

type Discovery = { url: string; socket: string; token: string; pid: number };
type Asked = { headers?: Record<string, string>; method?: string };

/** One request over the Unix socket. */
function ask(
  socketPath: string,
  path: string,
  { headers = {}, method = 'GET' }: Asked = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { socketPath, path, method, headers: { host: 'localhost', ...headers } },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    request.on('error', reject).end();
  });
}

const discoveryOf = (stateDirectory: string): Discovery =>
  JSON.parse(readFileSync(join(stateDirectory, 'daemon.json'), 'utf8'));

describe('the Unix socket', () => {
  it('S-14 serves the same app to holders of the token, with mode 0600, until the daemon ends', async () => {
    const daemon = await startDaemon();
    const { socket, token } = discoveryOf(daemon.stateDirectory);
    expect(socket).toBe(join(daemon.stateDirectory, 'contextd.sock'));
    expect(lstatSync(socket).mode & 0o777).toBe(0o600);
    const authorization = `Bearer ${token}`;
    expect((await ask(socket, '/v1/status', { headers: { authorization } })).status).toBe(200);
    expect((await ask(socket, '/v1/status')).status).toBe(401);
    expect((await ask(socket, '/v1/status', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await ask(socket, '/health')).status).toBe(200);
    for (const host of ['evil.example', 'localhost.evil.example', 'localhost:4747x', '0.0.0.0'])
      expect((await ask(socket, '/health', { headers: { host } })).status, host).toBe(403);
    const origin = 'http://evil.example';
    expect((await ask(socket, '/v1/status', { headers: { authorization, origin } })).status).toBe(403);
    await daemon.stop();
    expect(lstatSync(socket, { throwIfNoEntry: false })).toBeUndefined();
  });

  it('S-80 ends its connections like those of the port: what is under way is answered', async () => {
    const daemon = await startDaemon({ grantRoots: [] });
    const { socket, token } = discoveryOf(daemon.stateDirectory);
    const body = JSON.stringify({ path: daemon.home });
    const answered = new Promise<number>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        host: 'localhost',
        // The answer to this says that the request is under way.
        expect: '100-continue',
      };
      const request = httpRequest({
        socketPath: socket,
        path: '/v1/roots',
        method: 'POST',
        headers: { ...headers, 'content-length': body.length },
      });
      request.on('error', reject).on('response', (response) => resolve(response.resume().statusCode ?? 0));
      request.on('continue', async () => {
        request.write(body.slice(0, 5));
        daemon.process.child.kill('SIGTERM');
        await until(() => daemon.process.output.stderr.includes('stopping')).catch(reject);
        await delay(500);
        request.end(body.slice(5));
      });
    });
    expect(await answered).toBeLessThan(500);
    await daemon.stop();
  });

  it('S-14 lets approve and start servers, as from the machine that it is on', async () => {
    await using daemon = await startDaemon();
    const { socket, token } = discoveryOf(daemon.stateDirectory);
    const headers = { authorization: `Bearer ${token}` };
    const { status } = await ask(socket, `/v1/mcp/servers/${'0'.repeat(32)}/start`, { method: 'POST', headers });
    expect(status).toBe(404);
  });

  it('S-14 asks its owner for no token with --socket-trust owner, and the port for one all the same', async () => {
    await using daemon = await startDaemon({ args: ['--socket-trust', 'owner'] });
    const { socket, url } = discoveryOf(daemon.stateDirectory);
    expect((await ask(socket, '/v1/roots')).status).toBe(200);
    expect((await ask(socket, '/v1/roots', { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect((await fetch(`${url}/v1/roots`)).status).toBe(401);
    const env = { HOME: daemon.home, CONTEXTD_URL: `unix:${socket}` };
    expect(await runContextd(['roots', 'list'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  it.runIf(process.getuid?.() === 0)(
    'S-14 cannot be opened by another user, whatever the mode of its directory',
    async () => {
      await using daemon = await startDaemon({ args: ['--socket-trust', 'owner'] });
      const { socket } = discoveryOf(daemon.stateDirectory);
      chmodSync(daemon.home, 0o755);
      chmodSync(daemon.stateDirectory, 0o755);
      const env = { HOME: '/', CONTEXTD_URL: `unix:${socket}`, CONTEXTD_STATE_DIR: '/nonexistent' };
      const { code, stderr } = await runContextd(['roots', 'list'], { env, userId: 65_534, cwd: '/' });
      expect([code, stderr]).toEqual([69, expect.stringContaining('EACCES')]);
    },
  );

  it('S-14 takes the place of one that a killed daemon left, and of nothing else', async () => {
    const stateDirectory = join(temporaryDirectory(), 'state');
    const killed = await startDaemon({ stateDirectory });
    killed.process.child.kill('SIGKILL');
    await killed.process.exited;
    const path = join(stateDirectory, 'contextd.sock');
    expect(lstatSync(path).isSocket()).toBe(true);
    const next = await startDaemon({ stateDirectory });
    const headers = { authorization: `Bearer ${next.token}` };
    expect((await ask(path, '/v1/status', { headers })).status).toBe(200);
    await next.stop();
    writeFileSync(path, 'kept', { mode: 0o600 });
    const start = () =>
      runContextd(['serve', '--port', '0', '--state-dir', stateDirectory], { env: { HOME: killed.home } });
    expect(await start()).toMatchObject({ code: 78, stderr: expect.stringContaining('it is not a socket') });
    expect(readFileSync(path, 'utf8')).toBe('kept');
    rmSync(path);
    symlinkSync('/etc/passwd', path);
    expect(await start()).toMatchObject({ code: 78, stderr: expect.stringContaining('symbolic link') });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  it('S-14 is left out where its path would be too long for the system, and the daemon says so', async () => {
    const stateDirectory = join(temporaryDirectory(), 'd'.repeat(120));
    await using daemon = await startDaemon({ stateDirectory, args: ['--log-level', 'warn'] });
    expect(discoveryOf(stateDirectory)).not.toHaveProperty('socket');
    expect(daemon.process.output.stderr).toContain('there is no Unix socket');
    expect((await daemon.request('/v1/status')).status).toBe(200);
  });
});

describe('a daemon for programs', () => {
  let home: string;
  let options: RunOptions;
  const run = (...args: string[]) => runContextd(args, options);
  beforeAll(() => {
    home = temporaryDirectory();
    mkdirSync(join(home, 'project'));
    options = { env: { HOME: home }, cwd: home };
  });
  afterAll(() => run('stop'));

  it('is ensured: started on a free port where another program has the default one, found the next time', async () => {
    const other = createServer();
    const isTaken = () =>
      new Promise<boolean>((settle) => {
        other.once('listening', () => settle(true)).once('error', () => settle(false));
        other.listen(4747, '127.0.0.1');
      });
    // The daemon of another test may have it and end soon. Where somebody has it for long, it is taken all the same.
    await until(isTaken, 10_000).catch(() => {});
    const ownHome = temporaryDirectory();
    const run = (...args: string[]) => runContextd(args, { env: { HOME: ownHome }, cwd: ownHome });
    try {
      const doctor = await run('doctor', '--json');
      expect(doctor.code).toBe(0);
      const { findings } = JSON.parse(doctor.stdout) as Diagnosis;
      expect(findings.find(({ subject }) => subject === 'port')).toMatchObject({
        state: 'notice',
        mend: expect.stringContaining('"contextd start" takes a free port'),
      });
      const [first, second, started] = [
        await run('ensure', '--json'),
        await run('ensure'),
        await run('start', '--json'),
      ];
      const discovery = JSON.parse(first.stdout) as Discovery;
      expect(discovery).toEqual(discoveryOf(join(ownHome, '.local/state/contextd')));
      expect(discovery.url).not.toContain(':4747');
      expect(second).toMatchObject({ code: 0, stdout: `${discovery.url}\n` });
      expect(JSON.parse(started.stdout)).toEqual(discovery);
    } finally {
      other.close();
      await run('stop');
    }
  });

  it('is granted what each of two starts names that come at once', async () => {
    const state = ['--state-dir', join(home, 'twice'), '--port', '0'];
    for (const name of ['one', 'two']) mkdirSync(join(home, name));
    await Promise.all(['one', 'two'].map((name) => run('start', '--grant-root', name, ...state)));
    const { stdout } = await run('roots', 'list', ...state.slice(0, 2));
    await run('stop', ...state.slice(0, 2));
    for (const name of ['one', 'two']) expect(stdout).toContain(join(home, name));
  });

  it('is the only one that is left when two ensure one at once', async () => {
    const stateDirectory = join(home, 'several');
    const state = ['--state-dir', stateDirectory];
    mkdirSync(stateDirectory, { mode: 0o700 });
    const daemons = (): number[] => {
      const lines = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n');
      return lines
        .filter((each) => each.includes(`--state-dir=${stateDirectory}`))
        .map((each) => Number.parseInt(each, 10));
    };
    const lock = tryLock(join(stateDirectory, 'daemon.lock'));
    const ensured = [1, 2].map(() => run('ensure', ...state));
    const [waiting = 0] = await until(() => (daemons().length === 2 ? daemons() : undefined));
    // It still waits when the other one is there.
    process.kill(waiting, 'SIGSTOP');
    lock?.release();
    await Promise.all(ensured);
    const left = daemons();
    for (const pid of left) process.kill(pid, 'SIGKILL');
    // It would take the place of the other one as soon as that one is stopped.
    expect(left).not.toContain(waiting);
    expect(left).toHaveLength(1);
  });

  it('is granted what a later start or ensure names', async () => {
    await run('ensure', '--grant-root', 'project');
    const { roots } = JSON.parse((await run('api', 'GET', '/v1/roots')).stdout) as { roots: { path: string }[] };
    expect(roots.map(({ path }) => path)).toContain(join(home, 'project'));
    expect(await run('start', '--grant-root', 'nowhere')).toMatchObject({ code: 78 });
  });

  it('keeps nothing for good that it has until it stops, under whatever name a later start names it', async () => {
    mkdirSync(join(home, 'place'));
    symlinkSync('place', join(home, 'link'));
    for (const [first, second] of [
      ['place', 'link'],
      ['link', 'place'],
    ] as const) {
      const state = ['--state-dir', join(home, `until-${first}`)];
      await run('start', '--grant-root', first, '--port', '0', ...state);
      await run('start', '--grant-root', second, ...state);
      const { stdout } = await run('roots', 'list', '--json', ...state);
      await run('stop', ...state);
      const { roots } = JSON.parse(stdout) as { roots: { path: string; origin: string }[] };
      expect(roots.filter(({ origin }) => origin !== 'global')).toEqual([{ path: join(home, first), origin: 'start' }]);
    }
  });

  it('fails on the port that was asked for', async () => {
    const other = createServer();
    const port = await listenOnLoopback(other);
    const state = join(home, 'other-state');
    const { code, stderr } = await run('start', '--port', String(port), '--state-dir', state);
    other.close();
    expect([code, stderr]).toEqual([78, expect.stringContaining(`port ${port} is taken`)]);
  });

  it('takes the directory of each command by -d too, not twice', async () => {
    for (const command of ['resolve', 'check'])
      expect((await run(command, '-d', 'project')).stdout, command).toBe((await run(command, 'project')).stdout);
    expect(await run('resolve', 'project', '-d', 'project')).toMatchObject({ code: 64, stdout: '' });
    expect(await run('warm', '-d', 'project', '--agent', 'a')).toMatchObject({ code: 64, stdout: '' });
  });

  it('SY-03 shows a stream by `contextd api` as it comes', async () => {
    await run('ensure', '--grant-root', 'project');
    const { child, output, exited } = spawnContextd(['api', 'GET', '/v1/events?types=agent-changed'], options);
    await until(() => output.stdout.includes('retry:'));
    await run('api', 'PUT', '/v1/agents/streamed', '--data', '{"name":"Streamed"}');
    await until(() => output.stdout.includes('"agentId":"streamed"'));
    child.kill();
    expect((await exited).stderr).toBe('');
  });

  it('answers `contextd api` with JSON or with text, refuses with its problem, and takes a body from anywhere', async () => {
    await run('ensure', '--grant-root', 'project');
    const body = JSON.stringify({ mountedDirectory: join(home, 'project') });
    writeFileSync(join(home, 'body.json'), body);
    const asked = ['api', 'post', '/v1/context/resolve', '--data'];
    const answers = await Promise.all([
      run(...asked, body),
      run(...asked, '@body.json'),
      runContextd([...asked, '-'], { ...options, input: body }),
    ]);
    for (const { stdout } of answers)
      expect(JSON.parse(stdout)).toMatchObject({ mountedDirectory: join(home, 'project') });
    expect((await run('api', 'GET', '/metrics')).stdout).toContain('# TYPE contextd_');
    const refused = await run('api', 'GET', '/v1/nothing');
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('nothing at this path') });
    expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'not_found', status: 404 });
    const roots = ['api', 'PUT', '/v1/agents/reviewer', '--data', '{"name":"Reviewer"}', '--header'];
    expect((await run(...roots, 'If-None-Match: *')).code).toBe(0);
    const present = await run(...roots, 'if-none-match: *');
    expect([present.code, JSON.parse(present.stdout).code]).toEqual([64, 'version_mismatch']);
    for (const args of [
      ['FETCH', '/v1/status'],
      ['GET', 'v1/status'],
      ['GET', '/v1/status', '--header', 'none'],
      ['GET', '/v1/status', '--header', 'a: b\r\nc: d'],
      ['POST', '/v1/roots', '--data', '{'],
      ['POST', '/v1/roots', '--data', '@missing'],
    ])
      expect(await run('api', ...args)).toMatchObject({ code: 64, stdout: '' });
  });
});

it('AN-04 says which protocol it speaks, and refuses what it does not know with that', async () => {
  await using daemon = await startDaemon();
  const { stdout } = await runContextd(['version', '--json']);
  const { version, protocolVersion, capabilities } = JSON.parse(stdout);
  expect([protocolVersion, capabilities]).toEqual([1, expect.arrayContaining(['formats'])]);
  expect((await runContextd(['version'])).stdout).toBe(`${version}\n`);
  expect(discoveryOf(daemon.stateDirectory)).toMatchObject({ version, protocolVersion, capabilities });
  expect((await daemon.request('/health')).body).toEqual({ status: 'ok', protocolVersion, capabilities });
  const body = { mountedDirectory: daemon.home, tomorrow: true };
  expect((await daemon.request('/v1/context/resolve', { body })).body).toMatchObject({
    status: 400,
    detail: 'The body is not valid. This daemon has protocolVersion 1.',
    errors: [{ pointer: '/tomorrow' }],
  });
});

describe('a daemon that the environment names', () => {
  let daemon: TestDaemon;
  let project: string;
  const named = (env: Record<string, string>, ...args: string[]) =>
    runContextd(args, { env: { HOME: daemon.home, CONTEXTD_STATE_DIR: join(daemon.home, 'none'), ...env } });
  beforeAll(async () => {
    project = temporaryDirectory();
    writeFileSync(join(project, 'AGENTS.md'), 'Be brief.');
    daemon = await startDaemon({ grantRoots: [project] });
  });
  afterAll(() => daemon?.stop());

  it('is asked by every command, at its port or on its socket', async () => {
    const { url, socket, token } = discoveryOf(daemon.stateDirectory);
    for (const address of [url, `${url}/`, `unix:${socket}`]) {
      const env = { CONTEXTD_URL: address, CONTEXTD_TOKEN: token };
      expect((await named(env, 'roots', 'list')).stdout, address).toContain(project);
      expect((await named(env, 'resolve', project)).stdout, address).toContain('AGENTS');
      expect(JSON.parse((await named(env, 'status', '--json')).stdout), address).toHaveProperty(
        'pid',
        daemon.process.child.pid,
      );
    }
  });

  it('is asked with the rights of its token', async () => {
    const { stdout } = await daemon.cli(['token', '--label', 'editor']);
    const env = { CONTEXTD_URL: daemon.url, CONTEXTD_TOKEN: stdout.trim() };
    expect(await named(env, 'resolve', project)).toMatchObject({ code: 0 });
    expect(await named(env, 'api', 'POST', '/v1/shutdown')).toMatchObject({ code: 64 });
  });

  it('must be there: nothing is answered in its place', async () => {
    const env = { CONTEXTD_URL: 'http://127.0.0.1:1', CONTEXTD_TOKEN: 'x' };
    expect(await named(env, 'resolve', project)).toMatchObject({ code: 69, stdout: '' });
    const wrong = { CONTEXTD_URL: daemon.url, CONTEXTD_TOKEN: 'wrong' };
    expect(await named(wrong, 'resolve', project)).toMatchObject({ code: 64, stdout: '' });
    const elsewhere = temporaryDirectory();
    const right = { CONTEXTD_URL: daemon.url, CONTEXTD_TOKEN: daemon.token };
    expect(await named(right, 'resolve', elsewhere)).toMatchObject({ code: 64, stdout: '' });
  });

  it.each([
    'https://127.0.0.1:4747',
    'http://:p@127.0.0.1:1',
    'http://127.0.0.1:1/v1',
    'unix:contextd.sock',
    '127.0.0.1:4747',
    'http://u:p@127.0.0.1',
    'x',
  ])('is not sought at an address of another kind: %s', async (address) => {
    const run = await named({ CONTEXTD_URL: address, CONTEXTD_TOKEN: 'x' }, 'status');
    expect(run).toMatchObject({ code: 78, stderr: expect.stringContaining('CONTEXTD_URL must be') });
  });

  it('is not asked at a port without CONTEXTD_TOKEN, nor beside --state-dir', async () => {
    const run = await named({ CONTEXTD_URL: daemon.url }, 'status');
    expect(run).toMatchObject({ code: 78, stderr: expect.stringContaining('CONTEXTD_TOKEN') });
    const env = { CONTEXTD_URL: 'http://127.0.0.1:1', CONTEXTD_TOKEN: 'x' };
    expect(await daemon.cli(['status'], { env })).toMatchObject({ code: 0 });
  });

  it('is stopped by name too', async () => {
    await using other = await startDaemon();
    const { socket, token } = discoveryOf(other.stateDirectory);
    const env = { CONTEXTD_URL: `unix:${socket}`, CONTEXTD_TOKEN: token };
    expect(await named(env, 'stop')).toMatchObject({ code: 0, stdout: `contextd at unix:${socket} is stopping.\n` });
    await other.process.exited;
  });
});
