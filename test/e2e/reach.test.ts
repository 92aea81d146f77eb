/** Who can reach the daemon, and what can change how it runs: where it listens (S-13), its workspace (S-20), its log (S-09). */
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RequestOptions, runContextd, sendRequest, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

describe('reach of the daemon', () => {
  let directory: string;
  beforeEach(() => {
    directory = temporaryDirectory();
  });

  /** Says on standard error when a socket begins to listen, before anything else happens. */
  function listenSpy(): string {
    const path = join(directory, 'spy.mjs');
    writeFileSync(
      path,
      `import net from 'node:net';
       const { listen } = net.Server.prototype;
       net.Server.prototype.listen = function (...args) {
         console.error('SPY listens on', JSON.stringify(args[0]));
         return listen.apply(this, args);
       };`,
    );
    return path;
  }

  const hosts = [
    '0.0.0.0',
    '::',
    '',
    '0',
    '0x0',
    '0.0',
    '::0',
    '::ffff:0.0.0.0',
    '０',
    '192.168.1.5',
    'example.com',
    '[::]',
    'localhost',
  ];
  it.each(hosts)('S-13 --host "%s" exits with 78 and never listens', async (host) => {
    const state = join(directory, 'state');
    const args = ['serve', '--port', '0', '--state-dir', state, `--host=${host}`];
    const run = await runContextd(args, { env: { HOME: directory }, nodeOptions: ['--import', listenSpy()] });
    expect(run).toMatchObject({ code: 78, stdout: '' });
    expect(run.stderr).toContain('--dangerously-bind');
    expect(run.stderr).not.toContain('SPY');
    expect(existsSync(state)).toBe(false);
  });

  it.each([
    ['without an allowed host', ['--dangerously-bind=0.0.0.0']],
    ['with a name', ['--dangerously-bind=example.com', '--allowed-host=example.com:80']],
    ['and another host', ['--dangerously-bind=0.0.0.0', '--host=127.0.0.1', '--allowed-host=x:1']],
  ])('S-13 --dangerously-bind %s exits with 78 and never listens', async (_, flags) => {
    const args = ['serve', '--port', '0', '--state-dir', join(directory, 'state'), ...flags];
    const run = await runContextd(args, { env: { HOME: directory }, nodeOptions: ['--import', listenSpy()] });
    expect(run).toMatchObject({ code: 78, stdout: '' });
    expect(run.stderr).not.toContain('SPY');
  });

  it('S-13 with both flags it listens there, says the risk, and still demands token and Host', async () => {
    const args = ['--dangerously-bind=0.0.0.0', '--allowed-host=context.test:80'];
    await using daemon = await startDaemon({ args, nodeOptions: ['--import', listenSpy()] });
    expect(daemon.process.output.stderr).toContain('SPY listens on {"host":"0.0.0.0"');
    expect(daemon.process.output.stderr).toContain('not encrypted');
    const status = async (host: string, authorization = `Bearer ${daemon.token}`) =>
      (await sendRequest(`${daemon.url}/v1/status`, { headers: { host, authorization } })).status;
    expect(await status('context.test:80')).toBe(200);
    expect(await status('context.test:80', 'Bearer wrong')).toBe(401);
    expect(await status('evil.test:80')).toBe(403);
    expect(await status(`0.0.0.0:${daemon.port}`)).toBe(403);
    expect(await daemon.cli(['status'])).toMatchObject({ code: 0 });
  });

  it('S-13 without flags it listens on 127.0.0.1 alone; --host=::1 is the other loopback', async () => {
    await using daemon = await startDaemon({ nodeOptions: ['--import', listenSpy()] });
    expect(daemon.process.output.stderr.match(/SPY .*/gu)).toEqual([
      expect.stringContaining('{"host":"127.0.0.1"'),
      expect.stringContaining(join(daemon.stateDirectory, 'contextd.sock')),
    ]);
    expect(daemon.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/u);
  });

  describe('in a workspace full of configuration', () => {
    let workspace: string;
    let marker: string;
    beforeEach(() => {
      workspace = join(directory, 'workspace');
      marker = join(directory, 'marker');
      const touch = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;
      const always = (text: string) => `---\ntrigger: always\n---\n${text}\n`;
      const variables = [
        'CONTEXTD_PORT=1',
        `CONTEXTD_STATE_DIR=${workspace}/state`,
        'CLIENT_CONTEXT_PATH=.stolen',
        `GLOBAL_CONTEXT_PATH=${workspace}`,
        'HOST=0.0.0.0',
        'PORT=1',
        `NODE_OPTIONS=--require ${workspace}/evil.cjs`,
      ];
      const files: Record<string, string> = {
        '.env': variables.join('\n'),
        '.npmrc': `node-options=--require ${workspace}/evil.cjs\n`,
        'package.json': JSON.stringify({
          type: 'commonjs',
          main: 'evil.cjs',
          contextd: { trusted: true, host: '0.0.0.0' },
        }),
        'node.config.json': JSON.stringify({ nodeOptions: { import: ['./evil.cjs'] } }),
        'contextd.json': JSON.stringify({ host: '0.0.0.0', grantRoots: ['/'] }),
        '.contextdrc': 'host: 0.0.0.0',
        '.node-version': '18',
        'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { '*': ['./evil.cjs'] } } }),
        'evil.cjs': touch,
        'node_modules/pino/package.json': JSON.stringify({ main: 'index.js' }),
        'node_modules/pino/index.js': touch,
        '.context/context-config.json': JSON.stringify({ trusted: true, disabled: false, grantRoots: ['/'], port: 1 }),
        '.context/rule.md': always('A rule.'),
        '.stolen/rule.md': always('Stolen.'),
      };
      writeTree(workspace, files);
    });
    afterEach(() => {
      expect(existsSync(marker)).toBe(false);
      expect(existsSync(join(workspace, 'state'))).toBe(false);
    });

    it('S-20 the daemon runs in it as it runs elsewhere', async () => {
      const observe = async (cwd: string) => {
        await using daemon = await startDaemon({ cwd, grantRoots: [workspace] });
        const status = (await daemon.request('/v1/status')).body as Record<string, unknown>;
        const { version, nodeVersion, grantedRoots, warnings } = status;
        const roots = await daemon.request('/v1/roots');
        const resolved = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: workspace } });
        const all = [version, nodeVersion, grantedRoots, warnings, roots.text, resolved.status, resolved.text];
        return JSON.stringify(all).replaceAll(daemon.home, '<home>');
      };
      const inside = await observe(workspace);
      expect(inside).toBe(await observe(directory));
      expect(inside).toContain('A rule.');
      expect(inside).not.toContain('Stolen.');
    });

    it('CC-37 the command line answers in it as it answers elsewhere', async () => {
      const env = { HOME: directory };
      const inside = await runContextd(['resolve', '.', '--json'], { cwd: workspace, env });
      expect(inside).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('A rule.') });
      expect(inside).toEqual(await runContextd(['resolve', workspace, '--json'], { cwd: directory, env }));
    });
  });

  it('S-09 the token is in no log line, answer or output, at trace level, forced errors and a crash included', async () => {
    const preload = join(directory, 'preload.mjs');
    writeFileSync(
      preload,
      `import { readFileSync } from 'node:fs';
       process.on('SIGUSR2', () => {
         const { token } = JSON.parse(readFileSync(${JSON.stringify(join(directory, 'state/daemon.json'))}, 'utf8'));
         throw Object.assign(new Error('crash with ' + token), { token, deep: { token } });
       });`,
    );
    const daemon = await startDaemon({
      stateDirectory: join(directory, 'state'),
      args: ['--log-level', 'trace'],
      nodeOptions: ['--import', preload],
    });
    const { token } = daemon;
    const heard: string[] = [];
    const ask = async (path: string, options?: RequestOptions) => {
      const { headers, text } = await daemon.request(path, options);
      heard.push(JSON.stringify(headers), text);
    };
    await ask('/health?challenge=abc');
    await ask('/v1/status');
    await ask(`/v1/status?token=${token}`);
    await ask(`/${token}`);
    await ask('/v1/roots', { body: { path: `/${token}` } });
    await ask('/v1/roots', { body: { [token]: token } });
    await ask('/v1/context/resolve', { body: { mountedDirectory: `/${token}` } });
    await ask('/v1/status', { headers: { origin: `http://${token}`, 'x-token': token } });
    await ask('/v1/status', { headers: { host: token } });
    await ask('/v1/status', { headers: { authorization: `Basic ${token}`, cookie: `token=${token}` } });
    await ask('/docs');
    await ask('/openapi.json');
    daemon.process.child.kill('SIGUSR2');
    const { code, stdout, stderr } = await daemon.process.exited;
    await daemon.stop();
    expect(code).toBe(70);
    expect(stderr).toContain('crash with [token]');
    expect(stdout + stderr).not.toContain(token);
    // What the caller sent in a path may come back to the caller; the header never does.
    expect(heard.filter((text) => text.includes(`Bearer ${token}`))).toEqual([]);
    for (const line of stderr.trim().split('\n')) expect(() => JSON.parse(line), line).not.toThrow();
  });

  it('S-74 a stranger on the port of a killed daemon never gets the token from a command', async () => {
    const daemon = await startDaemon({ stateDirectory: join(directory, 'state') });
    daemon.process.child.kill('SIGKILL');
    await daemon.process.exited;
    const heard: string[] = [];
    const stranger = createServer((request, response) => {
      heard.push(`${request.method} ${request.url} ${request.rawHeaders.join(' ')}`);
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ status: 'ok', proof: '0'.repeat(64) }));
    });
    await once(stranger.listen(daemon.port, '127.0.0.1'), 'listening');
    for (const command of [['status'], ['roots', 'list'], ['roots', 'grant', '.']]) {
      expect(await daemon.cli(command)).toMatchObject({
        code: 69,
        stderr: expect.stringContaining('is not the daemon'),
      });
    }
    expect(await daemon.cli(['stop'])).toMatchObject({ code: 0, stdout: expect.stringContaining('is not the daemon') });
    expect(await daemon.cli(['resolve', directory])).toMatchObject({ code: 0 });
    expect(heard).toHaveLength(5);
    expect(heard.join('\n')).not.toContain(daemon.token);
    stranger.close();
    await daemon.stop();
  });

  it('S-08 no answer holds the token, even when the home directory is the workspace and everything is included', async () => {
    const daemon: TestDaemon = await startDaemon();
    const { home, token } = daemon;
    mkdirSync(join(home, '.context'));
    const includeFiles = ['**', 'state/**', '**/daemon.json', `${home}/state/*`, '~/state/*'];
    writeFileSync(join(home, '.context/context-config.json'), JSON.stringify({ clientContext: { includeFiles } }));
    await daemon.request('/v1/roots', { body: { path: home } });
    const mentions = ['state/daemon.json', join(home, 'state/daemon.json'), 'daemon'];
    const answer = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: home, mentions } });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(token);
    const inState = await daemon.request('/v1/context/resolve', {
      body: { mountedDirectory: home, workingDirectory: 'state', clientContextPath: '.', mentions },
    });
    expect(inState.text).not.toContain(token);
    expect(readFileSync(join(home, 'state/daemon.json'), 'utf8')).toContain(token);
    await daemon.stop();
  });
});
