/** The command line, each command in its own process (SY-04). */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  entryPath,
  ownProcess,
  type RunOptions,
  runContextd,
  sourceEntry,
  startDaemon,
  until,
} from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

describe('command line', () => {
  let home: string;
  let workspace: string;
  let shared: string;
  beforeAll(() => {
    home = temporaryDirectory();
    workspace = join(home, 'workspace');
    shared = join(home, 'shared');
    const files: Record<string, string> = {
      '.context/style.md': '---\ntrigger: always\n---\nUse tabs.\n',
      '.context/tests.md': '---\ntrigger: auto\nglobs: "*.spec.ts"\n---\nTest it.\n',
      '.context/context-config.json': JSON.stringify({ clientContext: { includeFiles: [`${shared}/*.md`] } }),
      '.other/other.md': '---\ntrigger: always\n---\nOther.\n',
      '../.other/global.md': '---\ntrigger: always\n---\nGlobal.\n',
      '../shared/note.md': '---\ntrigger: always\n---\nShared.\n',
    };
    writeTree(workspace, files);
  });
  /** A command with a state directory of its own, in which no daemon runs. */
  const alone = (args: string[], options: RunOptions = {}) =>
    runContextd(args, {
      cwd: workspace,
      ...options,
      env: { HOME: home, CONTEXTD_STATE_DIR: join(home, 'none'), ...options.env },
    });
  const names = (json: string) =>
    (JSON.parse(json).files as { name: string; state: string }[]).map(({ name, state }) => `${name} ${state}`);

  it.each([
    [['unknown'], 64],
    [['serve', '--default-policy', 'deny'], 64],
    [['serve', '--port', 'x'], 64],
    [['serve', '--log-level', 'loud'], 64],
    [['serve', '--idle-exit', '0'], 64],
    [['serve', '--parent-pid', '1.5'], 64],
    [['serve', '--grant-root', 'missing'], 78],
    [['resolve', '--scope', 'all'], 64],
    [['resolve', '--max-tokens', '-1'], 64],
    [['resolve', 'missing'], 64],
    [['resolve', '.', 'extra'], 64],
    [['roots'], 64],
    [['roots', 'grant'], 64],
    [['roots', 'list'], 69],
    [['roots', 'grant', '.'], 69],
    [['status'], 69],
    [['stop'], 0],
    [['--help'], 0],
    [['serve', '--help'], 0],
    [['--version'], 0],
  ])('SY-04 contextd %j exits with %i', async (args, code) => {
    const run = await alone(args);
    expect(run.code, run.stderr).toBe(code);
    if (code === 0) expect(run).toMatchObject({ stdout: expect.stringMatching(/\n$/u), stderr: '' });
    else expect(run).toMatchObject({ stdout: '', stderr: expect.stringMatching(/\n$/u) });
    expect(run.stderr).not.toMatch(/\n {4}at /u);
  });

  it('SY-04 resolve works without a daemon, starts nothing and leaves nothing', async () => {
    const state = join(home, 'never-made');
    const ask = (...args: string[]) => alone(args, { env: { CONTEXTD_STATE_DIR: state } });
    const run = await ask('resolve', '--json', '--file', 'src/a.spec.ts');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(names(run.stdout)).toEqual(['style active', 'tests active']);
    expect(run.stdout).toContain('Use tabs.');
    expect((await ask('resolve', '--json', '--no-content')).stdout).not.toContain('Use tabs.');
    expect((await ask('status')).code).toBe(69);
    expect(() => readFileSync(state)).toThrow(/ENOENT/u);
  });

  it('SY-04 resolve prints what the daemon answers, and the same without one', async () => {
    await using daemon = await startDaemon({ grantRoots: [workspace], env: { HOME: home } });
    const body = {
      mountedDirectory: workspace,
      files: ['a.spec.ts'],
      mentions: ['style'],
      budget: { maxTokens: 1_000 },
    };
    const api = await daemon.request('/v1/context/resolve', { body });
    const flags = ['--json', '--file', 'a.spec.ts', '--mention', 'style', '--max-tokens', '1000'];
    const asked = await daemon.cli(['resolve', workspace, ...flags], { env: { HOME: home } });
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(asked.stdout)).toEqual(api.body);
    expect(JSON.parse((await alone(['resolve', ...flags])).stdout)).toEqual(api.body);
  });

  it('AN-02 resolve names a file outside as left out, with and without a daemon', async () => {
    await using daemon = await startDaemon({ grantRoots: [workspace], env: { HOME: home } });
    const ask = ['resolve', workspace, '--file', '../outside.ts', '--file', 'not-yet.ts'];
    for (const run of [await daemon.cli(ask, { env: { HOME: home } }), await alone(ask)]) {
      expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining('style') });
      expect(run.stdout).toMatch(/Left out\n.*outside\.ts/u);
      expect(run.stdout).not.toContain('not-yet.ts');
    }
  });

  it('SY-04 resolve says how to ask about work in a directory that was named as a file', async () => {
    writeTree(workspace, { 'src/cart/.context/cart.md': '---\ntrigger: always\n---\nSum.\n' });
    const way = `contextd resolve ${workspace} --working-directory src/cart`;
    const { stdout, stderr } = await alone(['resolve', '--file', 'src/cart/']);
    expect(stdout).toContain('working in src\n');
    expect(stderr).toContain(`src/cart/ is a directory, so rules in it do not count. For work in it: ${way}\n`);
    expect((await alone(way.split(' ').slice(1))).stdout).toContain('working in src/cart\n2 of 3 files active');
    const twice = await alone(['resolve', '--file', 'src/cart', '--file', 'src/cart/']);
    expect(twice.stderr.match(/is a directory/gu)).toHaveLength(1);
    expect(await alone(['resolve', '--file', 'src/cart', '--json'])).toMatchObject({ code: 0, stderr: '' });
    for (const also of ['--working-directory=src/cart', '--file=src/cart/sum.ts'])
      expect(await alone(['resolve', '--file', 'src/cart', also])).toMatchObject({ code: 0, stderr: '' });
    rmSync(join(workspace, 'src'), { recursive: true });
  });

  it('SY-04 resolve says how to see why a file that was asked for is not there', async () => {
    writeTree(workspace, { 'lib/AGENTS.md': 'Of lib.\n', 'other/a.ts': '' });
    const asked = ['resolve', '--file', 'other/a.ts', '--mention', 'lib/AGENTS.md', '--mention', 'none.md'];
    const { stdout, stderr } = await alone([...asked, '--mention', 'style', '--mention', '', '--mention', '.']);
    expect(stdout).toContain('No context file is called "lib/AGENTS.md".');
    const way = `contextd explain lib/AGENTS.md ${workspace}`;
    expect(stderr).toBe(`lib/AGENTS.md is there, but it is not context for this request. To see why: ${way}\n`);
    expect((await alone(way.split(' ').slice(1))).stdout).toContain('not on the way');
    expect(await alone([...asked, '--json'])).toMatchObject({ code: 0, stderr: '' });
    for (const path of ['lib', 'other']) rmSync(join(workspace, path), { recursive: true });
  });

  it('SY-04 init asks about a directory the daemon may not read only once', async () => {
    await using daemon = await startDaemon({ env: { HOME: home } });
    const shop = join(home, 'shop');
    writeTree(shop, { 'a/AGENTS.md': 'Of a.\n', 'b/AGENTS.md': 'Of b.\n' });
    expect((await daemon.cli(['init', shop])).stdout).toContain('2 rule files in directories below');
    const { requests } = JSON.parse((await daemon.cli(['status', '--json'])).stdout) as { requests: object };
    expect(requests).toMatchObject({ refused: 1 });
  });

  it('SY-04 resolve answers for a directory the daemon may not read, and says so', async () => {
    await using daemon = await startDaemon({ env: { HOME: home } });
    expect((await daemon.request('/v1/context/resolve', { body: { mountedDirectory: workspace } })).status).toBe(403);
    const asked = await daemon.cli(['resolve'], { cwd: workspace, env: { HOME: home } });
    expect(asked).toMatchObject({ code: 0, stdout: expect.stringContaining('style') });
    expect(asked.stderr).toContain(`contextd roots grant ${workspace}`);
    expect(await daemon.cli(['resolve', '--json'], { cwd: workspace, env: { HOME: home } })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('CC-02 resolve takes the context paths of the caller’s environment, with and without a daemon', async () => {
    await using daemon = await startDaemon({ grantRoots: [home], env: { HOME: join(home, 'elsewhere') } });
    const env = { HOME: join(home, 'elsewhere'), CLIENT_CONTEXT_PATH: '.other', GLOBAL_CONTEXT_PATH: home };
    const asked = await daemon.cli(['resolve', workspace, '--json'], { env });
    expect(names(asked.stdout)).toEqual(['~:global active', 'other active']);
    expect(names((await alone(['resolve', '--json'], { env })).stdout)).toEqual(['~:global active', 'other active']);
    const wrong = await daemon.cli(['resolve', workspace, '--json'], {
      env: { HOME: home, CLIENT_CONTEXT_PATH: '/abs' },
    });
    expect(JSON.parse(wrong.stdout).warnings[0].code).toBe('invalid_client_context_path');
  });

  it('CC-33 roots are granted for good, and count for resolve whether the daemon runs or not', async () => {
    const stateDirectory = join(home, 'kept');
    const included = async () => {
      const run = await runContextd(['resolve', workspace, '--json', '--state-dir', stateDirectory], {
        env: { HOME: home },
      });
      // Out of its repository, it waits to be mentioned.
      return names(run.stdout).some((name) => /\bnote available$/u.test(name));
    };
    {
      await using daemon = await startDaemon({ stateDirectory, env: { HOME: home } });
      expect(await included()).toBe(false);
      const granted = await daemon.cli(['roots', 'grant', 'shared'], { cwd: home });
      expect(granted).toMatchObject({ code: 0, stdout: `The daemon may read ${shared}.\n` });
      expect((await daemon.cli(['roots', 'grant', 'missing'], { cwd: home })).code).toBe(64);
      expect(JSON.parse((await daemon.cli(['roots', 'list', '--json'])).stdout).roots).toContainEqual({
        path: shared,
        origin: 'stored',
        grantedAt: expect.any(String),
      });
      expect(await included()).toBe(true);
    }
    expect(await included()).toBe(true);
    await using again = await startDaemon({ stateDirectory, env: { HOME: home } });
    expect((await again.cli(['roots', 'list'])).stdout).toContain(`${shared}\n`);
    expect((await again.cli(['roots', 'revoke', shared])).code).toBe(0);
    expect((await again.cli(['roots', 'revoke', shared])).code).toBe(64);
    expect(await included()).toBe(false);
  });

  it('SY-04 status says where the daemon runs and what it may read', async () => {
    await using daemon = await startDaemon({ grantRoots: [workspace] });
    const run = await daemon.cli(['status']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    for (const part of [daemon.url, String(daemon.process.child.pid), workspace, '~/state/daemon.json']) {
      expect(run.stdout).toContain(part);
    }
    expect(run.stdout).not.toContain(daemon.token);
    const { url, pid } = JSON.parse((await daemon.cli(['status', '--json'])).stdout);
    expect([url, pid]).toEqual([daemon.url, daemon.process.child.pid]);
  });

  it('SY-02 openapi prints the committed document', async () => {
    const committed = readFileSync(join(import.meta.dirname, '../../openapi/openapi.json'), 'utf8');
    expect(await alone(['openapi'])).toEqual({ code: 0, stderr: '', stdout: committed });
  });

  it('prints no escape sequence into a pipe, and bears that its reader stops reading', async () => {
    expect((await alone(['resolve'])).stdout).not.toContain('\u001b');
    const command = `'${process.execPath}' '${entryPath}' openapi | head -c 1; exit \${PIPESTATUS[0]:-0}`;
    const options = { cwd: workspace, env: { PATH: process.env.PATH, HOME: home } };
    expect(execFileSync('/bin/bash', ['-c', command], options).toString()).toBe('{');
  });

  it('S-44 lets no name steer the terminal when it fails', async () => {
    const { code, stderr } = await alone(['import', 'a\u001b[2J\u202eb']);
    expect([code, stderr]).toEqual([
      64,
      expect.stringContaining(String.raw`a\u{1b}[2J\u{202e}b cannot be read (ENOENT).`),
    ]);
  });

  it('SY-04 says that the current directory is gone', async () => {
    const gone = join(home, 'gone');
    mkdirSync(gone);
    const script = `rmdir '${gone}'; exec '${process.execPath}' '${entryPath}' status`;
    const shell = spawn('/bin/sh', ['-c', script], { cwd: gone, env: { HOME: home } });
    const [said, [code]] = await Promise.all([text(shell.stderr), once(shell, 'exit')]);
    expect([code, said]).toEqual([78, 'contextd: the current directory is gone; go to another one.\n']);
  });

  it.each(['', 'relative'])('SY-01 takes no home from the current directory, where HOME is %j', async (named) => {
    const args = ['status', '--state-dir', '~/none-of-a-test'];
    const own = join(userInfo().homedir, 'none-of-a-test');
    const { code, stderr } = await runContextd(args, { ...ownProcess, cwd: workspace, env: { HOME: named } });
    expect([code, stderr]).toEqual([69, expect.stringContaining(`there is no discovery file in ${own}.`)]);
  });

  it('SY-04 says that nobody knows the home directory, and what to set', async () => {
    const unknown = join(home, 'unknown.mjs');
    writeFileSync(
      unknown,
      `import os from 'node:os';
       import { syncBuiltinESMExports } from 'node:module';
       const fail = (syscall) => () => { throw Object.assign(new Error('ENOENT'), { syscall }); };
       Object.assign(os, { homedir: fail('uv_os_homedir'), userInfo: fail('uv_os_get_passwd') });
       syncBuiltinESMExports();`,
    );
    const nodeOptions = ['--import', unknown];
    const { code, stderr } = await runContextd(['status'], { cwd: workspace, nodeOptions });
    expect([code, stderr]).toEqual([78, 'contextd: HOME is not set, and this user has no home directory; set HOME.\n']);
  });

  it('S-44 lets no argument and no failure steer the terminal, in messages and in JSON', async () => {
    const hostile = 'a\u001b[2J\u202eb';
    const shown = String.raw`a\u{1b}[2J\u{202e}b`;
    const steering = /[^\P{C}\n]/u;
    for (const args of [[hostile], ['resolve', `--${hostile}`], ['serve', '--log-level', hostile], ['list', hostile]])
      expect((await alone(args)).stderr).not.toMatch(steering);
    expect((await alone([hostile])).stderr).toContain(shown);

    const breaking = join(home, 'breaking.mjs');
    writeFileSync(breaking, `process.cwd = () => { throw new Error(${JSON.stringify(hostile)}); };`);
    const failed = await alone(['status'], { nodeOptions: ['--import', breaking] });
    expect([failed.code, failed.stderr]).toEqual([70, expect.stringContaining(`${shown}\n    at `)]);
    expect(failed.stderr).not.toMatch(steering);

    const odd = 'x\u009b\u007f\u202e\u2028\u{e0041}é.ts';
    const { stdout } = await alone(['policy', 'check', odd, '--json']);
    expect(JSON.parse(stdout).decisions).toMatchObject([{ path: join(workspace, odd) }]);
    expect(stdout).toContain(String.raw`x\u009b\u007f\u202e\u2028\udb40\udc41é.ts`);
  });

  it.runIf(existsSync('/dev/full'))('S-71 says that its output could not be written; the daemon goes on', async () => {
    const options = { cwd: workspace, env: { ...process.env, HOME: home, CONTEXTD_STATE_DIR: join(home, 'full') } };
    const intoFull = (...args: string[]) =>
      spawn('/bin/sh', ['-c', 'exec "$@" > /dev/full', 'sh', process.execPath, entryPath, ...args], options);
    const failing = intoFull('openapi');
    const [said, [code]] = await Promise.all([text(failing.stderr), once(failing, 'exit')]);
    expect([code, said]).toEqual([69, 'contextd: standard output cannot be written (ENOSPC).\n']);
    const daemon = intoFull('serve', '--port', '0', '--json');
    const ended = once(daemon, 'exit');
    daemon.stderr.resume();
    const own = { env: { CONTEXTD_STATE_DIR: join(home, 'full') } };
    await until(() => daemon.exitCode !== null || existsSync(join(home, 'full/daemon.json')));
    expect((await alone(['status'], own)).stderr).toBe('');
    await alone(['stop'], own);
    expect(await ended).toEqual([0, null]);
  });

  it('loads only what a command needs: resolve no HTTP framework, help no schemas', async () => {
    const spy = join(home, 'spy.mjs');
    writeFileSync(
      spy,
      `import { registerHooks } from 'node:module';
       import { appendFileSync } from 'node:fs';
       registerHooks({ load(url, context, next) { appendFileSync(process.env.LOADED, url + '\\n'); return next(url, context); } });`,
    );
    const loaded = async (...args: string[]) => {
      const path = join(home, 'loaded');
      writeFileSync(path, '');
      await alone(args, { entry: sourceEntry, nodeOptions: ['--import', spy], env: { LOADED: path } });
      return readFileSync(path, 'utf8');
    };
    const resolving = await loaded('resolve');
    expect(resolving).toContain('/src/engine.ts');
    expect(resolving).not.toMatch(/\/node_modules\/(@?fastify|pino)\//u);
    const help = await loaded('--help');
    expect(help).toContain('/node_modules/commander/');
    expect(help).not.toMatch(/\/node_modules\/(zod|fastify|pino)\/|node:sqlite|\/src\/engine\.ts/u);
  });

  it('cuts and wraps nothing in a pipe, which has no edge', async () => {
    const long = `${'rather-deep-directory/'.repeat(6)}file-with-a-long-name.md`;
    mkdirSync(join(workspace, '.context', long, '..'), { recursive: true });
    writeFileSync(
      join(workspace, '.context', long),
      `---\ntrigger: manual\ndescription: ${'many words '.repeat(30)}\n---\nX.\n`,
    );
    const { stdout } = await alone(['resolve']);
    rmSync(join(workspace, '.context/rather-deep-directory'), { recursive: true });
    const name = long.replace(/\.md$/u, '');
    expect(stdout.split('\n').filter((line) => line.includes(name))).toHaveLength(1);
    expect(stdout).not.toContain('…');
  });

  it('speaks of what was typed, not of bodies and pointers', async () => {
    const missing = await alone(['resolve', '/nope']);
    expect([missing.code, missing.stderr]).toEqual([64, 'contextd: The mounted directory does not exist: /nope\n']);
    await using daemon = await startDaemon({ grantRoots: [workspace] });
    const empty = await daemon.cli(['search', ''], { cwd: workspace });
    expect([empty.code, empty.stderr]).toEqual([64, 'contextd: query: Must not be empty.\n']);
  });

  it('loads no HTTP client to serve', () => {
    const app = pathToFileURL(join(import.meta.dirname, '../../routes/app.ts')).href;
    const script = `await import('${app}'); console.log(process.moduleLoadList.join('\\n'))`;
    const loaded = execFileSync(process.execPath, ['--input-type=module', '-e', script]).toString();
    expect(loaded).toContain('NativeModule http');
    expect(loaded).not.toContain('undici');
  });

  it('says in one line what it needs when an older Node.js runs it', async () => {
    const old = join(home, 'old.mjs');
    writeFileSync(
      old,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.17.1' } });
       Object.defineProperty(process, 'version', { value: 'v22.17.1' });`,
    );
    const run = await alone(['serve'], { nodeOptions: ['--import', old] });
    expect(run).toEqual({
      code: 78,
      stdout: '',
      stderr: 'contextd needs Node.js 22.23 or newer; this is Node.js v22.17.1\n',
    });
  });

  it('shows no warning of Node.js about what is experimental in it, but all others', async () => {
    const later = join(home, 'later.mjs');
    writeFileSync(
      later,
      `process.once('beforeExit', () => {
         process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
         process.emitWarning('This is another one', 'Warning');
       });`,
    );
    const { stderr } = await alone(['completion', 'bash'], { nodeOptions: ['--import', later] });
    expect(stderr).toContain('This is another one');
    expect(stderr).not.toContain('experimental');
  });
});
