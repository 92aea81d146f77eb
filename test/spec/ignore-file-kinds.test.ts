/** What each kind of ignore file means (FX-02 … FX-05). */
import { describe, expect, it } from 'vitest';
import { createWorkspace, excludedCodes, names, project } from '../support/workspace.ts';

const code = 'blocked_by_ignore_file';
const open = { '.context/open.md': 'Open.' };

/** Context files of a workspace that are left out by an ignore file. */
async function leftOut(tree: Record<string, string | Uint8Array>): Promise<string[]> {
  const { resolve } = await createWorkspace(tree);
  const codes = Object.entries(excludedCodes(await resolve()));
  return codes.filter(([, each]) => each === code).map(([path]) => path.replace('.context/', ''));
}

describe('.aiexclude and .noai', () => {
  const tree = { '.context/a.md': 'A.', '.context/b.md': 'B.' };
  it.each([
    ['', ['a.md', 'b.md']],
    ['# only a comment\n', ['a.md', 'b.md']],
    ['a.md\n!a.md\n', ['a.md']],
    ['!a.md\n', ['a.md', 'b.md']],
  ])('FX-02 .aiexclude %j', async (text, expected) => {
    expect((await leftOut({ ...tree, '.context/.aiexclude': text })).sort()).toEqual(expected);
  });

  it('FX-02 a line that brings nothing back is told', async () => {
    const { resolve } = await createWorkspace({ ...tree, '.aiexclude': 'b.md\n!a.md\n' });
    expect((await resolve()).warnings).toMatchObject([
      { code: 'ignore_pattern_unused', path: `${project}/.aiexclude`, line: 2 },
    ]);
  });

  it('FX-03 .noai leaves out everything below its directory, whatever is in it', async () => {
    const more = { 'src/.context/c.md': 'C.', '.context/.noai': new Uint8Array([0xff, 0]) };
    const { resolve } = await createWorkspace({ ...tree, ...more });
    const result = await resolve({ workingDirectory: 'src' });
    expect(names(result)).toEqual(['src:c']);
    expect(result.excluded.find((each) => each.path.endsWith('a.md'))?.reason).toEqual({
      code,
      detail: `${project}/.context/.noai is there, which leaves out everything below its directory`,
    });
  });
});

describe('rule files of the tool that has the ignore file', () => {
  const tree = {
    '.continue/rules/a.md': 'A.',
    '.continue/notes.md': 'Notes.',
    '.cursor/rules/b.mdc': '---\nalwaysApply: true\n---\nB.',
    'GEMINI.md': 'C.',
  };

  it('FX-01 stay, since it loads them all the same; all else goes, and what other tools leave out', async () => {
    expect(await leftOut({ ...tree, '.continueignore': '.continue/\n' })).toEqual([]);
    expect(await leftOut({ ...tree, '.continueignore': '*\n' })).toEqual(['.cursor/rules/b.mdc', 'GEMINI.md']);
    expect(await leftOut({ ...tree, '.cursorignore': '.cursor/\n.continue/\n' })).toEqual(['.continue/rules/a.md']);
    expect(await leftOut({ ...tree, '.noai': '' })).toHaveLength(3);
    const { engine } = await createWorkspace({ ...tree, '.continueignore': '.continue/\n' });
    const paths = ['.continue/rules/a.md', '.continue/notes.md'];
    const { decisions } = await engine.policy.check({ mountedDirectory: project, paths });
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, false]);
  });
});

describe('.cursorindexingignore', () => {
  it('FX-04 keeps files from being sought; what is named is read', async () => {
    const tree = {
      '.context/a.md': 'A.',
      'gen/big.ts': 'export const walrus = 1;',
      'src/small.ts': 'export const walrus = 2;',
      '.cursorindexingignore': 'gen/\na.md\n',
    };
    const { engine, files, resolve } = await createWorkspace(tree);
    expect(names(await resolve())).toEqual(['a']);
    const sought = async () =>
      (await engine.supplementary.searchFiles({ mountedDirectory: project, query: '' })).files.map(
        ({ relativePath }) => relativePath,
      );
    const found = async (request = {}) =>
      (await engine.retrieve({ mountedDirectory: project, query: 'walrus', ...request })).items.map(
        ({ relativePath, origin }) => `${relativePath} ${origin}`,
      );
    expect(await sought()).toEqual(['.cursorindexingignore', 'src/small.ts']);
    expect(await found()).toEqual(['src/small.ts search']);
    expect(await found({ openTabs: ['gen/big.ts'] })).toEqual(['gen/big.ts open-tab', 'src/small.ts search']);
    files.write(`${project}/.cursorindexingignore`, 'src/');
    expect(await sought()).toEqual(['.cursorindexingignore', '.context/a.md', 'gen/big.ts']);
    expect(await found()).toEqual(['gen/big.ts search']);
    await engine.supplementary.add({ mountedDirectory: project, kind: 'folder', path: 'src' });
    expect(await found()).toEqual(['gen/big.ts search']);
    files.remove(`${project}/.cursorindexingignore`);
    expect(await found()).toEqual(['src/small.ts supplementary', 'gen/big.ts search']);
  });
});

describe('settings of other tools', () => {
  const tree = {
    '.context/a.md': 'A.',
    '.context/sub/b.md': 'B.',
    'secrets/.context/c.md': 'C.',
    'secrets/deep/.context/d.md': 'D.',
  };
  const all = ['a.md', 'secrets/c.md', 'secrets/deep/d.md', 'sub/b.md'];
  const leftOutBy = async (path: string, text: string) => {
    const { resolve } = await createWorkspace({ ...tree, [path]: text });
    const { excluded } = await resolve({ workingDirectory: 'secrets/deep' });
    const paths = excluded.filter(({ reason }) => reason.code === code).map((each) => each.path);
    return paths.map((each) => each.replace(`${project}/`, '').replace('.context/', '')).sort();
  };

  it.each<[deny: unknown, expected: string[]]>([
    [['Read(./secrets/**)'], ['secrets/c.md', 'secrets/deep/d.md']],
    [['Read(/secrets/deep/)'], ['secrets/deep/d.md']],
    [['Read(b.md)', 'Bash(cat a.md)', 'Edit(a.md)'], ['sub/b.md']],
    [['Read(A.MD)'], ['a.md']],
    [[`Read(/${project}/secrets)`], ['secrets/c.md', 'secrets/deep/d.md']],
    [['Read(//home/*)'], all],
    [['Read(~/myproject/.context/**)'], ['a.md', 'sub/b.md']],
    [['Read(~/other/**)', 'Read(!a.md)', 'WebFetch'], []],
    [['Read'], all],
    [[], []],
  ])('FX-05 permissions.deny %j of Claude Code', async (deny, expected) => {
    const text = JSON.stringify({ permissions: { deny, allow: ['Read(**)'] } });
    expect(await leftOutBy('.claude/settings.json', text)).toEqual(expected);
    expect(await leftOutBy('.claude/settings.local.json', text)).toEqual(expected);
  });

  it.each([
    ['{', 1],
    ['{\n"permissions": {"deny": "Read(x)"}}', 2],
    ['{"permissions": []}', 1],
    ['{"permissions": {"deny": [\n1]}}', 2],
    ['{"permissions": {"deny": ["Read(x"]}}', 1],
    ['{"permissions": {"deny": ["Read([)"]}}', 1],
  ])('FX-07 what cannot be read there blocks, with its line: %j', async (text, line) => {
    const { resolve } = await createWorkspace({ ...tree, '.claude/settings.json': text });
    const result = await resolve({ workingDirectory: 'secrets/deep' });
    expect(names(result)).toEqual([]);
    expect(result.warnings).toMatchObject([
      { code: 'ignore_file_not_read', path: `${project}/.claude/settings.json`, line },
    ]);
  });

  it.each(['{}', '', '{"permissions": null}', '{"permissions": {"allow": ["Read"]}}', '{"private_files": []}'])(
    'FX-05 settings that deny nothing leave out nothing: %j',
    async (text) => {
      for (const path of ['.claude/settings.json', '.zed/settings.json'])
        expect(await leftOutBy(path, text)).toEqual([]);
    },
  );

  it.each<[globs: string[], expected: string[]]>([
    [['**/*.md'], all],
    [['.context/*.md'], ['a.md', 'sub/b.md']],
    [['secrets'], ['secrets/c.md', 'secrets/deep/d.md']],
    [['**/{a,d}.md'], ['a.md', 'secrets/deep/d.md']],
    [['**/[!ab].md'], all],
    [['SECRETS/d*'], ['secrets/deep/d.md']],
    [['\\secrets/**/c.md'], ['secrets/c.md']],
    [['x/**', 'a'], []],
  ])('FX-05 private_files %j of Zed', async (globs, expected) => {
    const text = `// comment\n{ "private_files": ${JSON.stringify(globs)}, }`;
    expect(await leftOutBy('.zed/settings.json', text)).toEqual(expected);
  });
});

describe('hostile settings', () => {
  it('S-63 FX-07 settings that are deep, long or full of mistakes block, and cost little', async () => {
    const texts = [
      '['.repeat(60_000),
      `{"permissions": ${'{"a":'.repeat(5_000)}`,
      `{"permissions": {"deny": [${Array.from({ length: 1_500 }, () => '"Read(x)"').join()}]}}`,
      `{"private_files": ["${'*'.repeat(600)}"], "permissions": {"deny": ["Read(${'*a'.repeat(400)}\\\\)"]}}`,
    ];
    for (const text of texts)
      for (const path of ['.claude/settings.json', '.zed/settings.json']) {
        const { resolve } = await createWorkspace({ ...open, [path]: text });
        const isOfZed = path.startsWith('.zed');
        const isAboutOther = isOfZed && text.includes('"deny": ["Read(x)"');
        const { warnings } = await resolve();
        // The settings of Zed are a list of servers too, which is blocked with the rest.
        const codes = [...(isOfZed ? ['config_not_read'] : []), 'ignore_file_not_read'];
        expect(warnings.map((each) => each.code)).toEqual(isAboutOther ? [] : codes);
      }
  });
});
