/** The doctor asks the daemon that runs, wherever it is (SY-04). */
import { describe, expect, it } from 'vitest';
import type { Diagnosis } from '../../src/bin/daemon/doctor.ts';
import { runContextd, startDaemon, temporaryDirectory } from '../support/daemon.ts';

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

  it('SY-04 finds that the daemon which the environment names is not there', async () => {
    const home = temporaryDirectory();
    const env = { HOME: home, CONTEXTD_URL: `unix:${home}/none.sock`, NO_COLOR: '1' };
    const run = await runContextd(['doctor'], { env });
    expect([run.code, run.stdout]).toEqual([1, expect.stringMatching(/^✕ daemon .*none\.sock/mu)]);
  });
});
