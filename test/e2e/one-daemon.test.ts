/** One daemon per user and data directory (SY-01, S-73). */
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { daemonEnvironment, daemonNodeOptions } from '../../src/bin/daemon/node-options.ts';
import { type RunningProcess, runContextd, spawnContextd, startDaemon, until } from '../support/daemon.ts';
import { isRunning } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';
import { sized } from '../support/test-size.ts';

const count = sized(20, 50, 6);

describe('two daemons', () => {
  let directory: string;
  let state: string;
  let env: Record<string, string>;
  const running: RunningProcess[] = [];
  beforeEach(() => {
    directory = temporaryDirectory();
    state = join(directory, 'state');
    env = { HOME: directory };
  });
  afterEach(async () => {
    for (const { child } of running) child.kill('SIGKILL');
    await Promise.all(running.splice(0).map(({ exited }) => exited));
  });
  const serve = () => {
    const started = spawnContextd(['serve', '--port', '0', '--state-dir', state, '--json'], { env });
    running.push(started);
    return started;
  };

  it(`S-73 SY-01 of ${count} started at once one serves, the others exit with 75 and say where it is; after kill -9 the next starts`, async () => {
    const all = Array.from({ length: count }, serve);
    await until(() => all.filter(({ output }) => output.code !== null).length === count - 1, 90_000);
    const winners = all.filter(({ output }) => output.code === null);
    expect(winners).toHaveLength(1);
    const [winner] = winners as [RunningProcess];
    const { url, pid } = JSON.parse(winner.output.stdout);
    expect(pid).toBe(winner.child.pid);
    for (const { output } of all.filter((each) => each !== winner)) {
      expect(output).toEqual({ code: 75, stdout: '', stderr: expect.stringContaining(url) });
    }
    winner.child.kill('SIGKILL');
    await winner.exited;
    const next = serve();
    await until(() => next.output.stdout.includes('\n'));
    expect(JSON.parse(next.output.stdout).pid).toBe(next.child.pid);
  }, 120_000);

  it.each([
    ['', 'state'],
    // No socket can have such a long path.
    [' without a socket', 'state'.repeat(20)],
  ])(
    'S-73 a copy of a state directory%s has a daemon of its own, and does not stop that of the original',
    async (_, name) => {
      state = join(directory, name);
      await using original = await startDaemon({ stateDirectory: state });
      const copy = join(directory, 'copy');
      cpSync(state, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      const inCopy = (...args: string[]) => runContextd([...args, '--state-dir', copy], { env });
      expect(await inCopy('stop')).toMatchObject({ stdout: expect.stringContaining(`a copy of that in ${state}`) });
      expect(await inCopy('start', '--port', '0')).toMatchObject({
        code: 0,
        stdout: expect.not.stringContaining('already'),
      });
      expect(await inCopy('stop')).toMatchObject({ code: 0 });
      expect((await original.request('/health')).status).toBe(200);
      // The same directory by another name is no copy.
      symlinkSync(state, join(directory, 'link'));
      const linked = await runContextd(['status', '--state-dir', join(directory, 'link')], { env });
      expect(linked).toMatchObject({ code: 0, stdout: expect.stringContaining(original.url) });
    },
  );

  it('S-73 the lock is kept for as long as the daemon runs, whatever the garbage collector does', async () => {
    const preload = join(directory, 'preload.mjs');
    writeFileSync(
      preload,
      "process.on('SIGUSR2', () => { gc(); setImmediate(() => { gc(); console.error('collected') }) });",
    );
    await using daemon = await startDaemon({
      stateDirectory: state,
      nodeOptions: ['--expose-gc', '--import', preload],
    });
    daemon.process.child.kill('SIGUSR2');
    await until(() => daemon.process.output.stderr.includes('collected'));
    expect(await serve().exited).toMatchObject({ code: 75, stderr: expect.stringContaining(daemon.url) });
  });

  it('S-73 another state directory is another daemon', async () => {
    await using first = await startDaemon({ stateDirectory: state });
    await using second = await startDaemon({ stateDirectory: join(directory, 'other') });
    expect(second.port).not.toBe(first.port);
    expect(second.token).not.toBe(first.token);
  });

  it('S-73 one that starts while the first is ending waits for it', async () => {
    const first = await startDaemon({ stateDirectory: state });
    first.process.child.kill('SIGTERM');
    const second = serve();
    await until(() => second.output.stdout.includes('\n'));
    expect(JSON.parse(second.output.stdout).pid).toBe(second.child.pid);
    expect(await first.process.exited).toMatchObject({ code: 0 });
    await first.stop();
  });

  it('SY-01 start runs it in the background, and started again finds the first', async () => {
    const start = (...args: string[]) =>
      runContextd(['start', '--port', '0', '--state-dir', state, ...args], { env, cwd: directory });
    const first = await start('--grant-root', '.', '--json');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    const { url, pid } = JSON.parse(first.stdout);
    try {
      expect(await start()).toEqual({
        code: 0,
        stderr: '',
        stdout: `contextd runs already at ${url} (process ${pid})\n`,
      });
      // Given again, it still holds only until the daemon stops.
      expect(await start('--grant-root', '.')).toMatchObject({ code: 0 });
      const roots = await runContextd(['roots', 'list', '--state-dir', state], { env });
      expect(roots.stdout).toContain(`${directory}  (until the daemon stops)`);
      expect(readFileSync(join(state, 'contextd.log'), 'utf8')).toContain('"msg":"ready"');
      if (process.platform === 'linux') {
        const ofProcess = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8').split('\0');
        expect(ofProcess('cmdline')).toEqual(expect.arrayContaining([...daemonNodeOptions]));
        const environment = Object.entries(daemonEnvironment).map(([name, value]) => `${name}=${value}`);
        expect(ofProcess('environ')).toEqual(expect.arrayContaining(environment));
      }
    } finally {
      const stop = await runContextd(['stop', '--state-dir', state], { env });
      expect(stop).toEqual({ code: 0, stderr: '', stdout: `contextd at ${url} has stopped.\n` });
    }
    expect(isRunning(pid)).toBe(false);
    expect(await runContextd(['stop', '--state-dir', state], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  it('SY-01 start says why the daemon could not, with its exit code', async () => {
    await using other = await startDaemon();
    const run = await runContextd(['start', '--port', String(other.port), '--state-dir', state], { env });
    expect(run).toMatchObject({ code: 78, stdout: '' });
    expect(run.stderr).toMatch(/^contextd: port \d+ is taken/u);
  });
});
