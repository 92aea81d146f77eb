/** Arguments that contradict each other or cannot be used: 64 and a sentence, never silence, never a stack. */
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RunOptions, runContextd, spawnContextd, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { goldenPath } from '../support/exports.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let home: string;
let project: string;
let daemon: TestDaemon;
beforeAll(async () => {
  home = temporaryDirectory();
  project = join(home, 'project');
  mkdirSync(project);
  daemon = await startDaemon({ grantRoots: [project], args: ['--offline'] });
});
afterAll(() => daemon?.stop());

const run = (args: readonly string[], options: RunOptions = {}) => daemon.cli(args, { cwd: project, ...options });

describe('arguments of which one would count for nothing', () => {
  it.each([
    [['watch', '--all', '.']],
    [['watch', '--all', '-w', '.']],
    [['search', 'errors', '.', '--agent', 'rev']],
    [['warm', '.', '--agent', 'rev']],
    [['warm', '.', '--model-only']],
    [['mcp', 'list', '-d', '.', '--agent', 'rev']],
    [['mcp', 'call', 'x', 'y', '-w', '.', '--agent', 'rev']],
    [['export', '-', '--force']],
    [['export', '-', '--json']],
  ])('SY-04 contextd %j is refused', async (args) => {
    const { child, exited } = spawnContextd([...args, '--state-dir', daemon.stateDirectory], { cwd: project });
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    const { code, stdout, stderr } = await exited;
    clearTimeout(timer);
    expect([code, stdout, stderr]).toEqual([64, '', expect.stringMatching(/cannot be used/u)]);
  });

  it('SY-01 an empty name is no state directory', async () => {
    for (const command of ['status', 'serve'])
      expect(await runContextd([command, '--state-dir', ''])).toMatchObject({
        code: 64,
        stdout: '',
        stderr: expect.stringContaining('--state-dir'),
      });
  });
});

describe('contextd supplementary add', () => {
  it('SU-01 lets the daemon say what is wrong with a path that cannot be looked at', async () => {
    symlinkSync('loop', join(project, 'loop'));
    const added = await run(['supplementary', 'add', 'loop', 'x'.repeat(300)]);
    expect(added.stderr).not.toMatch(/\n {4}at /u);
    expect([0, 64]).toContain(added.code);
    expect((await run(['supplementary', 'clear'])).code).toBe(0);
  });

  it('SU-01 says which path fails, and what was added before', async () => {
    const args = ['supplementary', 'add', 'a.ts', '/etc/passwd', 'b.ts'];
    const added = await run(args);
    expect(added).toMatchObject({ code: 64, stderr: expect.stringMatching(/^contextd: \/etc\/passwd: .*granted/u) });
    expect(added.stdout).toMatch(/^file {4}a\.ts .*\n$/u);
    const { code, stdout } = await run([...args, '--json']);
    expect([code, JSON.parse(stdout).items]).toMatchObject([64, [{ relativePath: 'a.ts' }]]);
  });
});

it('RT-01 retrieve says how to ask without a file when it gets a directory for one', async () => {
  for (const directory of ['.', project]) {
    const { code, stderr } = await run(['retrieve', directory]);
    const how = `Without a file: contextd retrieve -d ${directory}\n`;
    expect([code, stderr]).toEqual([64, expect.stringContaining(how)]);
  }
  const { stderr } = await run(['retrieve', 'project', home]);
  expect(stderr).toContain(`Without a file: contextd retrieve -d ${project}\n`);
});

it('SY-01 service print asks for the user only where the service names them', async () => {
  const preload = join(home, 'nobody.mjs');
  writeFileSync(
    preload,
    `import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module';
     os.userInfo = () => { throw new Error('uv_os_get_passwd ENOENT'); }; syncBuiltinESMExports();`,
  );
  const print = (kind: string) =>
    runContextd(['service', 'print', kind], { env: { HOME: home }, nodeOptions: ['--import', preload] });
  expect(await print('--systemd')).toMatchObject({ code: 0, stderr: '' });
  expect(await print('--launchd')).toMatchObject({ code: 0, stderr: '' });
});

it('import --dry-run ends as the import would, and says what is in its way', async () => {
  const state = join(home, 'imported');
  const look = (...args: string[]) => runContextd(['import', goldenPath, '--dry-run', '--state-dir', state, ...args]);
  expect(await look()).toMatchObject({ code: 0, stderr: '' });
  expect((await runContextd(['import', goldenPath, '--state-dir', state])).code).toBe(0);
  const before = readFileSync(join(state, 'contextd.db'));
  const looked = await look();
  expect(looked).toMatchObject({ code: 64, stdout: expect.stringContaining('Would be imported') });
  expect(looked.stderr).toContain('there is state already');
  const { code, stdout } = await look('--json');
  expect([code, JSON.parse(stdout).refusal]).toEqual([64, expect.stringContaining('there is state already')]);
  expect(await look('--replace')).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(join(state, 'contextd.db'))).toEqual(before);
  const running = await runContextd(['import', goldenPath, '--dry-run', '--state-dir', daemon.stateDirectory]);
  expect([running.code, running.stderr]).toEqual([75, expect.stringContaining('a daemon runs')]);
  expect(running.stdout).toContain('Would be imported');
});

it('SY-03 watch ends where waiting does not help', async () => {
  const state = join(home, 'watched');
  await using first = await startDaemon({ grantRoots: [project], stateDirectory: state });
  const { child, output, exited } = spawnContextd(['watch', project, '--state-dir', state], { env: { HOME: home } });
  onTestFinished(() => void child.kill('SIGKILL'));
  await until(() => output.stderr.includes('Watching'));
  await first.stop();
  await until(() => output.stderr.includes('The daemon is gone'));
  writeFileSync(join(state, 'daemon.json'), '{}');
  chmodSync(join(state, 'daemon.json'), 0o644);
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  expect(await exited).toMatchObject({ code: 78, stderr: expect.stringContaining('cannot be trusted') });
  clearTimeout(timer);
});
