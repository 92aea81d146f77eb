/** The doctor asks the daemon that runs, wherever it is (SY-04). */
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/bin/daemon/doctor.ts';
import { runContextd, startDaemon } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

describe('doctor', () => {
  it('SY-04 tells what the running daemon says of itself, also one that the environment names', async () => {
    await using daemon = await startDaemon({ env: { CLIENT_CONTEXT_PATH: '/absolute' } });
    const said = async (environment?: Record<string, string>): Promise<Diagnosis> => {
      const run = environment
        ? await runContextd(['doctor', '--json'], { env: { HOME: daemon.home, ...environment } })
        : await daemon.cli(['doctor', '--json']);
      expect([run.code, run.stderr]).toEqual([0, '']);
      return JSON.parse(run.stdout);
    };
    const bySelf = [
      { subject: 'daemon', state: 'good', says: expect.stringContaining(`runs on ${daemon.url}`) },
      { subject: 'granted roots', state: 'notice', mend: 'contextd roots grant <dir>' },
      { subject: 'model', state: 'notice', mend: expect.stringContaining('contextd warm') },
      { subject: 'warning', state: 'notice', says: expect.stringContaining('CLIENT_CONTEXT_PATH') },
    ];
    const { findings } = await said();
    for (const finding of bySelf) expect(findings).toContainEqual(expect.objectContaining(finding));
    expect(findings.map(({ subject }) => subject)).toContain('state directory');
    const named = await said({ CONTEXTD_URL: daemon.url, CONTEXTD_TOKEN: daemon.token });
    for (const finding of bySelf) expect(named.findings).toContainEqual(expect.objectContaining(finding));
    expect(named.findings.map(({ subject }) => subject)).not.toContain('state directory');
  });

  it.runIf(process.getuid?.() === 0)('SY-04 says whose state directory it cannot look into', async () => {
    const home = temporaryDirectory();
    const state = join(home, 'state');
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'daemon.json'), '{}', { mode: 0o600 });
    chmodSync(home, 0o755);
    const other = { env: { HOME: home }, userId: 65_534 };
    const own = 'Name a directory of your own: --state-dir <dir>';
    const [above, below] = await Promise.all(
      [state, join(state, 'below')].map((path) => runContextd(['doctor', '--json', '--state-dir', path], other)),
    );
    for (const run of [above, below]) {
      const { findings } = JSON.parse(run?.stdout ?? '') as Diagnosis;
      expect(findings.find(({ subject }) => subject === 'state directory')).toMatchObject({
        state: 'fault',
        mend: own,
      });
    }
    const asked = await runContextd(['status', '--state-dir', state], other);
    expect(asked).toMatchObject({ code: 78, stderr: expect.stringContaining(`${own}\n`) });
  });

  it.runIf(process.getuid?.() === 0)('SY-04 finds a database that its user may not write', async () => {
    const home = temporaryDirectory();
    chmodSync(home, 0o755);
    const state = join(home, 'state');
    mkdirSync(state, { mode: 0o700 });
    writeFileSync(join(state, 'contextd.db'), '', { mode: 0o400 });
    for (const path of [state, join(state, 'contextd.db')]) chownSync(path, 65_534, 65_534);
    const run = await runContextd(['doctor', '--state-dir', state], { env: { HOME: home }, userId: 65_534 });
    expect([run.code, run.stdout]).toEqual([
      1,
      expect.stringMatching(/✕ database .*cannot be read and written.*\n.*chmod u\+rw/u),
    ]);
  });

  it('SY-04 FT-10 S-91 tells which address of the store cannot be used, and no password of it', async () => {
    const home = temporaryDirectory();
    const storeOf = async (CONTEXTD_STORE: string, CONTEXTD_STORE_DIRECT: string) => {
      const run = await runContextd(['doctor', '--json'], {
        env: { HOME: home, CONTEXTD_STORE, CONTEXTD_STORE_DIRECT },
      });
      expect(run.stdout).not.toContain('hunter2canary');
      return (JSON.parse(run.stdout) as Diagnosis).findings.find(({ subject }) => subject === 'store');
    };
    const pooled = 'postgres://ada:hunter2canary@127.0.0.1:6432/x';
    const direct = pooled.replace('6432', '5432');
    expect(await storeOf('', direct)).toBeUndefined();
    expect(await storeOf(pooled, direct)).toMatchObject({ state: 'good', says: expect.stringContaining(':5432/x') });
    expect(await storeOf(pooled, `${direct}?sslmode=allow`)).toMatchObject({
      state: 'fault',
      says: expect.stringContaining('The address of the direct connection cannot be used'),
    });
  });

  it('SY-04 finds that the daemon which the environment names is not there', async () => {
    const home = temporaryDirectory();
    const env = { HOME: home, CONTEXTD_URL: `unix:${home}/none.sock`, NO_COLOR: '1' };
    const run = await runContextd(['doctor'], { env });
    expect([run.code, run.stdout]).toEqual([1, expect.stringMatching(/^✕ daemon .*none\.sock/mu)]);
  });
});
