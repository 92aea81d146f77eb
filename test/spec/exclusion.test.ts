/** What is left out: `excludeFiles`, ignore flags, sensitive files (CC-13 … CC-18). */
import { describe, expect, it } from 'vitest';
import { config, contextFile, createWorkspace, excludedCodes, names } from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });
const client = (clientContext: object): string => config({ clientContext });

describe('exclusion', () => {
  it('CC-13 tries a pattern relative to the working directory, the writer, the context directory, and absolutely', async () => {
    const tree = (pattern: string) => ({
      '.context/context-config.json': client({ excludeFiles: [pattern] }),
      '.context/private/a.md': always,
      'src/.context/b.md': always,
      'src/.context/private/c.md': always,
    });
    const left = async (pattern: string): Promise<string[]> => {
      const { resolve } = await createWorkspace(tree(pattern));
      return names(await resolve({ workingDirectory: 'src' }));
    };
    expect(await left('none')).toEqual(['private/a', 'src:b', 'src:private/c']);
    expect(await left('.context/b.md')).toEqual(['private/a', 'src:private/c']);
    expect(await left('src/.context/b.md')).toEqual(['private/a', 'src:private/c']);
    expect(await left('private/')).toEqual(['src:b']);
    expect(await left('**/PRIVATE/**')).toEqual(['src:b']);
    expect(await left('/home/ada/myproject/src/**')).toEqual(['private/a']);
    expect(await left('~/myproject/.context/**')).toEqual(['src:b', 'src:private/c']);
    // Relative to each candidate's own context directory this names every context directory.
    expect(await left('../.context/**')).toEqual([]);
  });

  it('CC-14 excludes win over includes, whichever configuration is nearer', async () => {
    const both = {
      include: client({ includeFiles: ['docs/**'] }),
      exclude: client({ excludeFiles: ['**/docs/**', 'docs/**'] }),
    };
    for (const [root, nested] of [
      [both.include, both.exclude],
      [both.exclude, both.include],
    ] as const) {
      const { resolve } = await createWorkspace({
        '.context/context-config.json': root,
        'src/.context/context-config.json': nested,
        'docs/a.md': always,
        'src/docs/b.md': always,
      });
      const result = await resolve({ workingDirectory: 'src' });
      expect(names(result)).toEqual([]);
      expect(excludedCodes(result)).toMatchObject({ 'src/docs/b.md': 'excluded_by_config' });
    }
  });

  it('CC-15 ignoreGlobalContext drops all global files, what global configuration includes among them', async () => {
    const { resolve } = await createWorkspace({
      '~/.context/g.md': always,
      '~/.context/context-config.json': client({ includeFiles: ['~/myproject/team/*.md'] }),
      '.context/context-config.json': client({ ignoreGlobalContext: true }),
      '.context/a.md': always,
      'team/t.md': always,
    });
    const result = await resolve();
    expect(names(result)).toEqual(['a']);
    expect(excludedCodes(result)).toMatchObject({
      '/home/ada/.context/g.md': 'ignored_global',
      'team/t.md': 'ignored_global',
    });
  });

  it('CC-16 ignoreAncestorContext drops what strict ancestors own; their configurations still take part', async () => {
    const { resolve } = await createWorkspace({
      '~/.context/g.md': always,
      '.context/root.md': always,
      '.context/context-config.json': client({ excludeFiles: ['own-too.md'], includeFiles: ['near.md'] }),
      'a/.context/middle.md': always,
      'a/b/.context/own.md': always,
      'a/b/.context/own-too.md': always,
      'a/b/.context/context-config.json': client({ ignoreAncestorContext: true }),
      'a/b/near.md': always,
    });
    const result = await resolve({ workingDirectory: 'a/b' });
    expect(names(result)).toEqual(['~:g', 'a/b:own', 'a/b/near']);
    expect(excludedCodes(result)).toMatchObject({
      '.context/root.md': 'ignored_ancestor',
      'a/.context/middle.md': 'ignored_ancestor',
      'a/b/.context/own-too.md': 'excluded_by_config',
    });
  });

  it('CC-18 sensitive files never appear and are never read, whatever includes or mentions them', async () => {
    const sensitive = [
      '.env',
      '.env.local',
      'server.key',
      'prod.pem',
      'id_rsa',
      'credentials.md',
      'api_key.txt',
      'sub/.ENV',
      'sub/Deploy.PEM',
    ];
    const tree = Object.fromEntries(
      sensitive.flatMap((path) => [
        [`.context/${path}`, 'canary'],
        [`docs/${path}`, 'canary'],
      ]),
    );
    const { resolve, files } = await createWorkspace({
      ...tree,
      '.context/context-config.json': client({ includeFiles: ['docs/**', ...sensitive.map((path) => `docs/${path}`)] }),
      'docs/fine.md': always,
    });
    files.resetCounters();
    const result = await resolve({ mentions: sensitive.map((path) => `.context/${path}`) });
    expect(names(result)).toEqual(['docs/fine']);
    expect(Object.values(excludedCodes(result)).filter((code) => code === 'sensitive')).toHaveLength(
      2 * sensitive.length,
    );
    expect(JSON.stringify(result)).not.toContain('canary');
    expect(files.opened.filter((path) => sensitive.some((name) => path.endsWith(name)))).toEqual([]);
  });

  it('CC-15 drops global files also where the global context lies below the working directory', async () => {
    const { resolve } = await createWorkspace({
      'team/.context/g.md': always,
      '.context/context-config.json': client({ ignoreGlobalContext: true }),
    });
    expect(names(await resolve({ globalContextPath: '/home/ada/myproject/team' }))).toEqual([]);
  });

  it('CC-15 drops global files also where they are those of the working directory, if they are asked for as global', async () => {
    const { resolve } = await createWorkspace({
      'team/.context/g.md': always,
      'team/.context/context-config.json': client({ ignoreGlobalContext: true }),
    });
    const request = { globalContextPath: '/home/ada/myproject/team', workingDirectory: 'team' };
    expect(names(await resolve(request))).toEqual(['team:g']);
    expect(names(await resolve({ ...request, scopes: ['global'] }))).toEqual([]);
  });
});
