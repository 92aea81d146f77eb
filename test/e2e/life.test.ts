/** How the process of the daemon begins and ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { protocol } from '../../src/settings.ts';
import { ownCompileCache, runContextd, spawnContextd, startDaemon, until } from '../support/daemon.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

describe('the daemon as a process', () => {
  let directory: string;
  let state: string;
  beforeEach(() => {
    directory = temporaryDirectory();
    state = join(directory, 'state');
  });
  const serve = (...args: string[]) =>
    runContextd(['serve', '--port', '0', '--state-dir', state, ...args], { env: { HOME: directory } });

  it('SY-01 says in the discovery file where it is and answers there', async () => {
    await using daemon = await startDaemon({ grantRoots: [directory] });
    const discovery = JSON.parse(readFileSync(join(daemon.stateDirectory, 'daemon.json'), 'utf8'));
    expect(discovery).toEqual({
      url: daemon.url,
      socket: join(daemon.stateDirectory, 'contextd.sock'),
      ...protocol,
      token: expect.stringMatching(/^[\w-]{43}$/u),
      pid: daemon.process.child.pid,
      version: expect.any(String),
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/u),
      instanceId: expect.any(String),
    });
    const { token: _, ...told } = {
      ...discovery,
      discoveryFile: join(daemon.stateDirectory, 'daemon.json'),
      grantedRoots: [directory],
    };
    expect(JSON.parse(daemon.process.output.stdout)).toEqual(told);
    expect(await daemon.request('/health')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await daemon.request('/v1/status')).toMatchObject({
      body: { pid: discovery.pid, instanceId: discovery.instanceId, url: daemon.url },
    });
    const answer = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: directory } });
    expect(answer).toMatchObject({ status: 200, body: { mountedDirectory: directory } });
  });

  it('S-08 keeps all it writes to its user, under umask 0', async () => {
    const umask = process.umask(0);
    try {
      await using daemon = await startDaemon({ stateDirectory: state, env: ownCompileCache });
      await daemon.request('/v1/roots', { body: { path: directory } });
      const names = readdirSync(state, { recursive: true, encoding: 'utf8' });
      const modes = names.map((name) => statSync(join(state, name)));
      expect(names).toContain('compile-cache');
      expect(statSync(state).mode & 0o777).toBe(0o700);
      expect(statSync(join(state, 'daemon.json')).mode & 0o777).toBe(0o600);
      expect(modes.map(({ mode }) => mode & 0o077)).toEqual(modes.map(() => 0));
    } finally {
      process.umask(umask);
    }
  });

  it('S-08 does not start where a link was planted, and leaves its target alone', async () => {
    mkdirSync(state, { mode: 0o700 });
    const target = join(directory, 'target');
    writeFileSync(target, 'precious');
    for (const name of ['daemon.json', 'daemon.lock', 'contextd.db']) {
      symlinkSync(target, join(state, name));
      expect(await serve(), name).toMatchObject({ code: 78, stdout: '', stderr: expect.stringContaining(name) });
      unlinkSync(join(state, name));
    }
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(readdirSync(state)).toEqual([]);
  });

  it('S-08 does not start in a directory that others may write to', async () => {
    mkdirSync(state);
    chmodSync(state, 0o777);
    expect(await serve()).toMatchObject({ code: 78, stdout: '', stderr: expect.stringContaining('chmod go-w') });
    expect(readdirSync(state)).toEqual([]);
  });

  it('S-74 a file that a killed daemon left is replaced, with another token', async () => {
    const first = await startDaemon({ stateDirectory: state });
    first.process.child.kill('SIGKILL');
    await first.stop();
    expect(existsSync(join(state, 'daemon.json'))).toBe(true);
    await using second = await startDaemon({ stateDirectory: state });
    expect(second.token).not.toBe(first.token);
    expect(second.token).toBe(JSON.parse(readFileSync(join(state, 'daemon.json'), 'utf8')).token);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'S-80 %s ends it with 0, and no file of the run stays',
    async (signal) => {
      const daemon = await startDaemon({ stateDirectory: state, env: ownCompileCache });
      daemon.process.child.kill(signal);
      expect(await daemon.process.exited).toMatchObject({ code: 0 });
      const kept = ['compile-cache', 'contextd.db', 'contextd.db.reserve', 'daemon.lock', 'secret.key'];
      expect(readdirSync(state).sort()).toEqual(kept);
      await daemon.stop();
    },
  );

  it('S-80 finishes a request that is under way, and takes no new one', async () => {
    const daemon = await startDaemon({ stateDirectory: state });
    const body = JSON.stringify({ path: directory });
    const head = `POST /v1/roots HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${daemon.token}\r\n`;
    const socket = connect(daemon.port, '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text) => (answer += text));
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`);
    // Answered after the head of the other request has arrived.
    await until(async () => (await daemon.request('/health')).status === 200);
    daemon.process.child.kill('SIGTERM');
    await until(() => !existsSync(join(state, 'daemon.json')));
    await until(() =>
      daemon.request('/health').then(
        ({ status }) => status === 503,
        () => true,
      ),
    );
    expect(daemon.process.output.code).toBeNull();
    socket.write(body.slice(5));
    expect(await daemon.process.exited).toMatchObject({ code: 0 });
    expect(answer).toMatch(/^HTTP\/1.1 201 /u);
    expect(daemon.process.output.stderr).not.toContain('requests were still running');
    await daemon.stop();
  });

  it('SY-01 ends when the discovery file is deleted', async () => {
    const daemon = await startDaemon({ stateDirectory: state });
    unlinkSync(join(state, 'daemon.json'));
    expect(await daemon.process.exited).toMatchObject({ code: 0 });
    await daemon.stop();
  });

  it('SY-01 ends when its parent process is gone', async () => {
    const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    onTestFinished(() => void parent.kill('SIGKILL'));
    const daemon = await startDaemon({ args: ['--parent-pid', String(parent.pid)] });
    parent.kill('SIGKILL');
    expect(await daemon.process.exited).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('parent process is gone'),
    });
    await daemon.stop();
  });

  it.runIf(existsSync('/proc/self/stat'))('SY-01 ends when its parent process is a zombie', async () => {
    // The second `sleep` takes the place of the shell, and never waits for the first one.
    const holder = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void holder.kill('SIGKILL'));
    const [pid] = await once(holder.stdout, 'data');
    const daemon = await startDaemon({ args: ['--parent-pid', String(pid).trim()] });
    onTestFinished(() => daemon.stop());
    expect(await daemon.process.exited).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('parent process is gone'),
    });
  });

  it('SY-01 ends when nobody asks for long, and not before', async () => {
    const daemon = await startDaemon({ args: ['--idle-exit', String(1 / 60)] });
    const started = Date.now();
    while (Date.now() - started < 1_500) expect((await daemon.request('/health')).status).toBe(200);
    expect(await daemon.process.exited).toMatchObject({ code: 0, stderr: expect.stringContaining('no request') });
    await daemon.stop();
  });

  it.each([
    ['a timer', "setTimeout(() => { throw new Error('boom') }, 1)"],
    ['a promise', "Promise.reject(new Error('boom'))"],
    ['a stream', "new stream.Readable({ read() {} }).destroy(new Error('boom'))"],
    ['a hook of the server', 'process.boom = true'],
    ['a worker', 'new threads.Worker(\'throw new Error("boom")\', { eval: true })'],
  ])(
    'S-81 an error of %s that nobody caught is logged and ends it with 70, and the next start is clean',
    async (_, throwing) => {
      const preload = join(directory, 'preload.mjs');
      const hook = `const { emit } = http.Server.prototype;
      http.Server.prototype.emit = function (...args) {
        if (process.boom && args[0] === 'request') throw new Error('boom');
        return emit.apply(this, args);
      };`;
      const imports =
        "import http from 'node:http'; import stream from 'node:stream'; import threads from 'node:worker_threads';";
      writeFileSync(preload, `${imports} ${hook} process.on('SIGUSR2', () => { ${throwing} });`);
      const daemon = await startDaemon({ stateDirectory: state, nodeOptions: ['--import', preload] });
      expect((await daemon.request('/v1/roots', { body: { path: directory } })).status).toBe(201);
      daemon.process.child.kill('SIGUSR2');
      const timer = setInterval(() => void daemon.request('/health').catch(() => undefined), 50);
      const { code, stderr } = await daemon.process.exited;
      clearInterval(timer);
      expect([code, stderr]).toEqual([70, expect.stringContaining('boom')]);
      expect(
        stderr
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
          .at(-1),
      ).toMatchObject({ level: 50 });
      expect(existsSync(join(state, 'daemon.json'))).toBe(false);
      await daemon.stop();
      await using next = await startDaemon({ stateDirectory: state });
      expect(await next.request('/v1/status')).toMatchObject({ status: 200, body: { warnings: [] } });
      expect(await next.request('/v1/roots')).toMatchObject({ body: { roots: [{}, { path: directory }] } });
    },
  );

  it('says what helps when the port is taken', async () => {
    const other = createServer();
    const port = await listenOnLoopback(other);
    const run = await runContextd(['serve', '--port', String(port), '--state-dir', state], {
      env: { HOME: directory },
    });
    expect(run).toMatchObject({ code: 78, stdout: '', stderr: expect.stringMatching(`port ${port} is taken.*--port`) });
    expect(existsSync(join(state, 'daemon.json'))).toBe(false);
    other.close();
  });

  it('says that the port is taken by another contextd', async () => {
    await using other = await startDaemon();
    const { port } = new URL(other.url);
    const env = { HOME: directory, CONTEXTD_PORT: port };
    const serve = await runContextd(['serve', '--state-dir', state], { env });
    expect([serve.code, serve.stderr]).toEqual([
      78,
      expect.stringMatching(`port ${port} is taken by another contextd.*--state-dir.*--port`),
    ]);
    const doctor = await runContextd(['doctor', '--state-dir', state], { env });
    expect(doctor.stdout).toMatch(new RegExp(`${port} is used by another contextd.*\\n.*--state-dir`, 'u'));
  });

  it('refuses a damaged lock with 78', async () => {
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'daemon.lock'), 'no database '.repeat(1_000), { mode: 0o600 });
    expect(await serve()).toMatchObject({ code: 78, stderr: expect.stringContaining('daemon.lock') });
  });

  it('S-80 leaves no file when it is told to end while it starts', async () => {
    for (const afterMs of [50, 150, 250, 350]) {
      const run = spawnContextd(['serve', '--port', '0', '--state-dir', state], { env: { HOME: directory } });
      await new Promise((done) => setTimeout(done, afterMs));
      run.child.kill('SIGTERM');
      await run.exited;
      expect(existsSync(join(state, 'daemon.json')), `after ${afterMs} ms`).toBe(false);
    }
  });
});
