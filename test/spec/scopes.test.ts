/** Where context is sought: scopes, client context path, global context (CC-01 … CC-04, CC-19 … CC-23). */
import { describe, expect, it } from 'vitest';
import { ContextdError } from '../../src/errors.ts';
import {
  config,
  contextFile,
  createWorkspace,
  excludedCodes,
  fileNamed,
  home,
  names,
  project,
  warningCodes,
} from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });

describe('context directories', () => {
  it('CC-01 finds files in the context directory and its sub-folders, as deep as the setting allows', async () => {
    const levels = (count: number): string => Array.from({ length: count }, (_, index) => `d${index + 1}`).join('/');
    const { resolve } = await createWorkspace({
      '.context/top.md': always,
      [`.context/${levels(3)}/three.md`]: always,
      [`.context/${levels(16)}/sixteen.md`]: always,
      [`.context/${levels(17)}/seventeen.md`]: always,
    });
    const result = await resolve();
    expect(names(result)).toEqual([`${levels(16)}/sixteen`, `${levels(3)}/three`, 'top']);
    expect(result.warnings).toMatchObject([{ code: 'limit_depth', message: expect.stringContaining('16') }]);
  });

  it('CC-02 takes another client context path from the settings, everywhere', async () => {
    const { resolve } = await createWorkspace(
      {
        '.ai/context/a.md': always,
        '.context/b.md': always,
        'src/.ai/context/c.md': always,
        '~/.ai/context/g.md': always,
      },
      { settings: { clientContextPath: '.ai/context' } },
    );
    expect(names(await resolve({ workingDirectory: 'src' }))).toEqual(['~:g', 'a', 'src:c']);
  });

  it('CC-02 follows ".." in the client context path only into granted roots', async () => {
    const tree = { '/home/ada/shared/s.md': always, 'shared/inner.md': always, 'src/a.ts': '' };
    const settings = { clientContextPath: '../shared' };
    const without = await (await createWorkspace(tree, { settings })).resolve({ workingDirectory: 'src' });
    expect(names(without)).toEqual(['src:inner']);
    expect(without.warnings.map(({ code, path }) => [code, path])).toEqual([
      ['context_directory_outside_granted_roots', '/home/shared'],
      ['context_directory_outside_granted_roots', '/home/ada/shared'],
    ]);
    const granted = await createWorkspace(tree, { settings, grantedRoots: [project, '/home/ada/shared'] });
    expect(names(await granted.resolve({ workingDirectory: 'src' }))).toEqual(['s', 'src:inner']);
  });

  it('S-35 a client context path that climbs out of the home directory grants nothing', async () => {
    const tree = { '/etc/a.md': always, '.context/b.md': always };
    const { resolve, files, engine } = await createWorkspace(tree, { settings: { clientContextPath: '../../../etc' } });
    expect(names(await resolve())).toEqual([]);
    expect(files.opened.filter((path) => path.startsWith('/etc'))).toEqual([]);
    expect((await engine.listRoots()).map(({ path }) => path)).toEqual([project]);
  });

  it('CC-02 lets a request choose the client context path, relative only', async () => {
    const { resolve } = await createWorkspace({ '.ai/a.md': always, '.context/b.md': always });
    expect(names(await resolve({ clientContextPath: '.ai' }))).toEqual(['a']);
    await expect(resolve({ clientContextPath: '/etc' })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/clientContextPath' }],
    });
  });

  it('CC-03 expands ~ and accepts either separator', async () => {
    const { resolve } = await createWorkspace({ 'src/deep/.context/a.md': always });
    const expected = ['src/deep:a'];
    expect(names(await resolve({ mountedDirectory: '~/myproject', workingDirectory: 'src\\deep' }))).toEqual(expected);
    expect(names(await resolve({ workingDirectory: '~/myproject/src/./deep/' }))).toEqual(expected);
  });
});

describe('symbolic links and permissions', () => {
  it('CC-04 does not follow links: a file, a folder, the context directory, a configuration', async () => {
    const { resolve, files } = await createWorkspace({
      '.context/real.md': always,
      'elsewhere/x.md': always,
      'elsewhere/config.json': config({ clientContext: { excludeFiles: ['**'] } }),
      'src/a.ts': '',
    });
    files.symlink(`${project}/.context/link.md`, '../elsewhere/x.md');
    files.symlink(`${project}/.context/folder`, '../elsewhere');
    files.symlink(`${project}/.context/context-config.json`, '../elsewhere/config.json');
    files.symlink(`${project}/src/.context`, '../elsewhere');
    const result = await resolve({ workingDirectory: 'src' });
    expect(names(result)).toEqual(['real']);
    expect(excludedCodes(result)).toMatchObject({ '.context/link.md': 'symlink', '.context/folder': 'symlink' });
    expect(result.warnings.filter(({ code }) => code === 'symlink').map(({ path }) => path)).toEqual([
      `${project}/.context`,
      `${project}/src/.context`,
    ]);
    expect(result.warnings.filter(({ code }) => code === 'config_not_read')).toHaveLength(1);
  });

  it('CC-04 follows links into granted roots when the setting says so, and loops end', async () => {
    const { resolve, files } = await createWorkspace(
      { '.context/real.md': always, 'elsewhere/x.md': always, '/etc/secret.md': always },
      { settings: { followSymlinks: true } },
    );
    files.symlink(`${project}/.context/folder`, '../elsewhere');
    files.symlink(`${project}/.context/loop`, '.');
    files.symlink(`${project}/.context/away.md`, '/etc/secret.md');
    const result = await resolve();
    expect(names(result)).toEqual(['folder/x', 'real']);
    expect(excludedCodes(result)).toMatchObject({ '.context/away.md': 'outside_roots' });
    expect(files.opened).not.toContain('/etc/secret.md');
  });

  it('CC-05 skips what permissions forbid, says where, and delivers the rest', async () => {
    const { resolve, files } = await createWorkspace({
      '.context/a.md': always,
      '.context/b.md': always,
      '.context/d/c.md': always,
    });
    files.setMode(`${project}/.context/b.md`, 0);
    files.setMode(`${project}/.context/d`, 0);
    const result = await resolve();
    expect(names(result)).toEqual(['a']);
    expect(excludedCodes(result)).toEqual({ '.context/b.md': 'unreadable', '.context/d': 'unreadable' });
    expect(result.warnings.map(({ code, path }) => [code, path])).toEqual([
      ['unreadable', `${project}/.context/d`],
      ['unreadable', `${project}/.context/b.md`],
    ]);
  });
});

describe('scopes', () => {
  it('CC-19 reads the global scope from the home directory, its configuration and servers included', async () => {
    const { resolve } = await createWorkspace({
      '~/.context/g.md': always,
      '~/.context/context-config.json': config({
        clientContext: { excludeFiles: ['b.md'] },
        mcpServers: { notes: { command: 'notes' } },
      }),
      '.context/a.md': always,
      '.context/b.md': always,
    });
    const result = await resolve();
    expect(names(result)).toEqual(['~:g', 'a']);
    expect(fileNamed(result, '~:g')).toMatchObject({ scope: 'global', relativePath: '~/.context/g.md', owner: home });
    expect(result.config.mcpServers).toMatchObject({ notes: { command: 'notes', scope: 'global' } });
  });

  it('CC-19 GLOBAL_CONTEXT_PATH replaces the home directory: the example of the specification', async () => {
    const shared = '/Users/myuser/Desktop/shared-context';
    const tree = { [`${shared}/.context/g.md`]: always, '~/.context/home.md': always, '.context/a.md': always };
    for (const globalContextPath of [shared, `${shared}/.context`]) {
      const { resolve } = await createWorkspace(tree, { settings: { globalContextPath } });
      const result = await resolve();
      expect(names(result)).toEqual(['~:g', 'a']);
      expect(fileNamed(result, '~:g')).toMatchObject({ owner: shared, path: `${shared}/.context/g.md` });
    }
  });

  it('CC-19 lets a request choose the global context path inside granted roots only', async () => {
    const { resolve, files } = await createWorkspace({ 'team/.context/t.md': always, '/srv/.context/s.md': always });
    expect(names(await resolve({ globalContextPath: '~/myproject/team' }))).toEqual(['~:t']);
    files.resetCounters();
    const outside = await resolve({ globalContextPath: '/srv' });
    expect(names(outside)).toEqual([]);
    expect(warningCodes(outside)).toEqual(['context_directory_outside_granted_roots']);
    expect(files.opened.filter((path) => path.startsWith('/srv'))).toEqual([]);
  });

  it('CC-20 static scope is the mounted directory’s, and the working directory’s where that has none', async () => {
    const { resolve } = await createWorkspace({ '.context/a.md': always, 'src/.context/b.md': always });
    expect(names(await resolve({ scopes: ['static'], workingDirectory: 'src' }))).toEqual(['a']);
    for (const followSymlinks of [false, true]) {
      const other = await createWorkspace({ 'src/.context/b.md': always }, { settings: { followSymlinks } });
      expect(names(await other.resolve({ scopes: ['static'], workingDirectory: 'src' }))).toEqual(['src:b']);
    }
  });

  it('CC-21 dynamic scope is every directory on the way: the walk of the specification', async () => {
    const { resolve } = await createWorkspace({
      '.context/root.md': always,
      'src/.context/src.md': always,
      'src/components/.context/components.md': always,
      'src/components/button/.context/below.md': always,
      'docs/.context/beside.md': always,
    });
    const result = await resolve({ mountedDirectory: '~/myproject', workingDirectory: '~/myproject/src/components' });
    expect(result.workingDirectories).toEqual([`${project}/src/components`]);
    expect(result.files.map(({ path }) => path)).toEqual([
      `${project}/.context/root.md`,
      `${project}/src/.context/src.md`,
      `${project}/src/components/.context/components.md`,
    ]);
    expect(result.files.map(({ scope }) => scope)).toEqual(['static', 'dynamic', 'dynamic']);
  });

  it('AN-02 CC-18 CC-22 lists files in play that do not exist, which count all the same, until they do', async () => {
    const tree = { '.context/a.md': contextFile({ trigger: 'auto', globs: 'src/*.ts' }), 'src/there.ts': '' };
    const { resolve, files } = await createWorkspace(tree);
    const ask = () => resolve({ files: ['src/new.ts', 'src/there.ts', 'none/new.ts', 'src/new.ts'] });
    const omitted = (path: string) => ({
      path: `${project}/${path}`,
      reason: { code: 'not_found', detail: 'it does not exist, but counts as a file in play' },
    });
    const before = await ask();
    expect(before.omitted).toEqual([omitted('none/new.ts'), omitted('src/new.ts')]);
    expect(names(await resolve({ files: ['src/new.ts'] }), 'active')).toEqual(['a']);
    expect(await ask()).toBe(before);
    files.write(`${project}/src/new.ts`, '');
    expect((await ask()).omitted).toEqual([omitted('none/new.ts')]);
    files.remove(`${project}/src/new.ts`);
    expect(await ask()).toEqual(before);
    // Nothing is told of sensitive files, not even whether they exist.
    expect((await resolve({ files: ['src/.env', 'none/id_rsa'] })).omitted).toEqual([]);
    const inSource = await resolve({ files: ['src/new.ts'], workingDirectory: 'src' });
    expect(inSource.omitted).toEqual([omitted('src/new.ts')]);
  });

  it('AN-02 S-37 tells nothing of files in play behind links that lead out of the granted roots', async () => {
    const { resolve, files } = await createWorkspace({ '/data/there.ts': '', 'real/there.ts': '', 'real/.ssh/x': '' });
    files.symlink(`${project}/out`, '/data');
    files.symlink(`${project}/none`, '/none');
    files.symlink(`${project}/in`, `${project}/real`);
    files.symlink(`${project}/real/out`, '/data');
    files.symlink(`${project}/keys`, `${project}/real/.ssh`);
    const here = ['out', 'none', 'in/out', 'keys'].flatMap((each) => [`${each}/there.ts`, `${each}/gone.ts`]);
    const { omitted } = await resolve({ files: [...here, 'in/there.ts', 'in/gone.ts'] });
    expect(omitted.map(({ path }) => path)).toEqual([`${project}/in/gone.ts`]);
  });

  it('CC-22 takes each file’s directory as working directory, with its own chain, united by path', async () => {
    const { resolve } = await createWorkspace({
      '.context/root.md': always,
      'src/.context/code.md': always,
      'src/.context/context-config.json': config({ clientContext: { excludeFiles: ['**/.context/root.md'] } }),
      'docs/.context/prose.md': always,
    });
    const result = await resolve({ files: ['src/new.ts', 'docs/guide.md', 'src/other.ts'] });
    expect(result.workingDirectories).toEqual([`${project}/docs`, `${project}/src`]);
    // `src` leaves `root.md` out, `docs` does not: what one of them sees belongs to the answer.
    expect(names(result)).toEqual(['root', 'docs:prose', 'src:code']);
    expect((await resolve()).workingDirectories).toEqual([project]);
    expect(names(await resolve({ workingDirectory: 'src', files: ['docs/guide.md'] }))).toEqual(['src:code']);
  });

  it('CC-23 looks only in the scopes that were asked for', async () => {
    const { resolve } = await createWorkspace({
      '~/.context/g.md': always,
      '~/.context/context-config.json': config({ clientContext: { excludeFiles: ['**'] } }),
      '.context/a.md': always,
      'src/.context/b.md': always,
    });
    expect(names(await resolve({ scopes: ['dynamic'], workingDirectory: 'src' }))).toEqual(['a', 'src:b']);
    expect(names(await resolve({ scopes: ['global'], workingDirectory: 'src' }))).toEqual([]);
  });
});

describe('granted roots', () => {
  it('CC-33 refuses a mounted directory outside the granted roots and opens nothing there', async () => {
    const { resolve, files } = await createWorkspace({
      '/etc/.context/a.md': always,
      '/home/ada/myproject-evil/.context/a.md': always,
    });
    for (const mountedDirectory of [
      '/etc',
      '/home/ada',
      '/home/ada/myproject-evil',
      '/home/ada/myproject/../../../etc',
    ]) {
      await expect(resolve({ mountedDirectory })).rejects.toMatchObject({ code: 'path_outside_roots' });
    }
    expect(files.opened).toEqual([]);
  });

  it('CC-33 refuses a mounted directory that is a link out of the granted roots', async () => {
    const { resolve, files } = await createWorkspace({ '/etc/.context/a.md': always });
    files.symlink(`${project}/way-out`, '/etc');
    await expect(resolve({ mountedDirectory: `${project}/way-out` })).rejects.toMatchObject({
      code: 'path_outside_roots',
    });
    expect(files.opened).toEqual([]);
  });

  it('CC-33 grants, lists and takes back roots; what was given at start stays', async () => {
    const { engine, resolve } = await createWorkspace({ '/srv/app/.context/a.md': always });
    await expect(resolve({ mountedDirectory: '/srv/app' })).rejects.toBeInstanceOf(ContextdError);
    expect(await engine.grantRoot('/srv/app/')).toMatchObject({ created: true, root: { path: '/srv/app' } });
    expect(await engine.grantRoot('/srv/app')).toMatchObject({ created: false });
    expect(names(await resolve({ mountedDirectory: '/srv/app' }))).toEqual(['a']);
    expect((await engine.listRoots()).map(({ path, origin }) => [path, origin])).toEqual([
      [project, 'start'],
      [`${home}/.context`, 'global'],
      ['/srv/app', 'stored'],
    ]);
    await engine.revokeRoot('/srv/app');
    await expect(resolve({ mountedDirectory: '/srv/app' })).rejects.toMatchObject({ code: 'path_outside_roots' });
    await expect(engine.revokeRoot(project)).rejects.toMatchObject({ code: 'conflict' });
    await expect(engine.revokeRoot('/srv/app')).rejects.toMatchObject({ code: 'not_found' });
    await expect(engine.grantRoot('/srv/none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(engine.grantRoot('srv')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('CC-33 keeps two mounted directories apart', async () => {
    const { engine } = await createWorkspace(
      {
        '/w/one/.context/a.md': always,
        '/w/one/.context/context-config.json': config({
          clientContext: { excludeFiles: ['b.md'], ignoreGlobalContext: true },
        }),
        '/w/two/.context/a.md': contextFile({ trigger: 'manual' }),
        '/w/two/.context/b.md': always,
        '~/.context/g.md': always,
      },
      { grantedRoots: ['/w/one', '/w/two'] },
    );
    const both = await Promise.all(
      ['/w/one', '/w/two', '/w/one', '/w/two'].map((mountedDirectory) => engine.resolve({ mountedDirectory })),
    );
    expect(both.map((result) => names(result, 'active'))).toEqual([['a'], ['~:g', 'b'], ['a'], ['~:g', 'b']]);
  });

  it('S-08 never reads where the daemon keeps its own, whatever includes it or links to it', async () => {
    const state = `${home}/.local/state/contextd`;
    const { resolve, files } = await createWorkspace(
      {
        [`${state}/daemon.md`]: 'canary',
        [`${state}/.context/a.md`]: 'canary',
        '~/.context/context-config.json': config({ clientContext: { includeFiles: ['~/**', '**'] } }),
      },
      { grantedRoots: [home, '/alias'], deniedDirectories: [state], settings: { followSymlinks: true } },
    );
    files.symlink('/alias', home);
    files.symlink(`${project}/link`, state);
    files.resetCounters();
    for (const mountedDirectory of [home, project, state, '/alias', '/alias/.local/state/contextd'])
      expect(JSON.stringify(await resolve({ mountedDirectory }).catch(() => ''))).not.toContain('canary');
    // The gate itself lists it, to know its files by other names; nothing in it is opened.
    expect(files.opened.filter((path) => path.startsWith(`${state}/`))).toEqual([]);
  });

  it('S-34 refuses paths that climb, encode, or belong to another system', async () => {
    const { resolve, files } = await createWorkspace({ '.context/a.md': always });
    const bad = [
      '../..',
      '/etc/passwd',
      'a/../../x',
      '%2e%2e/x',
      'a%2fb',
      'C:\\x',
      '\\\\?\\C:\\x',
      'file:///etc/passwd',
      '/home/ada/myproject-evil',
    ];
    for (const path of bad) {
      const expected = { code: expect.stringMatching(/^(invalid_request|path_outside_roots)$/u) };
      await expect(resolve({ workingDirectory: path })).rejects.toMatchObject({
        ...expected,
        errors: [{ pointer: '/workingDirectory' }],
      });
      const answer = resolve({ files: ['ok.ts', path] });
      if (/%|:|\\/u.test(path))
        await expect(answer).rejects.toMatchObject({ code: 'invalid_request', errors: [{ pointer: '/files/1' }] });
      else expect((await answer).omitted.map(({ reason }) => reason.code)).toEqual(['outside_roots', 'not_found']);
    }
    expect(files.opened.every((path) => path.startsWith(project))).toBe(true);
    await expect(resolve({ mountedDirectory: 'myproject' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(resolve({ mountedDirectory: `${project}/none` })).rejects.toMatchObject({ code: 'not_found' });
    await expect(resolve({ mountedDirectory: `${project}/.context/a.md` })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
