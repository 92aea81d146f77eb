/** Ignore files of other tools, on a real disk and by a real daemon (FX-01 … FX-07). */
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { runContextd, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openEventStream } from '../support/event-stream.ts';
import { shareDaemon } from '../support/shared-daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const daemonFor = shareDaemon();

const canary = 'c4n4ry';
const code = 'blocked_by_ignore_file';

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
  write('AGENTS.md', 'Use tabs.');
  write('.context/open.md', 'Open.');
  write('.context/secret.md', canary);
  write('src/a.ts', "import { key } from './secret.ts';\nexport const a = key;\n");
  write('src/secret.ts', `export const key = '${canary}';\n`);
  write('.cursorignore', '# not for models\n**/secret.*\n');
});

const write = (path: string, text: string) => writeTree(project, { [path]: text });

async function ask<Result>(daemon: TestDaemon, path: string, body: object = {}): Promise<Result> {
  const answer = await daemon.request(path, { body: { mountedDirectory: project, ...body } });
  expect(answer.status).toBeLessThan(300);
  return answer.body as Result;
}

async function resolve(daemon: TestDaemon): Promise<{ files: string[]; blocked: string[]; warnings: string[] }> {
  const { files, excluded, warnings } = await ask<ResolveResult>(daemon, '/v1/context/resolve', { content: true });
  return {
    files: files.map(({ relativePath }) => relativePath),
    blocked: excluded.filter(({ reason }) => reason.code === code).map(({ path }) => path.slice(project.length + 1)),
    warnings: warnings.map((each) => each.code),
  };
}

describe('ignore files of other tools', () => {
  it('FX-01 keep files from every answer of the daemon, with file, pattern and line', async () => {
    const daemon = await daemonFor(project);
    const detail = `"**/secret.*" in ${join(project, '.cursorignore')}:2`;
    const reason = { code, detail };
    const resolved = await ask<ResolveResult>(daemon, '/v1/context/resolve', { content: true, mentions: ['secret'] });
    expect(resolved.excluded).toContainEqual({ path: join(project, '.context/secret.md'), reason });
    const explained = await ask<{ candidates: { verdict: string; reason: object; steps: object[] }[] }>(
      daemon,
      '/v1/context/explain',
      { path: 'src/secret.ts' },
    );
    expect(explained.candidates).toMatchObject([{ verdict: 'excluded', reason }]);
    expect(explained.candidates[0]?.steps).toContainEqual({ rule: 'ignore_file', outcome: code, detail });
    const checked = await ask(daemon, '/v1/policy/check', { paths: ['src/secret.ts'] });
    const decidedBy = { path: join(project, '.cursorignore'), pattern: '**/secret.*', line: 2 };
    expect(checked).toMatchObject({ decisions: [{ allowed: false, reason, decidedBy }] });
    const added = await ask(daemon, '/v1/supplementary', { kind: 'file', path: 'src/secret.ts' });
    expect(added).toMatchObject({ enabled: false, disabledReasons: [reason] });
    const retrieved = await ask<{ omitted: unknown[] }>(daemon, '/v1/retrieve', {
      activeDocument: { path: 'src/a.ts' },
      query: 'key',
    });
    expect(retrieved.omitted).toContainEqual({
      origin: 'supplementary',
      path: join(project, 'src/secret.ts'),
      reason,
    });
    expect(JSON.stringify([resolved, explained, checked, added, retrieved])).not.toContain(canary);
  });

  it('FX-06 are those that the user chose, by flag, environment or not at all', async () => {
    write('.aiignore', 'open.md');
    const both = ['.context/open.md', '.context/secret.md'];
    const blockedWith = async (args: string[], environment = {}) => {
      await using daemon = await startDaemon({ grantRoots: [project], args, env: environment });
      return (await resolve(daemon)).blocked;
    };
    expect(await blockedWith([])).toEqual(both);
    expect(await blockedWith(['--ignore-files', 'none'])).toEqual([]);
    expect(await blockedWith([], { CONTEXTD_IGNORE_FILES: 'aiignore' })).toEqual(['.context/open.md']);
    expect(await blockedWith(['--ignore-files=all'], { CONTEXTD_IGNORE_FILES: 'none' })).toEqual(both);
    for (const names of ['nothing', '']) {
      const run = await runContextd(['serve', `--ignore-files=${names}`, '--state-dir', join(project, 'state')]);
      expect([run.code, run.stderr]).toEqual([64, expect.stringContaining(`There is no ignore file "${names}".`)]);
    }
    await using daemon = await startDaemon({ grantRoots: [project], env: { CONTEXTD_IGNORE_FILES: 'aiignor' } });
    expect((await resolve(daemon)).blocked).toEqual(both);
    expect((await daemon.request('/v1/status')).text).toContain('invalid_ignore_files');
    const refused = await daemon.request('/v1/context/resolve', {
      body: { mountedDirectory: project, ignoreFiles: 'none' },
    });
    expect(refused.status).toBe(400);
  });

  it('FX-06 also hold for a command without a daemon', async () => {
    const options = { cwd: project, env: { CONTEXTD_STATE_DIR: join(project, 'state') } };
    const run = await runContextd(['resolve', '.', '--json'], options);
    expect((JSON.parse(run.stdout) as ResolveResult).excluded).toMatchObject([{ reason: { code } }]);
    const without = await runContextd(['resolve', '.', '--json'], {
      ...options,
      env: { ...options.env, CONTEXTD_IGNORE_FILES: 'none' },
    });
    expect((JSON.parse(without.stdout) as ResolveResult).excluded).toEqual([]);
    const check = await runContextd(['check', '.'], options);
    expect(check.stdout + check.stderr).toContain('"**/secret.*" in .cursorignore:2');
  });

  it.skipIf(process.getuid?.() === 0)('FX-07 block all below them where they cannot be opened', async () => {
    const daemon = await daemonFor(project);
    chmodSync(join(project, '.cursorignore'), 0);
    expect(await resolve(daemon)).toMatchObject({ files: [], warnings: ['ignore_file_not_read'] });
  });

  it('FX-07 block all below them where a link leads out, and are read where it stays inside', async () => {
    const daemon = await daemonFor(project);
    symlinkSync('/etc/hostname', join(project, '.aiignore'));
    expect(await resolve(daemon)).toMatchObject({ files: [], warnings: ['ignore_file_not_read'] });
    rmSync(join(project, '.aiignore'));
    write('ignored.txt', 'AGENTS.md');
    symlinkSync('ignored.txt', join(project, '.aiignore'));
    expect(await resolve(daemon)).toMatchObject({ files: ['.context/open.md'], warnings: [] });
  });

  it('CC-36 SY-03 FX-01 change the next answer, and tell listeners that they changed, came or went', async () => {
    await using daemon = await startDaemon({ grantRoots: [project] });
    using stream = await openEventStream(daemon);
    expect((await resolve(daemon)).files).toEqual(['AGENTS.md', '.context/open.md']);
    const tell = (path: string, text: string) =>
      stream.tells(new RegExp(`event: policy-changed\ndata: .*${path.replaceAll('.', '\\.')}`, 'u'), (round) =>
        write(path, `${text}${'\n'.repeat(round)}`),
      );
    await tell('.cursorignore', 'open.md');
    expect((await resolve(daemon)).files).toEqual(['AGENTS.md', '.context/secret.md']);
    await tell('.geminiignore', 'AGENTS.md');
    expect((await resolve(daemon)).files).toEqual(['.context/secret.md']);
    await tell('.claude/settings.json', '{"permissions": {"deny": ["Read(.context/**)"]}}');
    expect((await resolve(daemon)).files).toEqual([]);
    rmSync(join(project, '.claude'), { recursive: true });
    await tell('.context/.noai', '');
    expect((await resolve(daemon)).files).toEqual([]);
    rmSync(join(project, '.context/.noai'));
    expect((await resolve(daemon)).files).toEqual(['.context/secret.md']);
  });
});
