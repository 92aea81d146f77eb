/** What commands tell programs (`--json`) and people of what they did, against one daemon. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownProcess, type RunOptions, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { createFakeBrowser } from '../support/fake-browser.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

let home: string;
let project: string;
let daemon: TestDaemon;
beforeAll(async () => {
  home = temporaryDirectory();
  project = join(home, 'project');
  mkdirSync(project);
  daemon = await startDaemon({ grantRoots: [project], args: ['--offline'] });
  await daemon.request('/v1/agents/rev', { method: 'PUT', body: { name: 'Reviewer' } });
});
afterAll(() => daemon?.stop());

const run = (args: readonly string[], options: RunOptions = {}) =>
  daemon.cli(args, { cwd: project, ...ownProcess, ...options });
const answer = async (...args: string[]) => {
  const { code, stdout, stderr } = await run([...args, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

describe('SY-04 --json says what is gone', () => {
  it('of sessions and agents', async () => {
    const { id } = await answer('sessions', 'create', 'rev');
    expect(await answer('sessions', 'delete', id)).toEqual({ deleted: id });
    await daemon.request('/v1/agents/gone', { method: 'PUT', body: { name: 'Gone' } });
    expect(await answer('agents', 'delete', 'gone')).toEqual({ deleted: 'gone' });
  });

  it('of roots and tokens', async () => {
    await answer('roots', 'grant', home);
    expect(await answer('roots', 'revoke', home)).toEqual({ revoked: home });
    const { id } = await answer('token');
    expect(await answer('token', 'revoke', id)).toEqual({ revoked: id });
  });

  it('of a daemon', async () => {
    const other = await startDaemon({ args: ['--offline'] });
    const stop = async () => JSON.parse((await other.cli(['stop', '--json'])).stdout);
    expect(await stop()).toEqual({ stopped: true, url: other.url });
    expect(await stop()).toEqual({ stopped: false });
    await other.stop();
  });
});

describe('contextd open', () => {
  it('S-10 tells the code only where no browser took it', async () => {
    const browser = createFakeBrowser(home);
    const open = (program: string) => run(['open', '--json'], { env: { BROWSER: program } });
    const taken = JSON.parse((await open(browser.program)).stdout);
    expect(taken).toEqual({
      opened: true,
      url: expect.stringMatching(/^http:\/\/[0-9a-f]{32}\.localhost:\d+\/$/u),
      expiresAt: expect.any(String),
    });
    expect(JSON.parse((await open('/bin/false')).stdout)).toMatchObject({
      opened: false,
      url: expect.stringContaining('#code='),
    });
  });

  it('SY-04 refuses a directory that is not there', async () => {
    expect(await run(['open', 'nosuchdir', '--print'])).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('nosuchdir'),
    });
    expect((await run(['open', '.', '--print'])).code).toBe(0);
  });
});
