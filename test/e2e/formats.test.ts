/** Rule files of other tools, on a real disk and by a real daemon (FM-01 … FM-06). */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { formatNames } from '../../src/context/formats/format-names.ts';
import type { FormatsResult } from '../../src/context/formats-request.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { runContextd, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { openEventStream } from '../support/event-stream.ts';
import { shareDaemon } from '../support/shared-daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const daemonFor = shareDaemon();

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
  write('AGENTS.md', 'Use tabs.');
  symlinkSync('AGENTS.md', join(project, 'CLAUDE.md'));
  write('packages/a/AGENTS.md', 'Package a has no tests.');
  write('.cursor/rules/ts.mdc', '---\nglobs: **/*.ts\nalwaysApply: false\n---\nNo any.');
  write('.github/instructions/py.instructions.md', "---\napplyTo: '**/*.py'\n---\nType hints.");
});

const write = (path: string, text: string) => writeTree(project, { [path]: text });

async function resolve(daemon: TestDaemon, request: object = {}): Promise<ResolveResult> {
  const body = { mountedDirectory: project, files: ['packages/a/x.ts'], ...request };
  return (await daemon.request('/v1/context/resolve', { body })).body as ResolveResult;
}

const shown = ({ files }: ResolveResult) =>
  files.map(({ relativePath, format, state }) => `${relativePath} ${format} ${state}`);

describe('rule files of other tools', () => {
  it('FM-01 FM-06 apply without a file changed, each text once', async () => {
    const daemon = await daemonFor(project);
    const result = await resolve(daemon);
    expect(shown(result)).toEqual([
      'AGENTS.md agents-md active',
      '.github/instructions/py.instructions.md copilot-instructions available',
      '.cursor/rules/ts.mdc cursor active',
      'packages/a/AGENTS.md agents-md active',
    ]);
    expect(result.excluded).toMatchObject([{ path: join(project, 'CLAUDE.md'), reason: { code: 'duplicate' } }]);
    expect(result.warnings).toEqual([]);
    const { candidates } = (
      await daemon.request('/v1/context/explain', { body: { mountedDirectory: project, path: 'CLAUDE.md' } })
    ).body as { candidates: { verdict: string; reason: { detail: string } }[] };
    expect(candidates).toMatchObject([
      { verdict: 'excluded', reason: { detail: expect.stringContaining('AGENTS.md') } },
    ]);
  });

  it('S-37 FM-06 are not delivered any more once a link stands where their directory was', async () => {
    const outside = temporaryDirectory();
    const daemon = await daemonFor(project);
    expect(shown(await resolve(daemon))).toContain('packages/a/AGENTS.md agents-md active');
    renameSync(join(project, 'packages/a'), join(outside, 'a'));
    symlinkSync(join(outside, 'a'), join(project, 'packages/a'));
    for (const workingDirectory of ['packages/a', '.'])
      expect(JSON.stringify(await resolve(daemon, { workingDirectory }))).not.toContain('Package a has no tests.');
  });

  it('FM-03 are listed with what each tool sees, over HTTP and on the command line, with a daemon and without', async () => {
    const daemon = await daemonFor(project);
    const query = new URLSearchParams([
      ['mountedDirectory', project],
      ['file', 'packages/a/x.ts'],
      ['file', 'x.py'],
      ['as', 'copilot'],
    ]);
    const { status, body } = await daemon.request(`/v1/formats?${query}`);
    expect(status).toBe(200);
    const { formats, as } = body as FormatsResult;
    expect(formats.map(({ name, active, files }) => `${name} ${active}/${files}`)).toEqual([
      'agents-md 2/2',
      'claude-md 0/1',
      'copilot-instructions 1/1',
      'cursor 1/1',
    ]);
    expect(as?.map(({ relativePath }) => relativePath)).toEqual([
      'AGENTS.md',
      '.github/instructions/py.instructions.md',
      'packages/a/AGENTS.md',
    ]);
    const refused = await daemon.request(`/v1/formats?${new URLSearchParams({ mountedDirectory: project, as: 'x' })}`);
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/as' }] } });
    const command = ['formats', project, '--file', 'packages/a/x.ts', '--file', 'x.py'];
    const asked = await daemon.cli([...command, '--as', 'copilot', '--json']);
    expect(JSON.parse(asked.stdout)).toEqual(body);
    const env = { HOME: daemon.home, CONTEXTD_STATE_DIR: join(daemon.home, 'none') };
    expect(JSON.parse((await runContextd([...command, '--as', 'copilot', '--json'], { env })).stdout)).toEqual(body);
    const comparison = (await daemon.cli([...command, '--compare'])).stdout;
    expect(comparison).toMatch(/^File +1 .*\n/u);
    expect(comparison).toMatch(/\.cursor\/rules\/ts\.mdc .*●/u);
    expect((await daemon.cli(command)).stdout).toContain('claude-md             Claude Code     0 of 1, 1 the same');
  });

  it('FM-03 are compared with another choice before it is written, over HTTP and on the command line', async () => {
    const daemon = await daemonFor(project);
    const query = new URLSearchParams({ mountedDirectory: project, without: 'agents-md' });
    const { change } = (await daemon.request(`/v1/formats?${query}`)).body as FormatsResult;
    const others = formatNames.filter((name) => name !== 'agents-md' && name !== 'junie');
    expect(change).toMatchObject({
      configuration: join(project, '.context/context-config.json'),
      formats: others,
      files: [
        { relativePath: 'AGENTS.md', before: { state: 'active' } },
        { relativePath: 'CLAUDE.md', before: { state: 'excluded' } },
      ],
    });
    const before = shown(await resolve(daemon, { files: [] }));
    const command = ['formats', project, '--without', 'agents-md'];
    const asked = await daemon.cli(command);
    expect(asked.stdout).toMatch(/AGENTS\.md +agents-md +applies → not read/u);
    expect(asked.stdout).toContain('context-config.json (all formats but agents-md, junie):');
    expect(asked.stdout).toContain(JSON.stringify({ clientContext: { formats: others } }));
    const env = { HOME: daemon.home, CONTEXTD_STATE_DIR: join(daemon.home, 'none') };
    expect((await runContextd(command, { env })).stdout).toBe(asked.stdout);
    expect(shown(await resolve(daemon, { files: [] }))).toEqual(before);
    const two = await runContextd(['formats', project, '--without', 'cursor,cline'], { env });
    expect(two.code).toBe(64);
    expect(two.stderr).toContain('is invalid. It takes one format. Add --write to change one after the other.\n');

    const written = await daemon.cli([...command, '--write', '--json']);
    expect(JSON.parse(written.stdout)).toMatchObject({
      configuration: change?.configuration,
      formats: change?.formats,
    });
    const modeOf = (path: string) => statSync(join(project, path)).mode & 0o777;
    expect(modeOf('.context')).toBe(modeOf('.') & 0o775);
    const after = await resolve(daemon, { files: [] });
    expect({ active: after.usage.files, tokens: after.usage.tokens }).toEqual(change?.after);
    const refused = await daemon.request(
      `/v1/formats?${new URLSearchParams({ mountedDirectory: project, with: 'x' })}`,
    );
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/with' }] } });
  });

  it('FM-14 S-15 S-37 are switched by the user alone, and never through a link', async () => {
    const outside = temporaryDirectory();
    const daemon = await daemonFor(project);
    const { body: minted } = await daemon.request('/v1/tokens', { body: { scope: 'agent', label: 'a' } });
    const put = (options: object = {}) =>
      daemon.request('/v1/formats', {
        method: 'PUT',
        body: { mountedDirectory: project, formats: 'none' },
        headers: { 'if-none-match': '*' },
        ...options,
      });
    const authorization = `Bearer ${(minted as { token: string }).token}`;
    expect(await put({ headers: { authorization, 'if-none-match': '*' } })).toMatchObject({ status: 403 });
    expect(await put({ headers: {} })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    symlinkSync(outside, join(project, '.context'));
    expect(await put()).toMatchObject({ status: 409, body: { code: 'conflict' } });
    rmSync(join(project, '.context'));
    symlinkSync(join(outside, 'none'), join(project, '.context'));
    expect(await put()).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('FM-06 S-36 wait for a mention where they are links into another project of the same granted root', async () => {
    const projects = temporaryDirectory();
    const own = join(projects, 'own');
    mkdirSync(join(projects, 'private'));
    writeFileSync(join(projects, 'private', 'notes.md'), 'Of another project.');
    mkdirSync(join(own, '.git'), { recursive: true });
    symlinkSync('../private/notes.md', join(own, 'CLAUDE.md'));
    const daemon = await daemonFor(projects);
    const result = await resolve(daemon, { mountedDirectory: own, files: [] });
    expect(shown(result)).toEqual(['CLAUDE.md claude-md available']);
    expect(JSON.stringify(result)).not.toContain('Of another project.');
  });

  it('FM-03 are those that the daemon was told to read, less those that a request leaves out', async () => {
    await using daemon = await startDaemon({ grantRoots: [project], args: ['--formats', 'cursor,agents-md'] });
    expect(shown(await resolve(daemon, { formats: 'all' }))).toHaveLength(3);
    expect(shown(await resolve(daemon, { formats: ['cursor', 'gemini'] }))).toEqual([
      '.cursor/rules/ts.mdc cursor active',
    ]);
    const refused = await daemon.request('/v1/context/resolve', {
      body: { mountedDirectory: project, formats: ['nothing'] },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: expect.stringMatching(/^\/formats/u) }] },
    });
    const env = { CONTEXTD_STATE_DIR: daemon.stateDirectory };
    const without = { CONTEXTD_STATE_DIR: join(project, 'none') };
    const [asked, alone] = await Promise.all(
      [env, without].map((each) => runContextd(['resolve', project, '--formats', 'cursor,nothing'], { env: each })),
    );
    expect(asked).toMatchObject({ code: 64, stderr: expect.stringContaining('formats 1: must be one of agents-md, ') });
    expect(alone).toEqual(asked);
    const run = await runContextd(['serve', '--formats', 'nothing', '--state-dir', join(project, 'state')]);
    expect(run.code).toBe(64);
    expect(run.stderr).toContain('There is no format "nothing".');
  });

  it('SY-03 FM-02 tell listeners that they changed, came or went', async () => {
    await using daemon = await startDaemon({ grantRoots: [project] });
    const inHome = join(daemon.home, '.claude', 'CLAUDE.md');
    mkdirSync(dirname(inHome));
    writeFileSync(inHome, 'Of all projects.');
    using stream = await openEventStream(daemon);
    await resolve(daemon);
    const tell = (path: string, named: string = path) =>
      stream.tells(`"${join(project, named)}"`, (round) => write(path, `Round ${round}.`));
    await tell('AGENTS.md');
    await tell('GEMINI.md');
    await tell('packages/a/AGENTS.md');
    await tell('.roo/rules/x.md', '.roo');
    await resolve(daemon);
    await tell('.roo/rules/x.md');
    await stream.tells(`"${inHome}"`, (round) => writeFileSync(inHome, `Of all projects, ${round}.`));
    rmSync(inHome);
    const from = stream.text().length;
    await until(() => stream.text().slice(from).includes(`"${inHome}"`));
  });
});
