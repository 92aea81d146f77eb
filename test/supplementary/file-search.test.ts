import { describe, expect, it } from 'vitest';
import { createGate } from '../../src/access/gate.ts';
import type { World } from '../../src/access/world.ts';
import { createFileIndex, filesBelow } from '../../src/supplementary/file-index.ts';
import { createFileSearch } from '../../src/supplementary/file-search.ts';
import type { FileSearchRequest } from '../../src/supplementary/supplementary-item.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { createWorkspace, project, type TestWorkspace } from '../support/workspace.ts';

const tree = {
  'src/button.ts': '',
  'src/components/form/login-form.tsx': '',
  'src/components/form/login-form.test.tsx': '',
  'docs/button.md': '',
  'README.md': '',
};

async function search({ engine }: TestWorkspace, query: string, more: Partial<FileSearchRequest> = {}) {
  return engine.supplementary.searchFiles({ mountedDirectory: project, query, ...more });
}

async function pathsFor(workspace: TestWorkspace, query: string, more: Partial<FileSearchRequest> = {}) {
  return (await search(workspace, query, more)).files.map(({ relativePath }) => relativePath);
}

describe('searchFiles', () => {
  it('SU-01 finds files by letters of their paths, best first', async () => {
    const workspace = await createWorkspace(tree);
    expect((await pathsFor(workspace, 'button')).sort()).toEqual(['docs/button.md', 'src/button.ts']);
    expect((await pathsFor(workspace, 'lgform'))[0]).toBe('src/components/form/login-form.tsx');
    expect(await pathsFor(workspace, 'form login')).toHaveLength(2);
    expect(await pathsFor(workspace, 'zzz')).toEqual([]);
    const { files } = await search(workspace, 'src/button.ts');
    expect(files[0]).toEqual({
      path: `${project}/src/button.ts`,
      relativePath: 'src/button.ts',
      score: 1,
      enabled: true,
      disabledReasons: [],
    });
    const scores = (await search(workspace, 'o')).files.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(scores.every((score) => score > 0 && score <= 1)).toBe(true);
  });

  it('SU-01 finds files at any depth if the root of the file system is mounted', async () => {
    const tree = {
      '/srv/app/button.ts': '',
      '/srv/app/.gitignore': 'old/',
      '/srv/app/old/button.ts': '',
      '/button.md': '',
    };
    const workspace = await createWorkspace(tree, { grantedRoots: ['/'] });
    const { files } = await search(workspace, 'button', { mountedDirectory: '/' });
    expect(files.map(({ path, relativePath, enabled }) => [path, relativePath, enabled]).sort()).toEqual([
      ['/button.md', 'button.md', true],
      ['/srv/app/button.ts', 'srv/app/button.ts', true],
    ]);
  });

  it('SU-01 passes over a folder that goes away during the search, and says so of one that cannot be read', async () => {
    const workspace = await createWorkspace(tree);
    const { list } = workspace.files;
    for (const [code, warnings] of [
      ['not_found', 0],
      ['io_error', 1],
    ] as const) {
      const refuse: typeof list = async (path, options) =>
        path === `${project}/docs` ? { ok: false, code } : list(path, options);
      Object.assign(workspace.files, { list: refuse });
      const found = await search(workspace, 'button');
      expect(found.files.map(({ relativePath }) => relativePath)).toEqual(['src/button.ts']);
      expect(found.warnings).toHaveLength(warnings);
    }
  });

  it('SU-01 gives at most `limit` files, and the first ones for an empty query', async () => {
    const workspace = await createWorkspace(tree);
    expect(await pathsFor(workspace, 'o', { limit: 2 })).toHaveLength(2);
    expect(await pathsFor(workspace, '', { limit: 2 })).toEqual(['README.md', 'docs/button.md']);
    expect(await pathsFor(workspace, ' ')).toHaveLength(5);
  });

  it('SU-01 CC-36 sees what was written, renamed and removed before the search', async () => {
    const workspace = await createWorkspace(tree);
    expect(await pathsFor(workspace, 'fresh')).toEqual([]);
    workspace.files.write(`${project}/new/deep/fresh.ts`, '');
    expect(await pathsFor(workspace, 'fresh')).toEqual(['new/deep/fresh.ts']);
    workspace.files.rename(`${project}/new`, `${project}/old`);
    expect(await pathsFor(workspace, 'fresh')).toEqual(['old/deep/fresh.ts']);
    workspace.files.remove(`${project}/old/deep/fresh.ts`);
    expect(await pathsFor(workspace, 'fresh')).toEqual([]);
    workspace.files.write(`${project}/.gitignore`, 'docs\n');
    expect(await pathsFor(workspace, 'button')).toEqual(['src/button.ts']);
    workspace.files.write(`${project}/.gitignore`, '# nothing\n');
    expect(await pathsFor(workspace, 'button')).toHaveLength(2);
  });

  it('SU-01 leaves out what .gitignore names, version control and installed packages', async () => {
    const workspace = await createWorkspace({
      ...tree,
      '.gitignore': 'dist/\n*.log\n!keep.log\n',
      'dist/button.js': '',
      'a/dist/button.js': '',
      'button.log': '',
      'keep.log': '',
      'node_modules/x/button.js': '',
      '.git/button': '',
      '.git/info/exclude': 'mine-*\n',
      'mine-button.ts': '',
      'packages/a/.gitignore': '/button.ts\n',
      'packages/a/button.ts': '',
      'packages/a/src/button.ts': '',
    });
    const found = ['docs/button.md', 'packages/a/src/button.ts', 'src/button.ts'];
    expect((await pathsFor(workspace, 'button')).sort()).toEqual(found);
    expect(await pathsFor(workspace, 'keep.log')).toEqual(['keep.log']);
  });

  it('SU-01 leaves out other worktrees of the repository, and keeps submodules', async () => {
    const workspace = await createWorkspace({
      'src/button.ts': '',
      '.git/HEAD': '',
      '.claude/worktrees/a/.git': `gitdir: ${project}/.git/worktrees/a\n`,
      '.claude/worktrees/a/src/button.ts': '',
      'b/.git': 'gitdir: ../.git/worktrees/b\n',
      'b/src/button.ts': '',
      'libs/shop/.git': 'gitdir: ../../.git/modules/libs/shop\n',
      'libs/shop/button.ts': '',
      'of-another/.git': 'gitdir: /srv/other/.git/worktrees/c\n',
      'of-another/button.ts': '',
      'odd/.git': 'gitdir\n',
      'odd/button.ts': '',
    });
    const found = ['libs/shop/button.ts', 'odd/button.ts', 'of-another/button.ts', 'src/button.ts'];
    expect((await pathsFor(workspace, 'button')).sort()).toEqual(found);
    workspace.files.write(`${project}/b/.git`, 'gitdir: /srv/b/.git\n');
    expect((await pathsFor(workspace, 'button')).sort()).toEqual(['b/src/button.ts', ...found]);
  });

  it('SU-01 leaves out other worktrees also where the project is mounted through a link', async () => {
    const link = '/home/ada/link';
    const { engine, files } = await createWorkspace(
      { 'src/button.ts': '', 'b/.git': `gitdir: ${project}/.git/worktrees/b\n`, 'b/button.ts': '' },
      { grantedRoots: [link] },
    );
    files.symlink(link, project);
    const { files: found } = await engine.supplementary.searchFiles({ mountedDirectory: link, query: 'button' });
    expect(found.map(({ relativePath }) => relativePath)).toEqual(['src/button.ts']);
  });

  it('CC-18 S-51 never shows sensitive files, whatever is asked', async () => {
    const secrets = ['.env', 'config/.env.local', 'server.key', 'a/id_rsa', '.ssh/known_hosts', 'credentials.json'];
    const workspace = await createWorkspace({
      ...tree,
      ...Object.fromEntries(secrets.map((path) => [path, 'secret'])),
    });
    for (const query of ['', ...secrets, 'env', 'key', 'rsa', 'ssh'])
      expect((await pathsFor(workspace, query)).filter((path) => secrets.includes(path))).toEqual([]);
    expect(workspace.files.opened.filter((path) => secrets.some((secret) => path.endsWith(`/${secret}`)))).toEqual([]);
  });

  it('SU-01 AP-06 shows what a policy blocks as not usable, and says why', async () => {
    const workspace = await createWorkspace({
      ...tree,
      'docs/.ai-context-policy.yaml': 'ai_context_policy: block\n',
    });
    const { files } = await search(workspace, 'button.md');
    expect(files[0]).toMatchObject({
      relativePath: 'docs/button.md',
      enabled: false,
      disabledReasons: [{ code: 'blocked_by_policy', detail: expect.stringContaining('.ai-context-policy.yaml') }],
    });
    expect((await search(workspace, 'button.ts')).files[0]).toMatchObject({ enabled: true, disabledReasons: [] });
  });

  it('S-37 S-44 leaves out links, pipes and names that cannot be decoded', async () => {
    const workspace = await createWorkspace(tree);
    workspace.files.symlink(`${project}/button-link.ts`, 'src/button.ts');
    workspace.files.symlink(`${project}/linked`, '/etc');
    workspace.files.fifo(`${project}/button-pipe`);
    workspace.files.addUndecodable(`${project}/button-\uFFFD`);
    expect(await pathsFor(workspace, 'button')).toHaveLength(2);
    expect(await pathsFor(workspace, 'linked')).toEqual([]);
  });

  it('S-34 refuses a directory that is not granted or does not exist', async () => {
    const { engine } = await createWorkspace(tree);
    await expect(engine.supplementary.searchFiles({ mountedDirectory: '/etc', query: 'a' })).rejects.toMatchObject({
      code: 'path_outside_roots',
    });
    await expect(
      engine.supplementary.searchFiles({ mountedDirectory: `${project}/none`, query: 'a' }),
    ).rejects.toMatchObject({ code: 'not_found' });
  });

  it('SU-01 reads and lists nothing again that did not change', async () => {
    const workspace = await createWorkspace({ ...tree, '.gitignore': 'x\n' });
    await search(workspace, 'button');
    workspace.files.resetCounters();
    await search(workspace, 'form');
    expect(workspace.files).toMatchObject({ lists: 0, reads: 0 });
    workspace.files.write(`${project}/src/new.ts`, '');
    workspace.clock.advance(10_000);
    await search(workspace, 'form');
    expect(workspace.files).toMatchObject({ lists: 1, reads: 0 });
  });

  it('SU-01 CC-06 says when a folder has more entries than are listed', async () => {
    const workspace = await createWorkspace(tree, { limits: { entries: 2 } });
    const { files, warnings } = await search(workspace, '');
    expect(files.length).toBeGreaterThan(0);
    expect(warnings.map(({ code }) => code)).toEqual(['limit_entries']);
  });

  it('S-44 finds files with odd names', async () => {
    const workspace = await createWorkspace({
      'a\nb.ts': '',
      'constructor.ts': '',
      '__proto__.ts': '',
      'Ünïcode.ts': '',
    });
    for (const query of ['b.ts', 'constructor', '__proto__', 'Ünï'])
      expect(await pathsFor(workspace, query)).toHaveLength(1);
    for (const query of ['\0', '\uD800', '((((', '*'.repeat(256), ' a '.repeat(80)])
      expect(Array.isArray(await pathsFor(workspace, query))).toBe(true);
  });
});

/** As much of a world as the index needs. */
function worldOver({ files, clock }: TestWorkspace): World {
  const gate = createGate({ files, clock, maxEntries: 1_000 });
  const policies = { notice() {}, searchEvidence: async () => [] };
  const reach = { roots: [{ path: project, realPath: project }], followSymlinks: false, policies };
  return { gate, reach } as unknown as World;
}

describe('createFileIndex', () => {
  it('SU-01 CC-06 says which limit left something out, and goes on from there', async () => {
    const workspace = await createWorkspace({ 'a/1.ts': '', 'a/2.ts': '', 'b/3.ts': '', 'b/c/d/4.ts': '' });
    const codesWith = async (limits: object) => {
      const index = createFileIndex({ clock: workspace.clock, limits });
      const listing = await index.look(project, worldOver(workspace));
      return [listing.files, ...listing.warnings.map(({ code }) => code)];
    };
    expect(await codesWith({})).toEqual([4]);
    expect(await codesWith({ files: 3 })).toEqual([3, 'limit_files']);
    expect(await codesWith({ folders: 2 })).toEqual([expect.any(Number), 'limit_folders']);
    expect(await codesWith({ depth: 1 })).toEqual([3, 'limit_depth']);
  });

  it('SU-01 gives the same listing as long as nothing changed, in the order of folders', async () => {
    const workspace = await createWorkspace({ 'b/2.ts': '', 'a/1.ts': '', 'a-b/x.ts': '', 'a/c/3.ts': '', '0.ts': '' });
    const index = createFileIndex({ clock: workspace.clock });
    const world = worldOver(workspace);
    const first = await index.look(project, world);
    expect([...filesBelow(first, '')]).toEqual(['0.ts', 'a/1.ts', 'a/c/3.ts', 'a-b/x.ts', 'b/2.ts']);
    expect([...filesBelow(first, 'a')]).toEqual(['a/1.ts', 'a/c/3.ts']);
    expect(await index.look(project, world)).toBe(first);
    workspace.files.write(`${project}/b/4.ts`, '');
    const second = await index.look(project, world);
    expect(second).not.toBe(first);
    const folder = (listing: typeof first, directory: string) =>
      listing.folders.find((each) => each.directory === directory);
    expect(folder(second, 'a')).toBe(folder(first, 'a'));
    expect(folder(second, 'b')).not.toBe(folder(first, 'b'));
  });

  it('SU-01 keeps what it knew of folders that there was no time to look at again', async () => {
    const tree = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`d${n}/e/f.ts`, '']));
    const workspace = await createWorkspace(tree);
    let nowMs = 0;
    let stepMs = 0;
    const index = createFileIndex({ clock: { elapsed: () => (nowMs += stepMs) } });
    const world = worldOver(workspace);
    const first = await index.look(project, world);
    stepMs = 50;
    const late = await index.look(project, world);
    expect(late.warnings.map(({ code }) => code)).toEqual(['limit_walk_time']);
    expect(late.folders.length).toBeLessThan(first.folders.length);
    stepMs = 0;
    workspace.files.write(`${project}/d39/e/g.ts`, '');
    const { folders } = await index.look(project, world);
    const isNew = folders.filter((folder) => !first.folders.includes(folder));
    expect(isNew.map(({ directory }) => directory)).toEqual(['d39/e']);
  });

  it('SU-01 lists all where other programs keep the machine busy', async () => {
    const workspace = await createWorkspace({ 'a/1.ts': '', 'b/2.ts': '' });
    const times = { elapsed: 0, worked: 0 };
    const { list } = workspace.files;
    workspace.files.list = (...asked) => {
      times.elapsed += 1_000;
      return list(...asked);
    };
    const listingBy = (clock: { elapsed(): number; worked?(): number }) =>
      createFileIndex({ clock }).look(project, worldOver(workspace));
    const { elapsed } = { elapsed: () => times.elapsed };
    expect((await listingBy({ elapsed, worked: () => times.worked })).files).toBe(2);
    expect((await listingBy({ elapsed })).warnings.map(({ code }) => code)).toEqual(['limit_walk_time']);
  });
});

/** Each line of it is gone through to the end of every name, which it does not fit. */
const hostileIgnoreFile = (mark: string) => `# ${mark}\n${`${'*a'.repeat(30)}*[!0-9]\n`.repeat(999)}`;
const resistingName = (n: number) => `${'a'.repeat(120)}${1_000 + n}`;

describe('createFileIndex and hostile .gitignore files', () => {
  const hold = async (tree: Record<string, string>) => {
    const workspace = await createWorkspace(tree);
    const elapsed = () => performance.now();
    const index = createFileIndex({ clock: { elapsed } });
    const begin = elapsed();
    const longestMs = await longestTurnMs(() => index.look(project, worldOver(workspace)));
    return { longestMs, ms: elapsed() - begin };
  };

  it('S-52 S-45 comparing many names with hostile lines does not hold the event loop', async () => {
    const names = Array.from({ length: 250 }, (_, n) => [`src/${resistingName(n)}`, '']);
    const held = await hold({ '.gitignore': hostileIgnoreFile('top'), ...Object.fromEntries(names) });
    expect(held.longestMs).toBeLessThan(150);
  });

  it('S-52 S-45 comparing one long path with the hostile lines of all folders above does not either', async () => {
    const levels = Array.from({ length: 12 }, (_, n) => `${'a'.repeat(200)}${n}`);
    const folders = levels.map((_, n) => `${levels.slice(0, n + 1).join('/')}/`);
    const lines = (n: number) => `# ${n}\n${`**/${'[a-z]'.repeat(12)}[!a]\n`.repeat(999)}`;
    const files = folders.map((folder, n) => [`${folder}.gitignore`, lines(n)]);
    const tree = { ...Object.fromEntries(files), [`${folders.at(-1)}${resistingName(0)}`]: '' };
    expect((await hold(tree)).longestMs).toBeLessThan(150);
  });

  it('S-52 reading many hostile .gitignore files does not either', async () => {
    const files = Array.from({ length: 16 }, (_, n) => [`d${n}/.gitignore`, hostileIgnoreFile(`${n}`)]);
    expect((await hold(Object.fromEntries(files))).longestMs).toBeLessThan(150);
  });
});

describe('createFileSearch', () => {
  const folders = Array.from({ length: 50 }, (_, n) => ({
    directory: `d${n}`,
    files: Array.from({ length: 100 }, (_, at) => `d${n}/file-${at}.ts`),
    folders: [],
  }));
  const listing = { directory: '/p', folders, files: 5_000, warnings: [] };

  it('SU-01 finds the best of all, however they are cut into slices', async () => {
    const { search } = createFileSearch({ clock: { elapsed: () => 0 } });
    const [best] = (await search(listing, 'd49/file-99.ts', { limit: 3 })).matches;
    expect(best).toEqual({ relativePath: 'd49/file-99.ts', score: 1 });
    const { matches } = await search(listing, 'file-7', { limit: 1_000 });
    expect(matches).toHaveLength(50 * 19);
    expect((await search(listing, 'file-7', { limit: 20 })).matches).toEqual(matches.slice(0, 20));
  });

  it('SU-01 CC-06 stops a query that takes too long, and says so', async () => {
    let now = 0;
    const { search } = createFileSearch({
      clock: {
        elapsed() {
          now += 30;
          return now;
        },
      },
    });
    const { matches, warnings } = await search(listing, 'file', { limit: 10 });
    expect(matches).toHaveLength(10);
    expect(warnings).toMatchObject([{ code: 'limit_search_time' }]);
  });
});
