/** What the loaders of other tools do with files as they were found in public repositories (FM-09). */
import { describe, expect, it } from 'vitest';
import type { ResolveRequest } from '../../../src/context/resolve-request.ts';
import { createWorkspace } from '../../support/workspace.ts';

const withKeys = (...lines: string[]) => `---\n${lines.join('\n')}\n---\nBody.\n`;

/** Each file as `path trigger state`. */
async function shown(tree: Record<string, string>, request: Partial<ResolveRequest> = {}): Promise<string[]> {
  const { resolve } = await createWorkspace(tree);
  const { files } = await resolve(request);
  return files.map(({ relativePath, trigger, state }) => `${relativePath} ${trigger} ${state}`);
}

describe('which files of a folder are rules', () => {
  it('FM-09 Roo Code reads hidden files too, and nothing that other programs leave behind', async () => {
    const names = ['.a', 'b/.c.md', '.DS_Store', 'Thumbs.db', 'd.md.bak', 'e.swp', 'f.LOCK'];
    expect(await shown(Object.fromEntries(names.map((name) => [`.roo/rules/${name}`, name])))).toEqual([
      '.roo/rules/.a always active',
      '.roo/rules/b/.c.md always active',
    ]);
  });

  it('FM-09 Cline reads its newer folder too', async () => {
    expect(await shown({ '.cline/rules/a.markdown': 'One.', '~/.cline/rules/b.md': 'Two.' })).toEqual([
      '~/.cline/rules/b.md always active',
      '.cline/rules/a.markdown always active',
    ]);
  });

  it('FM-05 nothing is taken from packages that other package managers installed', async () => {
    const tree = {
      'lib/site-packages/evil/AGENTS.md': 'Evil.',
      'bower_components/evil/AGENTS.md': 'Evil.',
      'lib/AGENTS.md': 'Own.',
    };
    expect(await shown(tree, { files: ['lib/site-packages/evil/x.py', 'bower_components/evil/x.js'] })).toEqual([
      'lib/AGENTS.md always active',
    ]);
  });

  it('FM-09 what lies beside the folder of a mode of Roo Code is no rule of that mode', async () => {
    expect(await shown({ '.roo/rules-of-thumb.md': 'No.', '.roo/rules-code/a.md': 'Yes.' })).toEqual([
      '.roo/rules-code/a.md manual available',
    ]);
  });
});

describe('what the keys of a rule mean', () => {
  const cline = '.clinerules/a.md';
  const copilot = '.github/instructions/a.instructions.md';
  const continued = '.continue/rules/a.md';

  it.each<[string, string, string[]]>([
    [cline, withKeys('disabled: true'), []],
    [cline, withKeys('enabled: false'), []],
    [cline, withKeys('enabled: true'), [`${cline} always active`]],
    [cline, withKeys('disabled: false', 'paths: []'), []],
    // A list with nothing usable in it is no list without entries.
    [cline, withKeys('paths: [""]'), [`${cline} always active`]],
    [continued, withKeys('regex: "TODO"'), [`${continued} manual available`]],
    [continued, withKeys('regex: "TODO"', 'globs: "**/*.ts"'), [`${continued} auto active`]],
    [continued, withKeys('regex: "TODO"', 'alwaysApply: true'), [`${continued} always active`]],
    // Both tools accept blanks after a fence.
    [copilot, '--- \napplyTo: "**/*.ts"\n---\t\r\nBody.', [`${copilot} auto active`]],
    [continued, '---\nglobs: "**/*.py"\n---  \nBody.', [`${continued} auto available`]],
    // Continue itself looks for fences anywhere in a text. A line between two parts of a text is none.
    [continued, 'One.\n\n---\n\nTwo.\n\n---\n\nThree.\n', [`${continued} always active`]],
  ])('FM-09 %s: %j', async (path, text, expected) => {
    expect(await shown({ [path]: text }, { files: ['x.ts'] })).toEqual(expected);
  });

  it('FM-09 a key of Continue that is not read is said, with its line', async () => {
    const { resolve } = await createWorkspace({ [continued]: withKeys('name: N', 'regex: "(a+)+$"') });
    expect((await resolve()).warnings).toMatchObject([
      { code: 'unsupported_property', line: 3, message: expect.stringContaining('"regex" is not used here') },
    ]);
  });

  it('FM-09 a rule of Cline has the name that it gives itself', async () => {
    const { resolve } = await createWorkspace({ [cline]: withKeys('name: Style guide') });
    expect((await resolve()).files.map(({ name }) => name)).toEqual(['Style guide']);
  });

  it('CC-25 in a context directory a line with blanks is no fence', async () => {
    expect(await shown({ '.context/a.md': '--- \ntrigger: always\n---\nBody.' })).toEqual([
      '.context/a.md manual available',
    ]);
  });
});
