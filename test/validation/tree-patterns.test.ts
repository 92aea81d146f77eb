/** What silently does nothing in a tree: patterns, definitions and names (AP-08; CC-12 … CC-14, CC-28, CC-32, AG-03). */
import { describe, expect, it } from 'vitest';
import { config, createWorkspace, home, project } from '../support/workspace.ts';

async function check(tree: Record<string, string>, grantedRoots: readonly string[] = [project]) {
  const { engine } = await createWorkspace(tree, { grantedRoots });
  const { diagnostics } = await engine.validate({ mountedDirectory: project });
  return diagnostics.map((each) => ({ ...each, path: each.path?.replace(`${project}/`, '') }));
}
const codes = async (tree: Record<string, string>) =>
  (await check(tree)).map(({ code, path, line, column, pointer }) =>
    `${code} ${path}:${line}:${column} ${pointer ?? ''}`.trim(),
  );
const configured = (clientContext: object) => JSON.stringify({ clientContext }, undefined, 2);
const at = '.context/context-config.json';
const auto = (globs: string) => `---\ntrigger: auto\nglobs: ${globs}\n---\nText.\n`;

describe('include patterns', () => {
  const files = {
    'docs/a.md': 'x',
    'docs/deep/b.txt': 'x',
    'docs/c.png': 'x',
    'src/x/notes/d.mdc': 'x',
    '.context/own.md': 'x',
  };
  const include = (...patterns: string[]) => codes({ ...files, [at]: configured({ includeFiles: patterns }) });

  it.each([
    'docs/*.md',
    'docs',
    'docs/',
    '**/b.txt',
    './docs/a.md',
    'DOCS/A.MD',
    'docs\\a.md',
    `${project}/docs/*.md`,
    '*',
  ])('AP-08 CC-12 "%s" finds files', async (pattern) => {
    expect(await include(pattern)).toEqual([]);
  });

  it('AP-08 CC-12 a pattern may find files only from a directory where work happens', async () => {
    expect(await include('notes/*.mdc', 'deep/*.txt')).toEqual([]);
  });

  it.each(['guides/**', 'docs/*.txt', 'a.md/**', '/docs/*.md'])('AP-08 "%s" finds nothing', async (pattern) => {
    const code = pattern.startsWith('/') ? 'pattern_outside_mounted_directory' : 'unused_pattern';
    expect(await include('docs/a.md', pattern)).toEqual([`${code} ${at}:5:7 /clientContext/includeFiles/1`]);
  });

  it('AP-08 CC-18 CC-24 what finds only files that are never delivered is said so', async () => {
    const tree = { ...files, 'keys/id_rsa.md': 'x', [at]: configured({ includeFiles: ['**/*.png', 'keys/**'] }) };
    const found = await check(tree);
    expect(found.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'unused_pattern: The pattern matches only files that are not .md, .mdc or .txt. Correct it, or remove it.',
      'unused_pattern: The pattern matches only files that are never delivered because of their names. Correct it, or remove it.',
    ]);
  });

  it('AP-08 CC-33 what reaches outside is a warning, whether or not it is granted here', async () => {
    const nested = {
      ...files,
      'src/.context/context-config.json': configured({ includeFiles: ['../docs/*.md', '../../x/**'] }),
    };
    const outside =
      'pattern_outside_mounted_directory src/.context/context-config.json:5:7 /clientContext/includeFiles/1';
    expect(await codes(nested)).toEqual([outside]);
    expect((await check(nested, [home])).map(({ code }) => code)).toEqual(['pattern_outside_mounted_directory']);
    expect(await include('~/shared/**', '/**/Desktop/**')).toHaveLength(2);
  });

  it('AP-08 what lies in node_modules is not looked for', async () => {
    expect(await include('node_modules/pkg/.context/**')).toEqual([]);
  });

  it('AP-08 CC-14 a pattern whose finds are all excluded again is a warning that names both places', async () => {
    const tree = { ...files, [at]: configured({ includeFiles: ['docs/**'], excludeFiles: ['**/docs/**'] }) };
    const [found, ...others] = await check(tree);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      code: 'shadowed_pattern',
      line: 4,
      column: 7,
      pointer: '/clientContext/includeFiles/0',
    });
    expect(found?.message).toBe(
      `The 2 files that this finds are left out again by excludeFiles "**/docs/**" in ${project}/${at}:7. Remove one of the two.`,
    );
  });

  it('AP-08 CC-14 the exclude may stand in a configuration above, and one file that stays is enough', async () => {
    const nested = (excludeFiles: string[]) => ({
      'src/docs/a.md': 'x',
      'src/docs/b.md': 'x',
      [at]: configured({ excludeFiles }),
      'src/.context/config.yaml': 'clientContext:\n  includeFiles:\n    - docs/**\n',
    });
    expect(await codes(nested(['src/docs/a.md']))).toEqual([]);
    expect(await codes(nested(['src/docs/*.md']))).toEqual([
      'shadowed_pattern src/.context/config.yaml:3:7 /clientContext/includeFiles/0',
    ]);
    const [several] = await check(nested(['src/docs/a.md', 'src/docs/b.md']));
    expect(several?.message).toContain(`"src/docs/a.md" in ${project}/${at}:4 and excludeFiles "src/docs/b.md" in`);
  });
});

describe('exclude patterns', () => {
  const files = {
    '.context/style.md': 'x',
    '.context/old/a.md': 'x',
    'pkg/.context/local.md': 'x',
    'pkg/src/b.md': 'x',
  };
  const exclude = (...patterns: string[]) => codes({ ...files, [at]: configured({ excludeFiles: patterns }) });

  it.each([
    'style.md',
    '.context/style.md',
    '**/old/**',
    'old/',
    'local.md',
    'pkg/.context/local.md',
    '.context/local.md',
    'context-config.json',
    '~/.context/mine.md',
    '/elsewhere/**',
    `${project}/.context/style.md`,
    'node_modules/**',
  ])('AP-08 CC-13 "%s" does something, or may', async (pattern) => {
    expect(await exclude(pattern)).toEqual([]);
  });

  it.each(['styles.md', 'src/b.md', 'a.md', 'old/*.txt', `${project}/.context/gone.md`])(
    'AP-08 CC-13 "%s" leaves out nothing',
    async (pattern) => {
      expect(await exclude('style.md', pattern)).toEqual([`unused_pattern ${at}:5:7 /clientContext/excludeFiles/1`]);
    },
  );

  it('AP-08 CC-13 what is included from elsewhere can be excluded, also from a directory below', async () => {
    const tree = {
      ...files,
      [at]: configured({ includeFiles: ['pkg/src/*.md'], excludeFiles: ['pkg/src/c.md', 'src/d.md'] }),
    };
    expect(await codes({ ...tree, 'pkg/src/c.md': 'x', 'pkg/src/d.md': 'x' })).toEqual([]);
    const nested = {
      ...files,
      'pkg/.context/context-config.json': configured({ excludeFiles: ['../.context/style.md', 'old/'] }),
    };
    expect(await codes(nested)).toEqual([]);
  });

  it('AP-08 CC-11 the context of a sibling is out of reach', async () => {
    const tree = { ...files, 'other/.context/context-config.json': configured({ excludeFiles: ['local.md'] }) };
    expect(await codes(tree)).toEqual([
      'unused_pattern other/.context/context-config.json:4:7 /clientContext/excludeFiles/0',
    ]);
  });
});

describe('globs and exceptions', () => {
  it('AP-08 CC-28 a glob of an auto file that matches no file is a warning at the glob', async () => {
    const tree = {
      'src/a.ts': '',
      'src/.context/here.md': auto('"a.ts", "/a.ts", "**/src/*.ts"'),
      '.context/list.md': '---\ntrigger: auto\nglobs:\n  - src/**\n  - lib/**\n---\nText.\n',
      '.context/comma.md': auto('src/**, **/*.{rs|go}, a.ts'),
      '.context/manual.md': '---\ntrigger: auto\ndisabled: true\nglobs: gone\n---\nText.\n',
      '.context/modules.md': auto('node_modules/x.js'),
    };
    expect(await codes(tree)).toEqual([
      'unused_pattern .context/comma.md:3:16 /globs',
      'unused_pattern .context/list.md:5:5 /globs',
    ]);
  });

  it('AP-08 AP-03 an exception that means a name in one directory, where files of that name lie deeper', async () => {
    const tree = (kind: string, pattern: string) =>
      codes({
        'key.txt': '',
        'deep/er/key.txt': '',
        '.ai-context-policy.yaml': `ai_context_policy: ${kind}\nexclude: ["${pattern}"]\n`,
      });
    const warned = ['exception_not_below .ai-context-policy.yaml:2:11 /exclude/0'];
    expect(await tree('allow', 'key.txt')).toEqual(warned);
    expect(await tree('allow', '*.txt')).toEqual(warned);
    // Each says plainly what it means, and what a policy blocks too much shows by itself.
    for (const pattern of ['/key.txt', '**/key.txt', './key.txt'])
      expect(await tree('allow', pattern), pattern).toEqual([]);
    expect(await tree('block', 'key.txt')).toEqual([]);
  });

  it('AP-08 AP-01 an exception of a policy that concerns no file below it is a warning', async () => {
    const policy = 'ai_context_policy: allow\nexclude:\n  - src/**\n  - "*.pem"\n  - /b.ts\n  - lib/\n';
    const tree = {
      'src/a.ts': '',
      'deep/x.pem': '',
      'b.ts': '',
      'pkg/lib/c.ts': '',
      '.ai-context-policy.yaml': policy,
    };
    expect(await codes(tree)).toEqual([
      'exception_not_below .ai-context-policy.yaml:4:5 /exclude/1',
      'unused_pattern .ai-context-policy.yaml:6:5 /exclude/3',
    ]);
    expect(await codes({ 'src/a.ts': '', 'pkg/.ai-context-policy.yaml': policy, 'pkg/lib/c.ts': '' })).toEqual([
      'unused_pattern pkg/.ai-context-policy.yaml:3:5 /exclude/0',
      'unused_pattern pkg/.ai-context-policy.yaml:4:5 /exclude/1',
      'unused_pattern pkg/.ai-context-policy.yaml:5:5 /exclude/2',
    ]);
  });

  it('AP-08 a pattern with a fault is told of once', async () => {
    const tree = {
      '.context/a.md': auto('!gone'),
      [at]: configured({ includeFiles: ['!gone', 'a, b'], excludeFiles: ['@(x)'] }),
    };
    expect((await codes(tree)).map((each) => each.split(' ')[0])).toEqual(Array(4).fill('unsupported_glob_syntax'));
  });
});

describe('names', () => {
  const server = (name: string) => config({ mcpServers: { [name]: { command: 'x' } } });

  it('AP-08 CC-32 a server that is defined twice on the way is a warning at the one that wins', async () => {
    const tree = {
      '.context/config.json': server('db'),
      '.context/context-config.json': server('db'),
      'a/b/.context/config.yml': 'mcpServers:\n  other: {command: x}\n  db: {command: y}\n',
      'c/.context/context-config.json': server('web'),
      'd/.context/context-config.json': server('web'),
    };
    const found = await check(tree);
    expect(found.map(({ code, path, line, pointer }) => `${code} ${path}:${line} ${pointer}`)).toEqual([
      'duplicate_server .context/context-config.json:1 /mcpServers/db',
      'duplicate_server a/b/.context/config.yml:3 /mcpServers/db',
    ]);
    expect(found[0]?.message).toContain(`"db" is also defined in ${project}/.context/config.json:1`);
    expect(found[1]?.message).toContain(`${project}/.context/context-config.json:1`);
  });

  it('AP-08 AG-03 two files with one name are a warning where both can be delivered', async () => {
    const named = (name: string) => `---\nname: ${name}\n---\nText.\n`;
    const tree = {
      '.context/a.md': named('Style'),
      '.context/b.md': named('Style'),
      'x/.context/c.md': named('Style'),
      'x/.context/d.md': named('local'),
      'y/.context/e.md': named('local'),
    };
    expect(await codes(tree)).toEqual([
      'duplicate_name .context/b.md:2:1 /name',
      'duplicate_name x/.context/c.md:2:1 /name',
    ]);
  });
});
