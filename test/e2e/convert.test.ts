/** `contextd convert` by a real daemon and the real command line, on a real disk (FM-15). */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { runContextd, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { shareDaemon } from '../support/shared-daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const daemonFor = shareDaemon();

let project: string;
beforeEach(() => {
  project = temporaryDirectory();
  write('AGENTS.md', 'Use tabs.\n');
  write('packages/a/AGENTS.md', 'Package a has no tests.\n');
  write('.cursor/rules/ts.mdc', '---\nglobs: **/*.ts\nalwaysApply: false\n---\nNo any.\n');
  write('.context/own.md', '---\ntrigger: always\npriority: 10\n---\nOurs.\n');
});

const write = (path: string, text: string) => writeTree(project, { [path]: text });
const read = (path: string): string => readFileSync(join(project, path), 'utf8');
const tree = (): string[] =>
  readdirSync(project, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.endsWith('.lock'))
    .sort();
const bodiesOf = async (daemon: TestDaemon): Promise<string[]> => {
  const request = { mountedDirectory: project, workingDirectory: '.', files: ['packages/a/x.ts'] };
  const { body } = await daemon.request('/v1/context/resolve', { body: request });
  const { files } = body as ResolveResult;
  return files.flatMap(({ state, content }) => (state === 'active' ? [content ?? ''] : [])).sort();
};

describe('contextd convert', () => {
  it.each(['cursor', 'agents-md', 'context', 'copilot-instructions', 'claude-rules', 'windsurf', 'kiro'])(
    'FM-15 to %s says what it would do, does it when asked, and then has nothing to do; the context stays the same',
    async (to) => {
      const daemon = await daemonFor(project);
      const before = tree();
      const bodies = await bodiesOf(daemon);
      expect(bodies).toEqual(['No any.\n', 'Ours.\n', 'Package a has no tests.\n', 'Use tabs.\n']);
      const dry = await daemon.cli(['convert', project, '--to', to]);
      expect(dry.stderr).toBe('');
      expect(dry.stdout).toContain(to === 'agents-md' ? '--write --force' : '--write does');
      expect(tree()).toEqual(before);
      const force = to === 'agents-md' ? ['--force'] : [];
      const done = await daemon.cli(['convert', project, '--to', to, '--write', ...force]);
      expect(done).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/Wrote \d files?\./u) });
      const again = await daemon.cli(['convert', project, '--to', to, '--write', ...force]);
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to do') });
      const after = await bodiesOf(daemon);
      if (to !== 'agents-md') expect(after).toEqual(bodies);
      // One text holds those of a directory, and theirs are still where they were.
      else expect(after).toContain('Use tabs.\n\nNo any.\n\nOurs.\n');
    },
  );

  it('FM-15 answers alike without a daemon', async () => {
    const daemon = await daemonFor(project);
    const command = ['convert', project, '--to', 'kiro', '--json'];
    const asked = await daemon.cli(command);
    const env = { HOME: daemon.home, CONTEXTD_STATE_DIR: join(daemon.home, 'none') };
    expect(JSON.parse((await runContextd(command, { env })).stdout)).toEqual(JSON.parse(asked.stdout));
    expect(JSON.parse(asked.stdout)).toMatchObject({
      files: expect.arrayContaining([
        {
          path: '.kiro/steering/ts.md',
          from: ['.cursor/rules/ts.mdc'],
          state: 'new',
          written: false,
          content: expect.any(String),
        },
      ]),
      lost: [{ path: '.context/own.md', to: '.kiro/steering/own.md', key: 'priority' }],
    });
  });

  it('FM-15 replaces no file with another text unless it is forced to', async () => {
    const daemon = await daemonFor(project);
    write('.kiro/steering/ts.md', 'Mine.');
    const refused = await daemon.cli(['convert', project, '--to', 'kiro', '--write']);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('! .kiro/steering/ts.md') });
    expect(read('.kiro/steering/ts.md')).toBe('Mine.');
    expect(read('.kiro/steering/own.md')).toContain('Ours.');
    const forced = await daemon.cli(['convert', project, '--to', 'kiro', '--write', '--force']);
    expect(forced.code).toBe(0);
    expect(read('.kiro/steering/ts.md')).toContain('No any.');
    expect((await daemon.cli(['convert', project, '--to', 'kiro', '--force'])).code).toBe(64);
    expect((await daemon.cli(['convert', project, '--to', 'nothing'])).code).toBe(64);
    expect((await daemon.cli(['convert', project, '--to', 'kiro', '--from', 'nothing'])).code).toBe(64);
  });

  it('S-34 S-37 FM-15 writes through no link', async () => {
    const outside = temporaryDirectory();
    symlinkSync(outside, join(project, '.kiro'));
    mkdirSync(join(project, '.windsurf/rules'), { recursive: true });
    symlinkSync(join(outside, 'agents.md'), join(project, '.windsurf/rules/agents.md'));
    const daemon = await daemonFor(project);
    const kiro = await daemon.cli(['convert', project, '--to', 'kiro', '--write', '--force']);
    expect(kiro).toMatchObject({ code: 1, stdout: expect.stringContaining('.kiro is a link') });
    const asked = ['--to', 'windsurf', '--from', 'agents-md'];
    const windsurf = await daemon.cli(['convert', project, ...asked, '--write', '--force']);
    expect(windsurf).toMatchObject({ code: 1, stdout: expect.stringContaining('it is a link') });
    expect(readdirSync(outside)).toEqual([]);
  });

  it('S-34 FM-15 refuses a context directory outside of the mounted one', async () => {
    await using daemon = await startDaemon({ grantRoots: [dirname(project)] });
    const body = { mountedDirectory: project, to: 'context', clientContextPath: '../elsewhere' };
    const answer = await daemon.request('/v1/context/convert', { body });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/clientContextPath' }] } });
    expect(existsSync(join(dirname(project), 'elsewhere'))).toBe(false);
  });
});
