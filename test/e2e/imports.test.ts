/** What rule files import, on a real disk and by a real daemon (FM-07). */
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { runContextd, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { openEventStream } from '../support/event-stream.ts';
import { shareDaemon } from '../support/shared-daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const daemonFor = shareDaemon();

let directory: string;
let project: string;
beforeEach(() => {
  directory = temporaryDirectory();
  project = join(directory, 'project');
  write('CLAUDE.md', '# Project\n\nSee @docs/style.md and @../outside/secret.md\n\n```\n@docs/code.md\n```\n');
  write('docs/style.md', 'Use tabs. @git.md');
  write('docs/git.md', 'Small commits.');
  write('docs/code.md', 'Never delivered.');
  write('../outside/secret.md', 'canary');
});

const write = (path: string, text: string) => writeTree(project, { [path]: text });

async function resolve(daemon: TestDaemon): Promise<ResolveResult> {
  const answer = await daemon.request('/v1/context/resolve', { body: { mountedDirectory: project } });
  expect(answer.status).toBe(200);
  return answer.body as ResolveResult;
}

const shown = ({ files }: ResolveResult) =>
  files.map(({ relativePath, type, state, content }) => `${relativePath} ${type} ${state} ${content?.split('\n')[0]}`);

describe('what rule files import', () => {
  it('FM-07 comes with them in answers, on the command line, in explanations and catalogs', async () => {
    const daemon = await daemonFor(project);
    const result = await resolve(daemon);
    expect(shown(result)).toEqual([
      'CLAUDE.md rule active # Project',
      'docs/style.md reference active Use tabs. @git.md',
      'docs/git.md reference active Small commits.',
    ]);
    expect(result.files[2]?.importedBy).toEqual([{ path: join(project, 'docs/style.md'), line: 1 }]);
    expect(result.excluded).toEqual([
      {
        path: join(directory, 'outside/secret.md'),
        format: 'claude-md',
        reason: { code: 'outside_roots', detail: 'it lies outside the granted roots; imported by CLAUDE.md:3' },
        importedBy: [{ path: join(project, 'CLAUDE.md'), line: 3 }],
      },
    ]);
    expect(JSON.stringify(result)).not.toContain('canary');
    const asked = ['--state-dir', daemon.stateDirectory];
    const { stdout } = await runContextd(['resolve', project, ...asked]);
    expect(stdout).toContain('imported by CLAUDE.md:3');
    const explained = await runContextd(['explain', join(project, 'docs/git.md'), '-d', project, ...asked]);
    expect(explained.stdout).toContain('imported: docs/style.md:1');
    await daemon.request('/v1/agents/a', { method: 'PUT', body: { name: 'A', mountedDirectory: project } });
    const { items } = (await daemon.request('/v1/agents/a/items')).body as {
      items: { name: string; include: string }[];
    };
    expect(items.map(({ name, include }) => `${name} ${include}`)).toContain('docs/git always');
  });

  it('S-37 FM-07 is never read through a link, and no path climbs out', async () => {
    symlinkSync(join(directory, 'outside'), join(project, 'link'));
    symlinkSync('/etc', join(project, 'etc'));
    symlinkSync(join(directory, 'outside/secret.md'), join(project, 'file.md'));
    const paths = ['link/secret.md', 'file.md', 'etc/passwd', 'etc/no-such-file.md', './docs/../../outside/secret.md'];
    write('CLAUDE.md', paths.map((path) => `@${path}`).join('\n'));
    const daemon = await daemonFor(project);
    const result = await resolve(daemon);
    expect(shown(result)).toHaveLength(1);
    expect(result.excluded.map(({ path, reason }) => `${path.slice(directory.length)} ${reason.code}`).sort()).toEqual([
      '/outside/secret.md outside_roots',
      '/project/etc/no-such-file.md symlink',
      '/project/etc/passwd symlink',
      '/project/file.md symlink',
      '/project/link/secret.md symlink',
    ]);
    expect(JSON.stringify(result)).not.toMatch(/canary|root:/u);
  });

  it('SY-03 FM-07 tells listeners when it changes and when it comes where it was missed', async () => {
    write('CLAUDE.md', '@docs/style.md @later/on.md');
    await using daemon = await startDaemon({ grantRoots: [project] });
    using stream = await openEventStream(daemon);
    await resolve(daemon);
    const tell = (path: string, named: string = path) =>
      stream.tells(`"${join(project, named)}"`, (round) => write(path, `Round ${round}.`));
    const styled = await tell('docs/style.md');
    expect(shown(await resolve(daemon))[1]).toBe(`docs/style.md reference active Round ${styled}.`);
    const come = await tell('later/on.md', 'later');
    expect(shown(await resolve(daemon))[2]).toBe(`later/on.md reference active Round ${come}.`);
    await tell('later/on.md');
  });
});
