/** How configurations are merged and applied: client-hosted context specification, "Merging algorithm" (CC-07 … CC-16). */
import { describe, expect, it } from 'vitest';
import {
  config,
  contextFile,
  createWorkspace,
  excludedCodes,
  fileNamed,
  names,
  project,
  warningCodes,
} from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });
const client = (clientContext: object): string => config({ clientContext });

describe('merging', () => {
  it('CC-08 reads config.json, config.yaml and config.yml as weaker configuration and never delivers them', async () => {
    const { resolve } = await createWorkspace({
      '.context/config.json': client({ excludeFiles: ['a.md'], ignoreGlobalContext: true }),
      '.context/config.yaml': 'clientContext:\n  excludeFiles: [b.md]\n',
      '.context/config.yml': 'clientContext:\n  excludeFiles: [c.md]\n',
      '.context/context-config.json': client({ ignoreGlobalContext: false }),
      '.context/a.md': always,
      '.context/b.md': always,
      '.context/c.md': always,
      '.context/d.md': always,
      '~/.context/g.md': always,
    });
    const result = await resolve();
    expect(names(result)).toEqual(['~:g', 'd']);
    expect(result.configSources.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))).toEqual([
      'config.yml',
      'config.yaml',
      'config.json',
      'context-config.json',
    ]);
    expect(result.config.clientContext.ignoreGlobalContext).toBe(false);
    expect(result.warnings).toEqual([]);
  });

  it('CC-10 has the defaults of the specification without any configuration', async () => {
    const { resolve } = await createWorkspace({ '.context/a.md': always, '.context/sub/b.md': always });
    const result = await resolve();
    expect(result.config).toEqual({
      clientContext: {
        includeFiles: ['*'],
        excludeFiles: ['context-config.json'],
        ignoreGlobalContext: false,
        ignoreAncestorContext: false,
      },
      mcpServers: {},
    });
    expect(names(result)).toEqual(['a', 'sub/b']);
    expect(result.configSources).toEqual([]);
  });

  it('CC-10 includeFiles only adds to the default', async () => {
    const { resolve } = await createWorkspace({
      '.context/context-config.json': client({ includeFiles: ['docs/style.md'] }),
      '.context/a.md': always,
      'docs/style.md': always,
      'docs/other.md': always,
    });
    expect(names(await resolve())).toEqual(['a', 'docs/style']);
  });

  it('CC-11 merges global, mounted directory, then each directory down: the algorithm of the specification', async () => {
    const { resolve } = await createWorkspace({
      '~/.context/context-config.json': client({
        includeFiles: ['g/**', 'both/**'],
        excludeFiles: ['x'],
        ignoreGlobalContext: true,
      }),
      '.context/context-config.json': client({ includeFiles: ['m/**', 'both/**'], ignoreAncestorContext: true }),
      'a/.context/context-config.json': client({
        includeFiles: ['*', 'a/**'],
        excludeFiles: ['x', 'y'],
        ignoreGlobalContext: false,
      }),
      'a/b/.context/context-config.json': client({ excludeFiles: ['z'], ignoreAncestorContext: false }),
    });
    const result = await resolve({ workingDirectory: 'a/b' });
    expect(result.config.clientContext).toEqual({
      includeFiles: ['*', 'g/**', 'both/**', 'm/**', 'a/**'],
      excludeFiles: ['context-config.json', 'x', 'y', 'z'],
      ignoreGlobalContext: false,
      ignoreAncestorContext: false,
    });
    expect(result.configSources.map(({ scope }) => scope)).toEqual(['global', 'static', 'dynamic', 'dynamic']);
  });

  it('CC-11 a configuration that omits a flag changes nothing', async () => {
    const { resolve } = await createWorkspace({
      '.context/context-config.json': client({ ignoreGlobalContext: true }),
      'a/.context/context-config.json': client({ excludeFiles: ['x'] }),
      '~/.context/g.md': always,
    });
    const result = await resolve({ workingDirectory: 'a' });
    expect(result.config.clientContext.ignoreGlobalContext).toBe(true);
    expect(excludedCodes(result)).toMatchObject({ '/home/ada/.context/g.md': 'ignored_global' });
  });

  it('CC-32 merges servers by name: the nearest definition wins whole, what it shadows is named, secrets are masked', async () => {
    const { resolve } = await createWorkspace({
      '~/.context/context-config.json': config({
        mcpServers: {
          github: {
            command: `safe --as ghp_${'aB3dE6gH9j'.repeat(4)}`,
            env: { TOKEN: 'canary-1' },
            args: ['--ro', '--key', `sk-proj-${'aB3dE6gH9j'.repeat(4)}`, `--token=ghp_${'aB3dE6gH9j'.repeat(4)}`],
          },
        },
      }),
      '.context/context-config.json': config({
        mcpServers: {
          github: { command: 'other' },
          remote: {
            url: 'https://user:canary-2@example.com/mcp?key=canary-3',
            headers: { Authorization: 'canary-4' },
            disabled: true,
          },
        },
      }),
    });
    const result = await resolve();
    expect(result.config.mcpServers).toEqual({
      github: {
        command: 'other',
        definedIn: `${project}/.context/context-config.json`,
        scope: 'static',
        shadows: [{ path: '/home/ada/.context/context-config.json', scope: 'global' }],
      },
      remote: {
        url: expect.stringContaining('example.com/mcp?key='),
        headers: { Authorization: '***' },
        disabled: true,
        definedIn: `${project}/.context/context-config.json`,
        scope: 'static',
      },
    });
    const globalOnly = await resolve({ scopes: ['global'] });
    expect(globalOnly.config.mcpServers.github).toMatchObject({
      command: 'safe --as ***',
      args: ['--ro', '--key', '***', '--token=***'],
      env: { TOKEN: '***' },
    });
    expect(JSON.stringify([result, globalOnly])).not.toContain('canary');
  });
});

describe('inclusion', () => {
  it('CC-12 expands patterns below the working directory and below the owner of the configuration', async () => {
    const { resolve } = await createWorkspace({
      '.context/context-config.json': client({ includeFiles: ['notes/*.md'] }),
      'notes/root.md': always,
      'src/notes/near.md': always,
      'src/deep/notes/deep.md': always,
    });
    const result = await resolve({ workingDirectory: 'src' });
    expect(names(result)).toEqual(['notes/root', 'src/notes/near']);
    expect(fileNamed(result, 'notes/root')).toMatchObject({ source: 'include', owner: project, scope: 'static' });
    expect(fileNamed(result, 'src/notes/near')).toMatchObject({
      source: 'include',
      owner: `${project}/src`,
      scope: 'dynamic',
    });
  });

  it('CC-12 takes absolute patterns only inside granted roots', async () => {
    const tree = {
      '.context/context-config.json': client({
        includeFiles: ['/srv/shared/**', '~/team/*.md', '/home/ada/myproject/docs/*.md'],
      }),
      '/srv/shared/s.md': always,
      '~/team/t.md': always,
      'docs/d.md': always,
    };
    const without = await createWorkspace(tree);
    const result = await without.resolve();
    expect(names(result)).toEqual(['docs/d']);
    expect(warningCodes(result)).toEqual(['pattern_outside_granted_roots', 'pattern_outside_granted_roots']);
    expect(without.files.opened.filter((path) => !path.startsWith(project))).toEqual([]);
    const granted = await createWorkspace(tree, { grantedRoots: [project, '/srv/shared', '/home/ada/team'] });
    const all = await granted.resolve();
    expect(all.files.map(({ path }) => path).sort()).toEqual([
      '/home/ada/myproject/docs/d.md',
      '/home/ada/team/t.md',
      '/srv/shared/s.md',
    ]);
    expect(warningCodes(all)).toEqual(['outside_repository']);
  });

  it('CC-17 finds what a pattern writes in other letters than the disk', async () => {
    const { resolve } = await createWorkspace({
      '.context/context-config.json': client({ includeFiles: ['docs/AI/*.md'], excludeFiles: ['DOCS/ai/b.md'] }),
      'Docs/ai/a.md': always,
      'Docs/ai/b.md': always,
    });
    expect(names(await resolve())).toEqual(['Docs/ai/a']);
  });

  it('CC-12 understands the specification’s own patterns', async () => {
    const { resolve } = await createWorkspace({
      '.context/context-config.json': client({
        includeFiles: ['additional-context/**', '/**/Desktop/shared-context/**'],
      }),
      'additional-context/deep/a.md': always,
      'Desktop/shared-context/b.md': always,
    });
    const result = await resolve();
    expect(names(result)).toEqual(['Desktop/shared-context/b', 'additional-context/deep/a']);
    expect(warningCodes(result)).toEqual(['pattern_outside_granted_roots']);
  });

  it('S-36 patterns that try to escape find nothing, say so once, and open nothing outside', async () => {
    const patterns = [
      '/**/Desktop/**',
      '../../../**/*.pem',
      '{..,x}/../etc/*',
      '[.][.]/x',
      '@(..)/x',
      '~/.ssh/**',
      '**/../../etc/*',
      '/etc/pass*',
      '/proc/self/environ',
      '..',
    ];
    for (const pattern of patterns) {
      const { resolve, files } = await createWorkspace({
        '.context/context-config.json': client({ includeFiles: [pattern] }),
        '/etc/passwd': 'root',
        '/etc/notes.md': always,
        '/proc/self/environ': 'SECRET=1',
        '/x.pem': 'key',
        '~/.ssh/id_rsa': 'key',
        '~/Desktop/a.md': always,
      });
      const result = await resolve();
      expect.soft(names(result), pattern).toEqual([]);
      expect.soft(result.warnings, pattern).toMatchObject([{ code: 'pattern_outside_granted_roots' }]);
      expect
        .soft(
          files.opened.filter((path) => !path.startsWith(project)),
          pattern,
        )
        .toEqual([]);
    }
  });

  it('CC-12 lets ".." at the beginning move the base inside the granted roots', async () => {
    const { resolve } = await createWorkspace({
      'src/.context/context-config.json': client({ includeFiles: ['../docs/*.md'] }),
      'docs/d.md': always,
    });
    expect(names(await resolve({ workingDirectory: 'src' }))).toEqual(['docs/d']);
  });

  it('CC-24 says once for a pattern that it finds files of other types', async () => {
    const { resolve } = await createWorkspace({
      '.context/context-config.json': client({ includeFiles: ['docs/'] }),
      'docs/a.md': always,
      'docs/b.png': 'x',
      'docs/c.pdf': 'x',
    });
    const result = await resolve();
    expect(names(result)).toEqual(['docs/a']);
    expect(excludedCodes(result)).toMatchObject({ 'docs/b.png': 'unsupported_type', 'docs/c.pdf': 'unsupported_type' });
    expect(result.warnings).toMatchObject([{ code: 'unsupported_type', message: expect.stringContaining('2 files') }]);
  });

  it('CC-04 says once for a pattern that it finds links, a linked directory among them', async () => {
    const { resolve, files } = await createWorkspace({
      '.context/context-config.json': client({ includeFiles: ['rules/**', 'linked/**'] }),
      'rules/a.md': always,
      'shared/b.md': always,
    });
    files.symlink(`${project}/rules/b.md`, '../shared/b.md');
    files.symlink(`${project}/rules/c.md`, '../shared/b.md');
    files.symlink(`${project}/linked`, 'shared');
    const result = await resolve();
    expect(names(result)).toEqual(['rules/a']);
    expect(excludedCodes(result)).toMatchObject({
      'rules/b.md': 'symlink',
      'rules/c.md': 'symlink',
      linked: 'symlink',
    });
    expect(result.warnings.map(({ message }) => message)).toEqual([
      'includeFiles pattern "rules/**" finds 2 symbolic links, which are not followed.',
      'includeFiles pattern "linked/**" finds a symbolic link, which is not followed.',
    ]);
  });

  it('CC-06 bounds patterns: what cannot be compiled is a warning', async () => {
    const { resolve } = await createWorkspace({
      '.context/context-config.json': client({
        includeFiles: ['{a,b}'.repeat(25), 'ok.md'],
        excludeFiles: ['{1..1e9}{1..999999}'],
      }),
      'ok.md': always,
    });
    const result = await resolve();
    expect(names(result)).toEqual(['ok']);
    expect(warningCodes(result)).toContain('invalid_pattern');
  });
});
