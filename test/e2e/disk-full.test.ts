/** A daemon whose state directory lies on a disk that is full to the last byte (S-71). Needs a disk of its own to fill. */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { entryPath, ownCompileCache, runContextd, sendRequest, until } from '../support/daemon.ts';
import { goldenPath } from '../support/exports.ts';
import { isRunning } from '../support/processes.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let directory: string;
let disk: string;
let state: string;
let workspace: string;
let isMounted: boolean;
beforeEach(() => {
  directory = temporaryDirectory();
  disk = join(directory, 'disk');
  state = join(disk, 'state');
  workspace = join(directory, 'workspace');
  mkdirSync(disk);
  mkdirSync(workspace);
  isMounted = mountSmallDisk();
});
afterEach(() => {
  if (isMounted) execFileSync('umount', ['-l', disk]);
});

/** A disk of its own needs the superuser of a machine that lets him mount one. */
function mountSmallDisk(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const filler = () => join(disk, 'filler');

/** Leaves not one byte. */
function fillDisk(): void {
  for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) {
    for (;;) {
      try {
        appendFileSync(filler(), Buffer.alloc(size, 1));
      } catch {
        break;
      }
    }
  }
}

/** What is compiled is kept on that disk too. */
const cli = (...args: string[]) =>
  runContextd([...args, '--state-dir', state], { env: { HOME: directory, ...ownCompileCache } });

async function start() {
  const started = await cli('start', '--port', '0', '--grant-root', workspace, '--log-level', 'debug', '--json');
  const file = join(state, 'daemon.json');
  const { url, token, pid } = JSON.parse(existsSync(file) ? readFileSync(file, 'utf8') : '{}') as Record<
    string,
    string
  >;
  const ask = async (path: string, body?: object, method?: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return sendRequest(`${url}${path}`, { headers, ...(body && { body }), ...(method && { method }) });
  };
  return { started, ask, pid: Number(pid) };
}

const log = () => join(state, 'contextd.log');

describe('a daemon on a full disk', () => {
  it('S-71 says that the disk is full where that could not even be logged, and so does the doctor', async (context) => {
    if (!isMounted) context.skip();
    mkdirSync(state, { mode: 0o700 });
    fillDisk();
    const { started } = await start();
    expect(started).toMatchObject({ code: 78, stderr: expect.stringContaining(`The disk of ${state} is full.`) });
    const doctor = await cli('doctor');
    expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining(`The disk of ${state}`) });
    expect(doctor.stdout.match(/free some space/giu)).toHaveLength(1);
    expect((await cli('serve', '--port', '0')).stderr).toContain('The disk of the state directory is full.');
  });

  it('S-71 says which disk is full where an import is only checked', async (context) => {
    if (!isMounted) context.skip();
    fillDisk();
    const args = ['import', goldenPath, '--dry-run', '--state-dir', join(directory, 'state')];
    const env = { HOME: directory, TMPDIR: disk, ...ownCompileCache };
    const stderr = expect.stringContaining(`The disk of ${disk} is full.`);
    expect(await runContextd(args, { env })).toMatchObject({ code: 69, stderr });
  });

  it('S-71 reads and removes, refuses to store with 507, loses what it would log, and goes on when there is room', {
    timeout: 60_000,
  }, async (context) => {
    if (!isMounted) context.skip();
    const { ask } = await start();
    const roots = Array.from({ length: 30 }, (_, number) => join(directory, `${number}`));
    for (const path of roots) {
      mkdirSync(path);
      expect((await ask('/v1/roots', { path })).status).toBe(201);
    }
    const granted = roots[0] as string;
    await ask('/v1/agents/a', { name: 'A' }, 'PUT');
    const { id } = (await ask('/v1/sessions', { agentId: 'a' })).body as { id: string };
    fillDisk();
    const logged = statSync(log()).size;
    const message = { appendMessages: [{ role: 'user', content: 'x'.repeat(20_000) }] };
    await until(async () => (await ask(`/v1/sessions/${id}`, message, 'PATCH')).status === 507);
    // The daemon warns of it, and the doctor looks itself.
    expect((await cli('doctor')).stdout.match(/The disk of/gu)).toHaveLength(1);
    fillDisk();
    for (let round = 0; round < 20; round += 1) {
      expect((await ask('/v1/status')).status).toBe(200);
      expect((await ask('/v1/context/resolve', { mountedDirectory: workspace })).status).toBe(200);
      expect((await ask(`/v1/sessions/${id}`)).status).toBe(200);
      expect((await ask(`/v1/sessions/${id}`, message, 'PATCH')).status).toBe(507);
    }
    expect(statSync(log()).size - logged).toBeLessThan(20_000);
    const warnings = async () => ((await ask('/v1/status')).body as { warnings: { code: string }[] }).warnings;
    expect(await warnings()).toMatchObject([{ code: 'storage_full', message: expect.stringContaining(state) }]);
    const removals = roots.map((path) => ask(`/v1/roots?path=${encodeURIComponent(path)}`, undefined, 'DELETE'));
    expect((await Promise.all(removals)).map(({ status }) => status)).toEqual(Array(30).fill(204));
    rmSync(filler());
    expect(await warnings()).toEqual([]);
    expect((await ask('/v1/roots', { path: granted })).status).toBe(201);
    expect((await ask(`/v1/sessions/${id}`, message, 'PATCH')).status).toBe(200);
    const afterwards = statSync(log()).size;
    await ask('/v1/status');
    await until(() => statSync(log()).size > afterwards);
    for (const line of readFileSync(log(), 'utf8').trim().split('\n').slice(-1))
      expect(() => JSON.parse(line)).not.toThrow();
    expect(await cli('stop')).toMatchObject({ code: 0 });
    expect(existsSync(join(state, 'daemon.json'))).toBe(false);
  });

  it('S-71 says so when it cannot start for it, leaves nothing half written, ends there in order, and starts when there is room', {
    timeout: 60_000,
  }, async (context) => {
    if (!isMounted) context.skip();
    const first = await start();
    expect(first.started).toMatchObject({ code: 0 });
    fillDisk();
    expect(await cli('stop')).toMatchObject({ code: 0 });
    expect(isRunning(first.pid)).toBe(false);
    fillDisk();
    const refused = await cli('serve', '--port', '0', '--json');
    expect(refused).toMatchObject({ code: 78, stdout: '' });
    expect(refused.stderr).toMatch(/full|no space/iu);
    expect(refused.stderr).not.toMatch(/\n\s+at /u);
    expect(existsSync(join(state, 'daemon.json'))).toBe(false);
    rmSync(filler());
    const next = await start();
    expect(next.started).toMatchObject({ code: 0 });
    expect((await next.ask('/v1/roots')).status).toBe(200);
    expect(await cli('stop')).toMatchObject({ code: 0 });
  });

  it('S-71 cannot start on one that is read-only, and says so, and so does the doctor', async (context) => {
    if (!isMounted) context.skip();
    await start();
    expect(await cli('roots', 'grant', workspace)).toMatchObject({ code: 0 });
    expect(await cli('stop')).toMatchObject({ code: 0 });
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    for (const command of ['start', 'serve'])
      expect(await cli(command, '--port', '0'), command).toMatchObject({
        code: 78,
        stdout: '',
        stderr: expect.not.stringMatching(/internal|\n\s+at /u),
      });
    expect(await cli('doctor')).toMatchObject({ stdout: expect.stringContaining(`${state} cannot be written`) });
    const fresh = await runContextd(['serve', '--state-dir', join(disk, 'fresh/state')], { env: { HOME: directory } });
    expect(fresh).toMatchObject({ code: 78, stderr: expect.stringContaining(`you may not write to ${disk}.`) });
    const hooks = await runContextd(['hook', 'install', 'claude-code', disk, '--write'], { env: { HOME: directory } });
    expect(hooks).toMatchObject({ code: 78, stderr: expect.stringContaining(`you may not write to ${disk}.`) });
    // A disk that fails becomes read-only: the backup is wanted then.
    expect(await cli('export', '-')).toMatchObject({ code: 78, stderr: expect.stringContaining('Copy the directory') });
    const copy = join(directory, 'copy');
    cpSync(state, copy, { recursive: true });
    const exported = await runContextd(['export', '-', '--state-dir', copy], { env: { HOME: directory } });
    expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining(workspace) });
  });

  it('S-71 has no log: it serves all the same', { timeout: 30_000 }, async (context) => {
    if (!isMounted) context.skip();
    writeFileSync(filler(), '');
    fillDisk();
    const full = join(disk, 'log');
    const script = `exec "$0" "$@" 2> ${full}`;
    const elsewhere = join(directory, 'state');
    const child = spawn(
      'sh',
      [
        '-c',
        script,
        process.execPath,
        entryPath,
        'serve',
        '--port',
        '0',
        '--state-dir',
        elsewhere,
        '--json',
        '--log-level',
        'debug',
      ],
      {
        env: { PATH: process.env.PATH, HOME: directory },
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    try {
      const file = join(elsewhere, 'daemon.json');
      await until(() => existsSync(file) || child.exitCode !== null);
      const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string };
      for (let round = 0; round < 5; round += 1) expect((await sendRequest(`${url}/health`)).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
    }
    await until(() => child.exitCode !== null);
    expect(child.exitCode).toBe(0);
  });
});
