/** Links that lead where nothing may be read, and roots that have two names. */
import { describe, expect, it } from 'vitest';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { freezeWhole } from '../../src/pace/frozen.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import {
  config,
  contextFile,
  createWorkspace,
  excludedCodes,
  home,
  names,
  project,
  warningCodes,
} from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });
const canary = contextFile({ trigger: 'always' }, 'canary');
const include = (...includeFiles: string[]): string => config({ clientContext: { includeFiles } });

describe('links that are followed', () => {
  it('CC-18 S-51 never reads a sensitive file through a link with a harmless name', async () => {
    const { resolve, files } = await createWorkspace(
      { '.env': 'canary', '.ssh/config.md': canary, '.context/a.md': always },
      { settings: { followSymlinks: true } },
    );
    files.symlink(`${project}/.context/notes.md`, '../.env');
    files.symlink(`${project}/.context/folder`, '../.ssh');
    const result = await resolve({ mentions: ['notes'] });
    expect(names(result)).toEqual(['a']);
    expect(excludedCodes(result)).toEqual({
      '.context/notes.md': 'sensitive',
      '.context/folder/config.md': 'sensitive',
    });
    expect(files.opened.filter((path) => /\.env|config\.md/u.test(path))).toEqual([]);
  });

  it('S-08 never lists where the daemon keeps its own because a pattern begins with a link to it', async () => {
    const state = `${home}/.local/state/contextd`;
    const { resolve, files } = await createWorkspace(
      { [`${state}/deep/daemon.md`]: canary, '.context/context-config.json': include('link/**', 'link/deep/*.md') },
      { grantedRoots: [home], deniedDirectories: [state], settings: { followSymlinks: true } },
    );
    files.symlink(`${project}/link`, state);
    expect(names(await resolve())).toEqual([]);
    // The gate itself lists it, to know its files by other names; nothing in it is opened.
    expect(files.opened.filter((path) => path.startsWith(`${state}/`))).toEqual([]);
  });

  it('S-08 says of a folder where the daemon keeps its own that it is not granted', async () => {
    const { resolve } = await createWorkspace(
      { '.context/a.md': always, '.context/state/daemon.md': canary },
      { deniedDirectories: [`${project}/.context/state`] },
    );
    const result = await resolve();
    expect(names(result)).toEqual(['a']);
    expect(excludedCodes(result)).toEqual({ '.context/state': 'outside_roots' });
  });

  it('CC-33 CC-36 forgets what a link led to when the root that held it is taken back', async () => {
    const { engine, resolve, files, clock } = await createWorkspace(
      { '/srv/shared/deep/s.md': always, '.context/context-config.json': include('link/deep/*.md') },
      { settings: { followSymlinks: true } },
    );
    files.symlink(`${project}/link`, '/srv/shared');
    await engine.grantRoot('/srv/shared');
    clock.advance(60_000);
    expect(names(await resolve())).toEqual(['link/deep/s']);
    await engine.revokeRoot('/srv/shared');
    expect(names(await resolve())).toEqual([]);
  });

  it('CC-04 CC-36 sees that another link on the way now leads to a file that is there already', async () => {
    const tree = { '.context/a.md': always, 'other.md': always };
    const { engine, files, clock } = await createWorkspace(tree, { settings: { followSymlinks: true } });
    files.symlink(`${project}/.context/b.md`, '../middle.md');
    files.symlink(`${project}/middle.md`, 'other.md');
    clock.advance(60_000);
    const answer = async () => names(await engine.resolve({ mountedDirectory: project }));
    expect(await answer()).toEqual(['a', 'b']);
    files.remove(`${project}/middle.md`);
    files.symlink(`${project}/middle.md`, '.context/a.md');
    expect(await answer()).toEqual(['a']);
  });
});

it('CC-04 FM-05 a link that leads to nothing is said to, where links are followed', async () => {
  const { resolve, files } = await createWorkspace(
    {
      '.context/context-config.json': include('docs/*.md'),
      '.cursor/rules/a.mdc': '---\nalwaysApply: true\n---\nA.',
      '.claude/skills/b/SKILL.md': 'B.',
      'docs/c.md': 'C.',
    },
    { settings: { followSymlinks: true } },
  );
  const links = ['.claude/skills/gone', '.context/gone.md', '.cursor/rules/gone.mdc', 'docs/gone.md'];
  for (const link of links) files.symlink(`${project}/${link}`, 'missing');
  const { excluded, warnings } = await resolve();
  const detail = 'it is a symbolic link that leads to nothing that can be read';
  expect(excluded.filter(({ reason }) => reason.code === 'symlink')).toMatchObject(
    ['.context/gone.md', '.cursor/rules/gone.mdc', 'docs/gone.md'].map((link) => ({
      path: `${project}/${link}`,
      reason: { detail },
    })),
  );
  expect(warnings).toMatchObject([
    { code: 'symlink', message: 'Symbolic links lead to nothing that can be read: gone.md.' },
    {
      code: 'symlink',
      message: 'includeFiles pattern "docs/*.md" finds a symbolic link that leads to nothing that can be read.',
    },
  ]);
});

it('CC-12 S-37 what patterns find behind links is told as it is', async () => {
  const { resolve, files } = await createWorkspace(
    {
      '.context/context-config.json': include('gone/*.md', 'docs/out.md'),
      'docs/c.md': 'C.',
      '/outside/a.md': 'A.',
    },
    { settings: { followSymlinks: true } },
  );
  files.symlink(`${project}/gone`, 'missing');
  files.symlink(`${project}/docs/out.md`, '/outside/a.md');
  const { warnings } = await resolve();
  expect(warnings.map(({ message }) => message)).toEqual([
    'includeFiles pattern "gone/*.md" finds a symbolic link that leads outside the granted roots, or to nothing.',
    'includeFiles pattern "docs/out.md" finds a symbolic link that leads outside the granted roots, or to nothing.',
  ]);
});

it('S-46 9,000 links that lead to nothing do not hold the event loop', async () => {
  const settings = { followSymlinks: true };
  const { resolve, files } = await createWorkspace({ '.context/a.md': always }, { settings });
  const folder = `${project}/.context/${'folder'.repeat(30)}`;
  for (let at = 1_000; at < 10_000; at += 1) files.symlink(`${folder}/${at}.md`, 'missing');
  let result: ResolveResult | undefined;
  const longest = await longestTurnMs(async () => {
    result = await resolve();
  });
  expect(result?.excluded).toHaveLength(9_000);
  expect(longest).toBeLessThan(250);
});

describe('links that are not followed', () => {
  it('CC-04 CC-36 forgets what lay in a directory whose place a link has taken', async () => {
    for (const elsewhere of ['/outside', `${project}/moved`]) {
      const { resolve, files, clock } = await createWorkspace({
        '.context/context-config.json': include('docs/deep/*.md'),
        'docs/deep/a.md': always,
      });
      expect(names(await resolve())).toEqual(['docs/deep/a']);
      files.rename(`${project}/docs`, elsewhere);
      files.symlink(`${project}/docs`, elsewhere);
      clock.advance(60_000);
      const result = await resolve();
      expect(names(result)).toEqual([]);
      expect(warningCodes(result)).toHaveLength(1);
    }
  });
});

describe('a granted root with two names', () => {
  it('AN-03 CC-36 looks again where the names of a request lead that is the same as before', async () => {
    const { engine, files } = await createWorkspace(
      { '/data/p/.context/a.md': always },
      { grantedRoots: ['/data/p', '/alias'] },
    );
    const request = freezeWhole({ mountedDirectory: '/data/p', files: ['/alias/src/x.ts'] });
    const omitted = async () => (await engine.resolve(request)).omitted?.map(({ path, reason }) => [path, reason.code]);
    const [outside, missing] = [
      ['/alias/src/x.ts', 'outside_roots'],
      ['/data/p/src/x.ts', 'not_found'],
    ];
    files.symlink('/alias', '/elsewhere');
    expect(await omitted()).toEqual([outside]);
    files.remove('/alias');
    files.symlink('/alias', '/data/p');
    expect(await omitted()).toEqual([missing]);
    files.remove('/alias');
    expect(await omitted()).toEqual([outside]);
  });

  it('AN-03 CC-12 CC-33 answers alike for a mounted directory by the name that was granted and by the real one', async () => {
    const { resolve, files } = await createWorkspace(
      {
        '/data/p/.context/a.md': always,
        '/data/p/.context/context-config.json': include('docs/*.md', '/data/p/abs/*.md'),
        '/data/p/docs/d.md': always,
        '/data/p/abs/e.md': always,
      },
      { grantedRoots: ['/alias'] },
    );
    files.symlink('/alias', '/data/p');
    for (const mountedDirectory of ['/alias', '/data/p']) {
      const result = await resolve({ mountedDirectory });
      expect(result.files.map(({ path }) => path).sort()).toEqual(
        ['.context/a.md', 'abs/e.md', 'docs/d.md'].map((path) => `${mountedDirectory}/${path}`),
      );
      expect(result.warnings).toEqual([]);
    }
  });

  it.each([
    ['/alias', '/data/p'],
    ['/data/p', '/alias'],
    ['/alias', '/alias'],
    ['/data/p', '/data/p'],
  ])(
    'AN-03 CC-12 CC-13 where %s is mounted, a pattern by the name %s means the same files',
    async (mountedDirectory, name) => {
      const clientContext = {
        excludeFiles: [`${name}/.context/a.md`, `${name}/docs/**`],
        includeFiles: ['docs/*.md', `${name}/more/*.md`],
      };
      const { resolve, files } = await createWorkspace(
        {
          '/data/p/.context/a.md': always,
          '/data/p/.context/b.md': always,
          '/data/p/.context/context-config.json': config({ clientContext }),
          '/data/p/docs/d.md': always,
          '/data/p/more/m.md': always,
        },
        { grantedRoots: ['/alias'] },
      );
      files.symlink('/alias', '/data/p');
      expect(names(await resolve({ mountedDirectory }))).toEqual(['b', 'more/m']);
    },
  );
});

it('CC-03 CC-13 AN-03 where the home directory is a link, a pattern with ~ names what is mounted by its real name', async () => {
  const clientContext = { excludeFiles: ['~/p/.context/a.md'], includeFiles: ['~/p/more/*.md'] };
  const { resolve, files } = await createWorkspace(
    {
      '/data/ada/p/.context/a.md': always,
      '/data/ada/p/.context/b.md': always,
      '/data/ada/p/.context/context-config.json': config({ clientContext }),
      '/data/ada/p/more/m.md': always,
    },
    { grantedRoots: ['/data/ada/p'] },
  );
  files.symlink(home, '/data/ada');
  const result = await resolve({ mountedDirectory: '/data/ada/p' });
  expect(names(result)).toEqual(['b', 'more/m']);
  expect(result.warnings).toEqual([]);
  expect((await resolve({ mountedDirectory: `${home}/p` })).files).toMatchObject([
    { path: `${home}/p/.context/b.md` },
    { path: `${home}/p/more/m.md` },
  ]);
});
