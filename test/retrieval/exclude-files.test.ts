import { describe, expect, it } from 'vitest';
import { project } from '../support/workspace.ts';
import { active, add, leftOut, open, shown, two } from './support/retrieving.ts';

const config = (...excludeFiles: string[]): string => JSON.stringify({ clientContext: { excludeFiles } });
const imports = "import { one } from './old/lib.ts';\nimport { two } from './lib.ts';\n";

describe('excludeFiles of the merged configuration', () => {
  const tree = {
    '.context/context-config.json': config('**/old/**'),
    'src/lib.ts': two,
    'src/old/lib.ts': two,
    'src/index.ts': "export * from './old/lib.ts';\n",
  };

  it('CC-14 RT-02 hold for imports and for what the query finds, and the reason says so', async () => {
    const { retrieve } = await open(tree);
    const result = await retrieve({ ...active(imports), query: 'one two' });
    expect(shown(result)).toEqual(['import src/lib.ts']);
    expect(result.omitted).toEqual([
      {
        origin: 'import',
        path: `${project}/src/old/lib.ts`,
        reason: {
          code: 'excluded_by_config',
          detail: expect.stringMatching(
            /^excludeFiles "\*\*\/old\/\*\*" in .*context-config\.json.*; a file that is added by name is used anyway$/u,
          ),
        },
      },
    ]);
    // Also where a name is followed to such a file.
    expect(shown(await retrieve(active("import { one } from './index.ts';\n")))).toEqual([]);
    expect(shown(await retrieve({ query: 'one two' }))).not.toContain('search src/old/lib.ts');
  });

  it('CC-14 RT-06 hold for the files of folders, and not for what a user adds by name', async () => {
    const workspace = await open(tree);
    await add(workspace, 'folder', 'src');
    const result = await workspace.retrieve({ automatic: { imports: 'off' } });
    expect(shown(result)).toEqual(['supplementary src/index.ts', 'supplementary src/lib.ts']);
    expect(leftOut(result)).toEqual(['supplementary src excluded_by_config']);
    expect(result.omitted[0]?.reason.detail).toMatch(/^1 files? of the folder: excludeFiles /u);
    await add(workspace, 'file', 'src/old/lib.ts');
    const named = await workspace.retrieve(active(imports));
    expect(shown(named)).toContain('supplementary src/old/lib.ts');
    expect(leftOut(named)).toEqual(['supplementary src excluded_by_config']);
    expect(shown(await (await open(tree)).retrieve({ openTabs: ['src/old/lib.ts'] }))).toEqual([
      'open-tab src/old/lib.ts',
    ]);
  });

  it('CC-11 are those from the mounted directory down to the active document, the global ones too', async () => {
    const workspace = await open(
      {
        'app/.context/context-config.json': config('lib/**'),
        'app/lib/a.ts': two,
        'app/b.ts': two,
        'web/lib/c.ts': two,
        '~/.context/context-config.json': config('**/b.ts'),
      },
      { grantedRoots: [project, '/home/ada/.context'] },
    );
    const text = "import { one } from './lib/a.ts';\nimport { two } from './b.ts';\n";
    expect(shown(await workspace.retrieve(active(text, 'app/active.ts')))).toEqual([]);
    expect(shown(await workspace.retrieve(active("import { one } from './lib/c.ts';\n", 'web/active.ts')))).toEqual([
      'import web/lib/c.ts',
    ]);
  });

  it('CC-14 SU-01 hold for the search of files, which then suggests as many others', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`src/old/button${at}.ts`, 'x']));
    const { engine } = await open({
      ...tree,
      ...many,
      'src/deep/down/button.ts': 'x',
      'src/deep/down/button-b.ts': 'x',
    });
    const search = async (query: string, limit = 2): Promise<string[]> => {
      const { files } = await engine.supplementary.searchFiles({ mountedDirectory: project, query, limit });
      return files.map(({ relativePath }) => relativePath);
    };
    expect((await search('button')).toSorted()).toEqual(['src/deep/down/button-b.ts', 'src/deep/down/button.ts']);
    expect((await search('', 100)).filter((path) => path.includes('/old/'))).toEqual([]);
  });
});
