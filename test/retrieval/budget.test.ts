import { describe, expect, it } from 'vitest';
import { home, project } from '../support/workspace.ts';
import { active, add, leftOut, open, shown, two } from './support/retrieving.ts';

describe('budget', () => {
  // One token for four characters.
  const tree = { 'a.md': 'a'.repeat(400), 'b.md': 'b'.repeat(200), 'c.md': 'c'.repeat(40), 'src/lib.ts': two };

  it('RT-05 items are taken whole in their order, those that do not fit are left out with what they cost', async () => {
    const workspace = await open(tree);
    await add(workspace, 'file', 'b.md');
    const retrieve = (maxTokens: number) =>
      workspace.retrieve({
        ...active("import { one } from './lib.ts';\n", 'src/active.ts'),
        openTabs: ['a.md', 'c.md'],
        budget: { maxTokens },
      });
    const all = await retrieve(168);
    expect(shown(all)).toEqual(['supplementary b.md', 'open-tab a.md', 'open-tab c.md', 'import src/lib.ts']);
    expect(all.usage).toEqual({ tokens: 168, maxTokens: 168 });
    const less = await retrieve(167);
    expect(shown(less)).toEqual(['supplementary b.md', 'open-tab a.md', 'open-tab c.md']);
    expect(less.omitted).toEqual([
      {
        origin: 'import',
        path: `${project}/src/lib.ts`,
        reason: { code: 'over_budget', detail: '7 of 167 tokens were left' },
        tokens: 8,
      },
    ]);
    expect(shown(await retrieve(68))).toEqual(['supplementary b.md', 'open-tab c.md', 'import src/lib.ts']);
    expect(await retrieve(0)).toMatchObject({ items: [], usage: { tokens: 0, maxTokens: 0 } });
    expect((await retrieve(0)).omitted).toHaveLength(4);
  });

  it('RT-05 counts with the encoding that is asked for, and each text once', async () => {
    const counted: string[] = [];
    const tokenCounter = {
      async count(texts: readonly string[], encoding: string) {
        counted.push(...texts.map((text) => `${encoding} ${text[0]}`));
        return texts.map(() => (encoding === 'cl100k_base' ? 2 : 1));
      },
      dispose() {},
    };
    const { retrieve } = await open(tree, { ports: { tokenCounter } });
    const request = { openTabs: ['a.md', 'b.md'] };
    expect((await retrieve({ ...request, budget: { encoding: 'cl100k_base' } })).usage.tokens).toBe(4);
    expect((await retrieve(request)).usage.tokens).toBe(2);
    expect((await retrieve(request)).usage.tokens).toBe(2);
    expect(counted).toEqual(['cl100k_base a', 'cl100k_base b', 'o200k_base a', 'o200k_base b']);
  });

  it('RT-05 says when tokens could only be guessed', async () => {
    const tokenCounter = { count: () => Promise.reject(new Error('no')), dispose() {} };
    const { retrieve } = await open(tree, { ports: { tokenCounter } });
    const { usage, warnings } = await retrieve({ openTabs: ['c.md'] });
    expect(usage.tokens).toBe(10);
    expect(warnings.map(({ code }) => code)).toEqual(['tokens_estimated']);
  });

  it('RT-05 the same request has the same answer', async () => {
    const tree = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`src/m${at}.ts`, `export const m${at} = ${at};\n`]),
    );
    const text = Object.keys(tree)
      .map((path, at) => `import { m${at} } from './${path.slice(4)}';\n`)
      .join('');
    const request = { ...active(text), query: 'm7 m8', budget: { maxTokens: 300 } };
    const first = await (await open(tree)).retrieve(request);
    expect(first.items.length).toBeGreaterThan(10);
    for (let at = 0; at < 3; at += 1) expect(await (await open(tree)).retrieve(request)).toEqual(first);
  });
});

describe('a budget with a query', () => {
  // One token for four characters: 300 for each constant, 10 for the note.
  const constant = (name: string) => `export const ${name} = "${'x'.repeat(1_178 - name.length)}";\n`;
  const names = ['alpha', 'beta', 'gamma', 'delta', 'loopGuard', 'omega'];
  const tree = {
    ...Object.fromEntries(names.map((name) => [`src/${name}.ts`, constant(name)])),
    'notes.md': 'A loop is guarded by hand.',
  };
  const text = names.map((name) => `import { ${name} } from './${name}.ts';\n`).join('');

  it('RT-05 keeps what the query finds, and of the imports first those that fit it', async () => {
    const { retrieve } = await open(tree);
    const result = await retrieve({ ...active(text), query: 'how is a loop guarded', budget: { maxTokens: 1_000 } });
    expect(shown(result)).toEqual([
      'import src/alpha.ts',
      'import src/beta.ts',
      'import src/loopGuard.ts',
      'search notes.md',
    ]);
    const without = await retrieve({ ...active(text), budget: { maxTokens: 1_000 } });
    expect(shown(without)).toEqual(['import src/alpha.ts', 'import src/beta.ts', 'import src/gamma.ts']);
  });

  it('RT-05 takes a large import behind the others', async () => {
    const large = Object.fromEntries([...Array(8).keys()].map((at) => [`part${at}`, 'y'.repeat(400)]));
    const { retrieve } = await open({ ...tree, 'src/large.json': JSON.stringify(large) });
    const request = active(`import large from './large.json';\n${text}`);
    const all = await retrieve(request);
    expect(shown(all)[0]).toBe('import src/large.json');
    const result = await retrieve({ ...request, budget: { maxTokens: 2_000 } });
    expect(shown(result)).toEqual(names.map((name) => `import src/${name}.ts`));
  });
});

describe('folders', () => {
  it('RT-06 stand for the files below them, without what is ignored, sensitive or no text', async () => {
    const workspace = await open({
      '.gitignore': 'built/\n*.log\n',
      'docs/b.md': 'b',
      'docs/a/c.md': 'c',
      'docs/a/x.log': 'log',
      'docs/.env': 'KEY=1',
      'docs/logo.png': Uint8Array.of(137, 0),
      'built/out.js': 'out',
      'elsewhere.md': '',
    });
    await add(workspace, 'folder', 'docs');
    const result = await workspace.retrieve({});
    expect(shown(result)).toEqual(['supplementary docs/b.md', 'supplementary docs/a/c.md']);
    expect(leftOut(result)).toEqual(['supplementary docs/logo.png binary']);
    // What the user named is meant, even where it is ignored.
    await add(workspace, 'folder', 'built');
    expect(shown(await workspace.retrieve({}))).toContain('supplementary built/out.js');
  });

  it('RT-06 keep to the limits, and say so', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, at) => [`many/${String(at).padStart(3, '0')}.md`, 'x']),
    );
    const workspace = await open({
      ...many,
      'big/a.md': 'a'.repeat(600),
      'big/b.md': 'b'.repeat(600),
      'big/c.md': 'c',
    });
    await add(workspace, 'folder', 'many');
    const { items, omitted } = await workspace.retrieve({});
    expect(items).toHaveLength(500);
    expect(omitted.map(({ path, reason }) => [path, reason.code])).toEqual([[`${project}/many`, 'limit_reached']]);
    const small = await open(
      { 'big/a.md': 'a'.repeat(600), 'big/b.md': 'b'.repeat(600) },
      { limits: { answerBytes: 1_000 } },
    );
    await add(small, 'folder', 'big');
    const result = await small.retrieve({});
    expect(shown(result)).toEqual(['supplementary big/a.md']);
    expect(leftOut(result)).toEqual(['supplementary big/b.md limit_reached']);
  });

  it('RT-06 that are gone, outside, or no folders are said', async () => {
    const workspace = await open({ 'docs/a.md': 'a', 'file.md': '' }, { grantedRoots: [project, `${home}/other`] });
    workspace.files.write(`${home}/other/notes/n.md`, 'n');
    await add(workspace, 'folder', 'docs');
    await add(workspace, 'folder', 'file.md');
    await add(workspace, 'folder', `${home}/other/notes`);
    workspace.files.remove(`${project}/docs`);
    const result = await workspace.retrieve({});
    expect(leftOut(result)).toEqual(['supplementary docs not_found', 'supplementary file.md not_regular_file']);
    expect(shown(result)).toEqual(['supplementary ../other/notes/n.md']);
  });
});
