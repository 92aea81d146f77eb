/** Signing the console in, through the real daemon and its command line (S-10). */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Answer, runContextd, sendRequest, startDaemon, temporaryDirectory, until } from '../support/daemon.ts';

let directory: string;
let project: string;
let stateDirectory: string;
beforeEach(() => {
  directory = temporaryDirectory();
  project = join(directory, 'a project & more');
  mkdirSync(join(project, 'src'), { recursive: true });
  stateDirectory = join(directory, 'state');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A program that writes down with what it is opened. */
function fakeBrowser(): { BROWSER: string; opened(): string } {
  const [program, file] = [join(directory, 'browser'), join(directory, 'opened')];
  writeFileSync(file, '');
  writeFileSync(program, `#!/bin/sh\nprintf '%s\\n' "$@" >> '${file}'\n`);
  chmodSync(program, 0o755);
  return { BROWSER: program, opened: () => readFileSync(file, 'utf8') };
}

const fragmentOf = (url: string): URLSearchParams => new URLSearchParams(new URL(url).hash.slice(1));
const redeem = (url: string): Promise<Answer> =>
  sendRequest(`${new URL(url).origin}/v1/console/sessions`, { body: { code: fragmentOf(url).get('code') } });
const statusOf = async (url: string, token: string): Promise<number> =>
  (await sendRequest(`${url}/v1/status`, { headers: { authorization: `Bearer ${token}` } })).status;

it('S-10 S-09 a restart ends codes and sessions, and no log of any level has ever held one', async () => {
  const options = { grantRoots: [project], stateDirectory, args: ['--log-level', 'trace'] };
  const first = await startDaemon(options);
  const { stdout } = await first.cli(['open', '--print'], { cwd: project });
  const url = stdout.trimEnd();
  const session = await redeem(url);
  expect(session.status).toBe(201);
  const { token } = session.body as { token: string };
  expect(await statusOf(first.url, token)).toBe(200);
  expect((await redeem(url)).status).toBe(401);
  const pending = (await first.cli(['open', '--print'])).stdout.trimEnd();
  const log = first.process.output;
  await first.stop();

  const second = await startDaemon(options);
  expect(await statusOf(second.url, token)).toBe(401);
  const kept = `${second.url}/${new URL(pending).hash}`;
  expect((await redeem(kept)).status).toBe(401);
  await second.stop();
  const written = [log, second.process.output].map(({ stdout, stderr }) => stdout + stderr).join('');
  expect(written).toContain('/v1/console/sessions');
  for (const secret of [token, fragmentOf(url).get('code'), fragmentOf(pending).get('code')])
    expect(written).not.toContain(secret as string);
}, 60_000);

it('SY-04 S-10 "open" hands the browser an address that signs in and names the directory', async () => {
  const daemon = await startDaemon({ grantRoots: [project], stateDirectory });
  const { BROWSER, opened } = fakeBrowser();
  const open = (args: string[], cwd = directory, env: Record<string, string> = { BROWSER }) =>
    daemon.cli(['open', ...args], { cwd, env });

  const said = await open([], join(project, 'src'));
  expect(said).toMatchObject({ code: 0, stdout: `The console opens in your browser: ${daemon.url}/\n`, stderr: '' });
  const address = opened().trimEnd();
  expect(address.startsWith(`${daemon.url}/#code=`)).toBe(true);
  expect(fragmentOf(address).get('dir')).toBe(join(project, 'src'));
  expect((await redeem(address)).status).toBe(201);

  const directoryIn = async (args: string[], cwd?: string) =>
    fragmentOf((await open([...args, '--print'], cwd)).stdout.trimEnd()).get('dir');
  expect(await directoryIn([])).toBeNull();
  expect(await directoryIn(['a project & more'])).toBe(project);
  expect(await directoryIn(['.'], project)).toBe(project);
  expect(opened()).toBe(`${address}\n`);

  const json = JSON.parse((await open(['--json', '--print', project])).stdout);
  expect(json).toMatchObject({ opened: false, expiresAt: expect.stringMatching(/^\d{4}-.*Z$/u) });
  expect((await redeem(json.url)).status).toBe(201);

  const noBrowser = await open([], directory, { BROWSER: join(directory, 'missing') });
  expect(noBrowser).toMatchObject({ code: 0, stderr: '' });
  expect(noBrowser.stdout).toMatch(/^No browser could be started\. .* 60 s; it works once:\nhttp:\/\/\S+#code=\S+\n$/u);
  expect((await open([], directory, {})).stdout).toMatch(/^No browser/u);
  await daemon.stop();

  const without = await runContextd(['open', '--state-dir', stateDirectory], { env: { BROWSER } });
  expect(without).toMatchObject({ code: 69, stdout: '' });
  expect(without.stderr).toContain('contextd start');
}, 60_000);

it('S-10 "serve --open" and "start --open" open it too, and run where no browser opens', async () => {
  const { BROWSER, opened } = fakeBrowser();
  const env = { BROWSER, HOME: directory };
  const served = await startDaemon({ grantRoots: [project], stateDirectory, args: ['--open'], env, cwd: project });
  const address = await until(() => opened().trimEnd() || undefined);
  expect(fragmentOf(address).get('dir')).toBe(project);
  expect((await redeem(address)).status).toBe(201);
  await served.stop();
  const { stdout, stderr } = served.process.output;
  expect(stdout + stderr).not.toContain(fragmentOf(address).get('code'));

  const blind = await startDaemon({ stateDirectory, args: ['--open'] });
  await until(() => blind.process.output.stderr.includes('contextd open --print'));
  expect((await blind.request('/v1/status')).status).toBe(200);
  await blind.stop();
  expect(blind.process.output.stdout + blind.process.output.stderr).not.toContain('#code=');

  const start = (BROWSER: string) =>
    runContextd(['start', '--port', '0', '--state-dir', stateDirectory, '--open', '--json'], {
      env: { BROWSER, HOME: directory },
    });
  try {
    const started = await start(BROWSER);
    expect(started.code).toBe(0);
    const { url } = JSON.parse(started.stdout) as { url: string };
    expect(started.stderr).toBe(`The console opens in your browser: ${url}/\n`);
    expect((await redeem(opened().trimEnd().split('\n')[1] as string)).status).toBe(201);
    const again = await start(join(directory, 'missing'));
    expect(again.code).toBe(0);
    expect((await redeem(again.stderr.trimEnd().split('\n')[1] as string)).status).toBe(201);
  } finally {
    await runContextd(['stop', '--state-dir', stateDirectory]);
  }
  expect(readFileSync(join(stateDirectory, 'contextd.log'), 'utf8')).not.toMatch(/code=/u);
}, 60_000);
