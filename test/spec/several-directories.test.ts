/** What requests about several working directories share, and what must not be lost on the way. */
import { describe, expect, it } from 'vitest';
import { parseContextConfig } from '../../src/context/config.ts';
import { writtenAt } from '../../src/context/config-lines.ts';
import type { ResolveResult } from '../../src/context/resolve-result.ts';
import { maskUrl } from '../../src/texts/mask.ts';
import { longestTurnMs, processorMs } from '../support/expect-quick.ts';
import { config, contextFile, createWorkspace, names, project, warningCodes } from '../support/workspace.ts';

const always = contextFile({ trigger: 'always' });
const include = (...includeFiles: string[]): string => config({ clientContext: { includeFiles } });

describe('limits over several working directories', () => {
  it('CC-06 CC-36 delivers what a limit left out as soon as another directory has become smaller', async () => {
    const tree: Record<string, string> = {};
    for (let index = 0; index < 10; index += 1) {
      tree[`a/.context/f${index}.md`] = always;
      tree[`b/.context/f${index}.md`] = always;
    }
    const { resolve, files, clock } = await createWorkspace(tree, { limits: { entries: 15 } });
    const request = { files: ['a/x.ts', 'b/x.ts'] };
    const first = await resolve(request);
    expect(first.files).toHaveLength(15);
    expect(warningCodes(first)).toEqual(['limit_entries']);
    for (let index = 0; index < 8; index += 1) files.remove(`${project}/a/.context/f${index}.md`);
    clock.advance(60_000);
    const second = await resolve(request);
    expect(second.files).toHaveLength(12);
    expect(second.warnings).toEqual([]);
  });

  it('CC-06 CC-22 looks below the owner of a pattern once, however many working directories there are', async () => {
    const tree: Record<string, string> = {
      '.context/context-config.json': include('**/RULES.md'),
      'RULES.md': always,
    };
    for (let index = 0; index < 10; index += 1) {
      tree[`d${index}/.context/own.md`] = always;
      for (let file = 0; file < 20; file += 1) tree[`d${index}/f${file}.ts`] = '';
    }
    const { resolve, engine } = await createWorkspace(tree, { limits: { entries: 600 } });
    const result = await resolve({ files: Array.from({ length: 10 }, (_, index) => `d${index}/f0.ts`) });
    expect(names(result)).toEqual(['RULES', ...Array.from({ length: 10 }, (_, index) => `d${index}:own`)]);
    expect(result.warnings).toEqual([]);
    await engine.dispose();
  });

  it('S-46 256 files far below do not hold the event loop so long that others are refused', async () => {
    const { resolve } = await createWorkspace({ '.context/a.md': always });
    const files = Array.from({ length: 256 }, (_, index) => `${'a/'.repeat(1_900)}${index}/b.ts`);
    await resolve({ files: files.slice(0, 2) });
    let result: ResolveResult | undefined;
    const longest = await longestTurnMs(async () => {
      result = await resolve({ files });
    });
    expect(names(result as ResolveResult)).toEqual(['a']);
    expect(longest).toBeLessThan(100);
  });

  it('S-46 asks the disk for nothing below the first directory that is not there', async () => {
    const { resolve, files } = await createWorkspace({ '.context/a.md': always });
    const asked = () => files.stats + files.lists + files.realPaths;
    const before = asked();
    const result = await resolve({ files: Array.from({ length: 256 }, (_, n) => `${n}/${'a/'.repeat(100)}x.ts`) });
    expect(names(result)).toEqual(['a']);
    expect(asked() - before).toBeLessThan(3 * 256);
  });

  it('S-46 resolves no path for directories without context, however many lie on each other', async () => {
    const deep = 'a/'.repeat(300);
    const tree = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`${deep}${index}/x.ts`, '']));
    const { resolve, files } = await createWorkspace(tree);
    await resolve({});
    const [realPaths, stats] = [files.realPaths, files.stats];
    const result = await resolve({ files: Object.keys(tree) });
    expect(names(result)).toEqual([]);
    expect(files.realPaths - realPaths).toBeLessThan(5);
    // Each directory on the way once, the context directories of the nearest and of the 50, and each file.
    expect(files.stats - stats).toBeLessThan(300 + 32 + 50 * 4 + 50);
  });

  it('CC-02 CC-16 CC-22 a context directory that two working directories share is each one’s own', async () => {
    const { resolve } = await createWorkspace(
      {
        'src/shared/s.md': contextFile({ trigger: 'auto', globs: ['*.ts'] }),
        'src/shared/context-config.json': config({ clientContext: { ignoreAncestorContext: true } }),
      },
      { settings: { clientContextPath: '../shared' } },
    );
    const result = await resolve({ files: ['src/a/x.css', 'src/b/x.ts'] });
    expect(result.files.map(({ path, state }) => [path, state])).toEqual([[`${project}/src/shared/s.md`, 'active']]);
  });
});

describe('silent losses', () => {
  it('CC-36 counts tokens again when they could not be counted the last time', async () => {
    let isBroken = true;
    const count = async (texts: readonly string[]): Promise<number[]> => {
      if (isBroken) throw new Error('no worker');
      return texts.map(() => 77);
    };
    const { resolve } = await createWorkspace(
      { '.context/a.md': always },
      { ports: { tokenCounter: { count, dispose() {} } } },
    );
    expect(warningCodes(await resolve())).toEqual(['tokens_estimated']);
    isBroken = false;
    const result = await resolve();
    expect(result.usage.tokens).toBe(77);
    expect(result.warnings).toEqual([]);
  });

  it('CC-04 CC-20 says that the mounted directory’s context directory is a link where another serves instead', async () => {
    const { resolve, files } = await createWorkspace({ 'src/.context/b.md': always, 'elsewhere/x.md': always });
    files.symlink(`${project}/.context`, 'elsewhere');
    const result = await resolve({ scopes: ['static'], workingDirectory: 'src' });
    expect(names(result)).toEqual(['src:b']);
    expect(result.warnings).toMatchObject([{ code: 'symlink', path: `${project}/.context` }]);
  });

  it('CC-05 says which included directories cannot be read', async () => {
    const { resolve, files } = await createWorkspace({
      '.context/context-config.json': include('docs/**', 'top/**'),
      'docs/deep/d.md': always,
      'top/t.md': always,
    });
    files.setMode(`${project}/docs/deep`, 0);
    files.setMode(`${project}/top`, 0);
    const result = await resolve();
    expect(result.warnings.map(({ code, path }) => [code, path])).toEqual([
      ['unreadable', `${project}/docs/deep`],
      ['unreadable', `${project}/top`],
    ]);
  });

  it('CC-03 CC-28 understands a mention with "~", "./" or the other separator', async () => {
    const { resolve } = await createWorkspace({ '.context/m.md': 'text' });
    for (const mention of ['~/myproject/.context/m.md', './.context/m.md', '.context\\m.md']) {
      const result = await resolve({ mentions: [mention] });
      expect(names(result, 'active'), mention).toEqual(['m']);
      expect(result.warnings, mention).toEqual([]);
    }
  });

  it('CC-13 warns of an exclude pattern that can never match because of its ".."', async () => {
    const { resolve } = await createWorkspace({
      '.context/context-config.json': config({ clientContext: { excludeFiles: ['.context/x/../p/**', '../*/p/**'] } }),
    });
    expect((await resolve()).warnings).toMatchObject([
      { code: 'invalid_pattern', message: expect.stringContaining('.context/x/../p/**') },
    ]);
  });
});

describe('configuration', () => {
  it('CC-02 CC-19 a client context path may begin with "./"', async () => {
    const { resolve } = await createWorkspace({ '/shared/.ai/g.md': always, '.ai/a.md': always });
    const request = { clientContextPath: './.ai//', globalContextPath: '/shared/.ai' };
    const other = await createWorkspace(
      { '/shared/.ai/g.md': always, '.ai/a.md': always },
      { grantedRoots: [project, '/shared'] },
    );
    expect(names(await resolve({ clientContextPath: './.ai//' }))).toEqual(['a']);
    expect(names(await other.resolve(request))).toEqual(['~:g', 'a']);
  });

  it('S-62 finds the lines of many patterns in a large configuration by reading it once', () => {
    const includeFiles = Array.from({ length: 64 }, (_, index) => `docs/f${index}.md`);
    const lines = includeFiles.map((pattern) => `  "${pattern}"`).join(',\n');
    const args = JSON.stringify(Array(5_000).fill('a'.repeat(40)));
    const text = `{"clientContext":{"includeFiles":[\n${lines}\n]},\n"mcpServers":{"s":{"command":"x","args":${args}}}}`;
    const milliseconds = (count: number): number => {
      const path = `${project}/.context/context-config.json`;
      const { value } = parseContextConfig(text, { path, format: 'json' });
      const config = { path, owner: project, scope: 'static', text, value } as const;
      let places: unknown;
      const spent = processorMs(() => {
        places = includeFiles.slice(0, count).map((pattern) => writtenAt(config, 'includeFiles', pattern));
      });
      expect(places).toEqual(includeFiles.slice(0, count).map((_, index) => `${path}:${index + 2}`));
      return spent;
    };
    // Many times, because the system counts in steps that are longer than one: the time of one may be 0.
    const total = (count: number): number =>
      Array.from({ length: 30 }, () => milliseconds(count)).reduce((a, b) => a + b);
    milliseconds(1);
    expect(total(64)).toBeLessThan(20 * total(1));
  });
});

describe('servers', () => {
  it('CC-32 masks an address with very many query names in linear time', () => {
    const address = (count: number): string =>
      `https://host/?${Array.from({ length: count }, (_, index) => `p${index}=secret`).join('&')}`;
    const milliseconds = (count: number): number => {
      const url = address(count);
      return processorMs(() => expect(maskUrl(url)).not.toContain('secret'));
    };
    milliseconds(100);
    expect(maskUrl('https://host/?a=1&b=2&a=3')).toBe('https://host/?a=***&b=***');
    expect(milliseconds(16_000)).toBeLessThan(100 * Math.max(milliseconds(1_000), 1));
  });
});
