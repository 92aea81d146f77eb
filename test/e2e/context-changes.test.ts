/** `changes` of `POST /v1/context`: the working tree beside the last commit, by the real daemon and the real git. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { constants, deflateRawSync, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContextResult } from '../../src/prompt/context-result.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

const home = temporaryDirectory();
/** Of the daemon alone: others also keep directories among the temporary files of the machine. */
const temporary = temporaryDirectory();
const git = (directory: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'protocol.file.allow=always', ...args], {
    cwd: directory,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: home },
  });
const write = (directory: string, files: Readonly<Record<string, string>>): void => {
  writeTree(directory, files);
};
/** A repository with one commit of these files. */
const repository = (name: string, files: Readonly<Record<string, string>>): string => {
  const directory = join(home, name);
  mkdirSync(directory, { recursive: true });
  git(directory, 'init', '-q', '-b', 'main');
  write(directory, files);
  git(directory, 'add', '-A');
  git(directory, 'commit', '-q', '-m', 'first');
  return directory;
};
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('');

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ grantRoots: [home], env: { TMPDIR: temporary } });
});
afterAll(() => daemon.stop());

const gather = async (mountedDirectory: string, request: object = {}): Promise<ContextResult> => {
  const include = { rules: false, supplementary: false, imports: 'off', search: false, changes: true };
  const { status, body, text } = await daemon.request('/v1/context', {
    body: { mountedDirectory, include, ...request },
  });
  expect(status, text).toBe(200);
  return body as ContextResult;
};
const contents = ({ items }: ContextResult): Record<string, string> =>
  Object.fromEntries(items.filter(({ kind }) => kind === 'changes').map(({ name, content }) => [name, content]));
const left = ({ omitted }: ContextResult) => omitted.map(({ kind, path, reason }) => [kind, path, reason.code]);
const whyNot = ({ warnings }: ContextResult) => warnings.map(({ code, message }) => `${code}: ${message}`);

describe('changes of the working tree', () => {
  it('RT-07 a changed notebook is compared by its cells, whatever its outputs weigh', async () => {
    const notebook = (source: string, output: string): string =>
      JSON.stringify({ cells: [{ cell_type: 'code', source, outputs: [{ data: { 'image/png': output } }] }] });
    const [before, after] = ['iVBOR'.repeat(300_000), 'iVBOX'.repeat(300_000)];
    // What git has for two of them is one, which is too large for a file that is no notebook.
    const notes = repository('notes', {
      'a.ipynb': notebook('a = 1', before),
      'b.ipynb': notebook('b = 1', before),
      'a.json': notebook('a = 1', before),
    });
    write(notes, {
      'a.ipynb': notebook('a = 2', after),
      'b.ipynb': notebook('b = 1', after),
      'a.json': '{}',
    });
    const result = await gather(notes);
    expect(contents(result)).toEqual({
      'a.ipynb': '--- a/a.ipynb\n+++ b/a.ipynb\n@@ -1,2 +1,2 @@\n # %%\n-a = 1\n+a = 2\n',
    });
    expect(left(result)).toEqual([['changes', join(notes, 'a.json'), 'limit_reached']]);
    const json = [{ path: 'a.ipynb', content: `\n${notebook('a = 3', '')}` }];
    expect(contents(await gather(notes, { documents: json }))['a.ipynb']).toContain('+a = 3\n');
    // Its code alone has none of the other cells.
    const documents = [{ path: 'a.ipynb', content: 'a = 3' }];
    expect(left(await gather(notes, { documents }))[0]).toEqual(['changes', join(notes, 'a.ipynb'), 'limit_reached']);
    // What is cut is not compared.
    const long = repository('long-notebook', { 'a.ipynb': notebook('a = 1\n'.repeat(300_000), '') });
    write(long, { 'a.ipynb': notebook('a = 2\n', '') });
    expect(left(await gather(long))).toEqual([['changes', join(long, 'a.ipynb'), 'limit_reached']]);
  });

  it('are told as hunks: changed, new and removed files, and texts that are not saved', async () => {
    const shop = repository('shop', {
      '.gitignore': '*.log\n',
      'src/a.ts': lines(1, 40),
      'src/b.ts': 'export const b = 1;\n',
      'src/open.ts': 'saved\n',
      'src/gone.ts': 'gone\n',
      'src/same.ts': 'same\n',
      'src/ends.ts': 'one\ntwo\n',
    });
    expect(contents(await gather(shop))).toEqual({});
    write(shop, {
      'src/a.ts': `first\n${lines(2, 39)}last\n`,
      'src/new file.ts': 'new\n',
      'src/same.ts': 'same\n',
      'src/ends.ts': 'one\r\ntwo\r\n',
      'debug.log': 'ignored\n',
    });
    rmSync(join(shop, 'src/gone.ts'));
    git(shop, 'mv', 'src/b.ts', 'src/c.ts');
    const documents = [{ path: 'src/open.ts', content: 'not saved\n' }];
    const result = await gather(shop, { documents });
    expect(contents(result)).toEqual({
      'src/a.ts':
        '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,4 +1,4 @@\n-line 1\n+first\n line 2\n line 3\n line 4\n' +
        '@@ -37,4 +37,4 @@\n line 37\n line 38\n line 39\n-line 40\n+last\n',
      'src/b.ts': '--- a/src/b.ts\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-export const b = 1;\n',
      'src/c.ts': '--- /dev/null\n+++ b/src/c.ts\n@@ -0,0 +1,1 @@\n+export const b = 1;\n',
      'src/gone.ts': '--- a/src/gone.ts\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-gone\n',
      'src/new file.ts': '--- /dev/null\n+++ b/src/new file.ts\n@@ -0,0 +1,1 @@\n+new\n',
      'src/open.ts': '--- a/src/open.ts\n+++ b/src/open.ts\n@@ -1,1 +1,1 @@\n-saved\n+not saved\n',
    });
    expect(result.items[0]).toMatchObject({ kind: 'changes', name: 'src/a.ts', reason: { code: 'changed' } });
    expect(result.usage.kinds.changes).toBe(result.usage.tokens);
    expect((await gather(shop, { documents })).digest).toBe(result.digest);
    expect((await gather(shop)).digest).not.toBe(result.digest);
    expect(Object.keys(contents(await gather(join(shop, 'src')))).sort()).toEqual(
      ['a.ts', 'b.ts', 'c.ts', 'gone.ts', 'new file.ts'].sort(),
    );
    expect(await gather(shop, { include: { rules: false } })).toMatchObject({ items: [] });
    const { text = '' } = await gather(shop, { render: 'xml', documents });
    expect(text).toContain('<changes name="src/a.ts"');
  });

  it('are told of a renamed file by its new name, with what differs, and nothing of what was blocked', async () => {
    const moved = repository('moved', {
      'src/whole.ts': lines(1, 40),
      'src/edited.ts': lines(101, 140),
      'secret/plan.md': lines(201, 240),
      'src/open.md': lines(301, 340),
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: ["secret/**"]\n',
    });
    git(moved, 'mv', 'src/whole.ts', 'src/kept.ts');
    // Not with git: the new names are not in the index.
    rmSync(join(moved, 'src/edited.ts'));
    renameSync(join(moved, 'secret/plan.md'), join(moved, 'src/plan.md'));
    renameSync(join(moved, 'src/open.md'), join(moved, 'secret/open.md'));
    write(moved, { 'lib/edited.ts': `${lines(101, 139)}last\n` });
    const result = await gather(moved);
    const { 'src/plan.md': plan = '', 'src/open.md': open = '', ...others } = contents(result);
    expect(others).toEqual({
      'lib/edited.ts':
        'rename from src/edited.ts\nrename to lib/edited.ts\n--- a/src/edited.ts\n+++ b/lib/edited.ts\n' +
        '@@ -37,4 +37,4 @@\n line 137\n line 138\n line 139\n-line 140\n+last\n',
      'src/kept.ts': 'rename from src/whole.ts\nrename to src/kept.ts\n',
    });
    expect(plan).toContain('--- /dev/null\n+++ b/src/plan.md\n');
    expect(open).toContain('--- a/src/open.md\n+++ /dev/null\n');
    expect(left(result)).toEqual([
      ['changes', join(moved, 'secret/open.md'), 'blocked_by_policy'],
      ['changes', join(moved, 'secret/plan.md'), 'blocked_by_policy'],
    ]);
  });

  it('are told of a removed file whose text is still open by this text, and not as renamed', async () => {
    const shop = repository('still-open', { 'old.ts': lines(1, 20) });
    renameSync(join(shop, 'old.ts'), join(shop, 'new.ts'));
    expect(contents(await gather(shop))).toEqual({ 'new.ts': 'rename from old.ts\nrename to new.ts\n' });
    const documents = [{ path: 'old.ts', content: `${lines(1, 19)}last\n` }];
    const { 'new.ts': added = '', ...others } = contents(await gather(shop, { documents }));
    expect(added).toContain('--- /dev/null\n+++ b/new.ts\n');
    expect(others['old.ts']).toContain('--- a/old.ts\n+++ b/old.ts\n');
    expect(others['old.ts']).toContain('-line 20\n+last\n');
  });

  it('AP-06 S-37 tell nothing of files that a policy or the list of sensitive files blocks, nor of what they were', async () => {
    const shop = repository('blocked', {
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude: ["secret/**"]\n',
      'secret/old.ts': 'canary-old\n',
      'secret/now.ts': 'canary-before\n',
      id_rsa: 'canary-key\n',
      'logo.png': 'a\0b',
      'src/large.ts': 'x\n',
    });
    rmSync(join(shop, 'secret/old.ts'));
    write(shop, {
      'secret/now.ts': 'canary-now\n',
      'secret/new.ts': 'canary-new\n',
      id_rsa: 'canary-other\n',
      'logo.png': 'a\0c',
      'src/large.ts': 'y\n'.repeat(400_000),
    });
    const result = await gather(shop);
    expect(JSON.stringify(result)).not.toContain('canary');
    expect(contents(result)).toEqual({});
    expect(left(result)).toEqual([
      ['changes', join(shop, 'id_rsa'), 'sensitive'],
      ['changes', join(shop, 'logo.png'), 'binary'],
      ['changes', join(shop, 'secret/new.ts'), 'blocked_by_policy'],
      ['changes', join(shop, 'secret/now.ts'), 'blocked_by_policy'],
      ['changes', join(shop, 'secret/old.ts'), 'blocked_by_policy'],
      ['changes', join(shop, 'src/large.ts'), 'limit_reached'],
    ]);
  });

  it('S-86 start nothing that a repository names, and write nothing to it', async () => {
    const evil = repository('evil', { 'a.txt': 'one\n', 'b.txt': 'two\n' });
    const marker = join(home, 'started');
    const program = join(evil, 'start.sh');
    writeFileSync(program, `#!/bin/sh\ntouch ${marker}\ncat\n`, { mode: 0o755 });
    write(evil, { '.gitattributes': '* filter=evil diff=evil\n' });
    const settings = {
      'filter.evil.clean': program,
      'filter.evil.smudge': program,
      'filter.evil.process': program,
      'diff.evil.command': program,
      'diff.evil.textconv': program,
      'diff.external': program,
      'core.fsmonitor': program,
      'core.hooksPath': evil,
      'core.sshCommand': program,
      'core.pager': program,
      'core.alternateRefsCommand': program,
      'remote.origin.url': `ext::${program}`,
      'remote.origin.promisor': 'true',
      'remote.origin.partialclonefilter': 'blob:none',
      'extensions.partialClone': 'origin',
    };
    for (const [name, value] of Object.entries(settings)) git(evil, 'config', name, value);
    for (const hook of ['post-index-change', 'reference-transaction', 'fsmonitor-watchman'])
      writeFileSync(join(evil, '.git/hooks', hook), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    // Changed in the same moment as the index: git cannot tell by the time.
    write(evil, { 'a.txt': 'uno\n', 'b.txt': 'dos\n' });
    const before = readdirSync(join(evil, '.git')).sort();
    rmSync(marker, { force: true });
    const result = await gather(evil);
    expect(Object.keys(contents(result))).toContain('a.txt');
    // A blob that is not there would be fetched.
    const [blob = ''] = git(evil, 'rev-parse', 'HEAD:b.txt').split('\n');
    rmSync(join(evil, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });
    expect(left(await gather(evil))).toContainEqual(['changes', join(evil, 'b.txt'), 'limit_reached']);
    expect(existsSync(marker)).toBe(false);
    expect(readdirSync(join(evil, '.git')).sort()).toEqual(before);
  });

  it('S-86 read no repository but the one of this working tree', async () => {
    const other = repository('private', { 'private.txt': 'canary\n' });
    const refused = async (directory: string) => {
      const result = await gather(directory);
      expect(JSON.stringify(result)).not.toContain('canary');
      expect(contents(result)).toEqual({});
      return whyNot(result);
    };
    const untrusted = [expect.stringContaining('does not name this working tree')];
    const tree = (name: string): string => {
      mkdirSync(join(home, name), { recursive: true });
      return join(home, name);
    };
    const byFile = tree('by-file');
    writeFileSync(join(byFile, '.git'), `gitdir: ${other}/.git\n`);
    expect(await refused(byFile)).toEqual(untrusted);
    const byLink = tree('by-link');
    symlinkSync(join(other, '.git'), join(byLink, '.git'));
    expect(await refused(byLink)).toEqual(untrusted);
    const byCommon = tree('by-common');
    write(byCommon, { '.git': 'gitdir: evil\n', 'evil/gitdir': '../.git\n', 'evil/HEAD': 'ref: refs/heads/main\n' });
    writeFileSync(join(byCommon, 'evil/commondir'), `${other}/.git\n`);
    expect(await refused(byCommon)).toEqual(untrusted);
    const byRefs = tree('by-refs');
    write(byRefs, { '.git/HEAD': 'ref: refs/heads/main\n' });
    for (const part of ['refs', 'objects', 'index']) symlinkSync(join(other, '.git', part), join(byRefs, '.git', part));
    expect(await refused(byRefs)).toEqual([expect.stringContaining('has no commit yet')]);
    writeFileSync(join(byRefs, '.git/HEAD'), 'ref: refs/../../private/.git/refs/heads/main\n');
    expect(await refused(byRefs)).toEqual([expect.stringContaining('has no commit yet')]);
    const byIndex = repository('by-index', { 'a.txt': 'a\n' });
    rmSync(join(byIndex, '.git/index'));
    symlinkSync(join(other, '.git/index'), join(byIndex, '.git/index'));
    expect(await refused(byIndex)).toEqual(untrusted);
  });

  it('S-86 start no program of the repository that has the name of git', async () => {
    const shop = repository('with-git', { 'a.txt': 'one\n', 'bin/keep': '' });
    write(shop, { 'a.txt': 'two\n' });
    const marker = join(home, 'started-git');
    writeFileSync(join(shop, 'bin/git'), `#!/bin/sh\ntouch ${marker}\n`, { mode: 0o755 });
    await using alone = await startDaemon({ grantRoots: [home], env: { PATH: `bin::${process.env.PATH}` } });
    const asked = { mountedDirectory: shop, include: { rules: false, changes: true } };
    const { body } = await alone.request('/v1/context', { body: asked });
    expect(existsSync(marker)).toBe(false);
    expect(Object.keys(contents(body as ContextResult))).toContain('a.txt');
  });

  it.runIf(process.getuid?.() === 0)('S-86 read no repository that another user made above', async () => {
    const above = repository('above-ours', { 'ours/a.txt': 'canary\n' });
    const ours = join(above, 'ours');
    write(ours, { 'a.txt': 'two\n' });
    expect(Object.keys(contents(await gather(ours)))).toEqual(['a.txt']);
    chownSync(join(above, '.git'), 65_534, 65_534);
    expect(whyNot(await gather(ours))).toEqual([expect.stringContaining('belongs to another user')]);
    // A whole project of one other user, as in a container, is read.
    chownSync(ours, 65_534, 65_534);
    expect(Object.keys(contents(await gather(ours)))).toEqual(['a.txt']);
  });

  it('S-86 cost git bounded memory, however much a repository unpacks to', async () => {
    const bomb = repository('bomb', { 'a.txt': 'a\n' });
    const object = (hash: string, data: Buffer): void => {
      mkdirSync(join(bomb, '.git/objects', hash.slice(0, 2)), { recursive: true });
      writeFileSync(join(bomb, '.git/objects', hash.slice(0, 2), hash.slice(2)), data);
    };
    const [tree, commit] = ['1'.repeat(40), '2'.repeat(40)];
    const text = `tree ${tree}\nauthor a <a> 0 +0000\ncommitter a <a> 0 +0000\n\n\n`;
    object(commit, deflateSync(`commit ${text.length}\0${text}`));
    // 4 GiB of zeros in 4 MB: the same 16 MiB again and again.
    const flush = { finishFlush: constants.Z_FULL_FLUSH };
    const zeros = deflateRawSync(Buffer.alloc(2 ** 24), flush);
    object(tree, Buffer.concat([deflateSync(`tree ${2 ** 32 - 32}\0`, flush), ...Array(256).fill(zeros)]));
    writeFileSync(join(bomb, '.git/HEAD'), `${commit}\n`);
    const since = performance.now();
    expect(whyNot(await gather(bomb))).toEqual([expect.stringContaining('git could not compare it')]);
    // Without a bound it is unpacked until the time of git is over, which is 10 s.
    expect(performance.now() - since).toBeLessThan(8_000);
  });

  it('S-86 read no objects of another repository, by links or as alternates', async () => {
    const other = repository('other', { 'private.txt': 'canary\n' });
    const known = git(other, 'rev-parse', 'HEAD');
    const objects = join(other, '.git/objects');
    const [directory = ''] = readdirSync(objects);
    const [file = ''] = readdirSync(join(objects, directory));
    const ways: Readonly<Record<string, (own: string) => void>> = {
      alternates: (own) => write(own, { 'info/alternates': `${objects}\n` }),
      all(own) {
        rmSync(own, { recursive: true });
        symlinkSync(objects, own);
      },
      pack(own) {
        rmSync(join(own, 'pack'), { recursive: true });
        symlinkSync(join(objects, 'pack'), join(own, 'pack'));
      },
      directory: (own) => symlinkSync(join(objects, directory), join(own, directory)),
      file(own) {
        mkdirSync(join(own, directory));
        symlinkSync(join(objects, directory, file), join(own, directory, file));
      },
    };
    for (const [name, lead] of Object.entries(ways)) {
      const taker = join(home, `taker-${name}`);
      mkdirSync(taker);
      git(taker, 'init', '-q');
      lead(join(taker, '.git/objects'));
      writeFileSync(join(taker, '.git/HEAD'), known);
      const result = await gather(taker);
      expect(JSON.stringify(result), name).not.toContain('canary');
      expect(whyNot(result), name).toEqual([expect.stringContaining('does not name this working tree')]);
    }
  });

  it('S-86 do not wait for a pipe in the place of the index, and read no ignore patterns through a link', async () => {
    const piped = repository('piped', { 'a.txt': 'a\n' });
    rmSync(join(piped, '.git/index'));
    execFileSync('mkfifo', [join(piped, '.git/index')]);
    expect(whyNot(await gather(piped))).toEqual([expect.stringContaining('does not name this working tree')]);
    const led = repository('led', { 'a.txt': 'a\n' });
    rmSync(join(led, '.git/info/exclude'));
    writeFileSync(join(home, 'patterns'), 'guessed\n');
    symlinkSync(join(home, 'patterns'), join(led, '.git/info/exclude'));
    write(led, { guessed: 'text\n' });
    expect(Object.keys(contents(await gather(led)))).toEqual(['guessed']);
    rmSync(join(led, '.git/info/exclude'));
    writeFileSync(join(led, '.git/info/exclude'), 'guessed\n');
    expect(contents(await gather(led))).toEqual({});
  });

  it('S-86 outlive the removal of what they keep among temporary files, and use nothing of somebody else', async () => {
    const directory = temporaryDirectory();
    await using alone = await startDaemon({ grantRoots: [home], env: { TMPDIR: directory } });
    const shop = repository('removed', { 'a.txt': 'one\n' });
    write(shop, { 'a.txt': 'two\n' });
    const changes = async () => {
      const asked = { mountedDirectory: shop, include: { rules: false, changes: true } };
      const { body } = await alone.request('/v1/context', { body: asked });
      return Object.keys(contents(body as ContextResult));
    };
    const kept = () => readdirSync(directory).filter((name) => name.startsWith('contextd-git-'));
    expect(await changes()).toEqual(['a.txt']);
    const [first = ''] = kept();
    rmSync(join(directory, first, 'config'));
    expect(await changes()).toEqual(['a.txt']);
    for (const name of kept()) rmSync(join(directory, name), { recursive: true });
    expect(await changes()).toEqual(['a.txt']);
    for (const name of kept()) chmodSync(join(directory, name), 0o777);
    expect(await changes()).toEqual(['a.txt']);
    expect(kept().filter((name) => (statSync(join(directory, name)).mode & 0o077) === 0)).toHaveLength(1);
  });

  it('are there in a worktree and in a submodule, with packed refs, and with SHA-256', async () => {
    const main = repository('main', { 'a.txt': 'one\n' });
    git(main, 'pack-refs', '--all');
    const worktree = join(home, 'worktree');
    git(main, 'worktree', 'add', '-q', '-b', 'side', worktree);
    write(worktree, { 'a.txt': 'two\n' });
    const changed = { 'a.txt': '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n' };
    expect(contents(await gather(worktree))).toEqual(changed);
    expect(contents(await gather(main))).toEqual({});
    const above = repository('above', { 'b.txt': 'b\n' });
    git(above, 'submodule', '-q', 'add', main, 'below');
    write(above, { 'below/a.txt': 'two\n' });
    expect(contents(await gather(join(above, 'below')))).toEqual(changed);
    expect(Object.keys(contents(await gather(above)))).toEqual(['.gitmodules']);
    const long = join(home, 'long');
    mkdirSync(long);
    git(long, 'init', '-q', '--object-format=sha256');
    write(long, { 'a.txt': 'one\n' });
    git(long, 'add', '-A');
    git(long, 'commit', '-q', '-m', 'first');
    write(long, { 'a.txt': 'two\n' });
    expect(contents(await gather(long))).toEqual(changed);
    git(long, 'checkout', '-q', '--detach');
    expect(contents(await gather(long))).toEqual(changed);
  });

  it('are not told where there is no repository, no commit or no git, which is said', async () => {
    const bare = join(home, 'bare');
    mkdirSync(bare);
    expect(whyNot(await gather(bare))).toEqual([
      'changes_unavailable: The changes in this directory cannot be shown: it is not in a git repository.',
    ]);
    git(bare, 'init', '-q');
    expect(whyNot(await gather(bare))).toEqual([expect.stringContaining('has no commit yet')]);
    const broken = repository('broken', { 'a.txt': 'a\n' });
    writeFileSync(join(broken, '.git/index'), 'no index');
    expect(whyNot(await gather(broken))).toEqual([expect.stringContaining('git could not compare it')]);
    renameSync(join(broken, '.git/HEAD'), join(broken, '.git/HEAD.old'));
    expect(whyNot(await gather(broken))).toEqual([expect.stringContaining('has no commit yet')]);
    await using alone = await startDaemon({ grantRoots: [home], env: { PATH: join(home, 'nothing') } });
    const { body } = await alone.request('/v1/context', {
      body: { mountedDirectory: repository('without', { 'a.txt': 'a\n' }), include: { changes: true } },
    });
    expect(whyNot(body as ContextResult)).toEqual([expect.stringContaining('git is not installed')]);
    // One for each format of objects, however many were asked about.
    expect(readdirSync(temporary).filter((name) => name.startsWith('contextd-git-')).length).toBeLessThanOrEqual(2);
  });

  it('are cut at their hunks', async () => {
    const shop = repository('cut', { 'a.txt': lines(1, 3_000) });
    const text = Array.from({ length: 3_000 }, (_, at) => (at % 20 === 0 ? 'changed\n' : `line ${at + 1}\n`)).join('');
    write(shop, { 'a.txt': text });
    const { items, usage } = await gather(shop, { budget: { maxTokens: 1_500 } });
    expect(usage.tokens).toBeLessThanOrEqual(1_500);
    expect(items).toMatchObject([{ kind: 'changes', truncated: true }]);
    expect(items[0]?.content).toMatch(/\n line \d+\n…\n$/u);
    expect(items[0]?.content.split('@@ -').length).toBeGreaterThan(5);
  });
});
