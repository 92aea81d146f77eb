import { describe, expect, it } from 'vitest';
import { ParseFailure } from '../../src/ports/parsed-source.ts';
import type { RetrieveResult } from '../../src/retrieval/retrieve-result.ts';
import { longestTurnMs } from '../support/expect-quick.ts';
import { project } from '../support/workspace.ts';
import { active, add, leftOut, open, shown, two } from './support/retrieving.ts';

describe('retrieve', () => {
  it('RT-01 one call gives the user’s list, the tabs, the imports and what the query finds, in this order', async () => {
    const workspace = await open({
      'notes/plan.md': 'The plan.\n',
      'src/tab.ts': 'let tab;\n',
      'src/lib.ts': two,
      'src/rounding.ts': '/** Rounds prices half to even, as banks do. */\nexport const roundPrice = 1;\n',
    });
    await add(workspace, 'file', 'notes/plan.md');
    const result = await workspace.retrieve({
      ...active("import { one } from './lib.ts';\n"),
      openTabs: ['src/tab.ts'],
      query: 'how are prices rounded',
    });
    expect(shown(result)).toEqual([
      'supplementary notes/plan.md',
      'open-tab src/tab.ts',
      'import src/lib.ts',
      'search src/rounding.ts',
    ]);
    expect(result.items[2]).toEqual({
      origin: 'import',
      path: `${project}/src/lib.ts`,
      relativePath: 'src/lib.ts',
      language: 'typescript',
      content: 'export function one(): void {}',
      tokens: 8,
      truncated: false,
      range: { startLine: 1, endLine: 1 },
    });
    expect(result.items[0]).not.toHaveProperty('range');
    expect(result.semantic).toEqual({ status: 'ready', engine: 'keyword' });
    expect(result.usage.tokens).toBe(result.items.reduce((sum, { tokens }) => sum + tokens, 0));
    expect(result.omitted).toEqual([]);
    expect(result.warnings).toEqual([]);
  });

  it('RT-01 each path is there once, by the first reason it has, and the active document never', async () => {
    const workspace = await open({ 'src/lib.ts': two, 'src/active.ts': '', 'src/b.ts': 'one two' });
    await add(workspace, 'file', 'src/lib.ts');
    await add(workspace, 'tab', 'src/lib.ts');
    await add(workspace, 'file', 'src/active.ts');
    const result = await workspace.retrieve({
      ...active("import { one } from './lib.ts';\nimport './active.ts';\nimport './b.ts';\n"),
      openTabs: ['src/lib.ts', 'src/active.ts', `${project}/src/b.ts`],
      query: 'one two',
    });
    expect(shown(result)).toEqual(['supplementary src/lib.ts', 'open-tab src/b.ts']);
    expect(result.items[0]?.content).toBe(two);
  });

  it('RT-01 the active document as the editor shows it, as it is on disk, and in a language the editor names', async () => {
    const { retrieve } = await open({ 'src/lib.ts': two, 'src/active.ts': "import { two } from './lib.ts';" });
    const contents = ({ items }: RetrieveResult): string[] => items.map(({ content }) => content);
    expect(contents(await retrieve(active("import { one } from './lib.ts';")))).toEqual([
      'export function one(): void {}',
    ]);
    expect(contents(await retrieve({ activeDocument: { path: 'src/active.ts' } }))).toEqual(['export const two = 2;']);
    const activeDocument = { path: 'src/new', content: "import { two } from './lib.ts';" };
    expect(contents(await retrieve({ activeDocument }))).toEqual([]);
    expect(contents(await retrieve({ activeDocument: { ...activeDocument, language: 'typescriptreact' } }))).toEqual([
      'export const two = 2;',
    ]);
  });

  it('RT-01 refuses only what the caller got wrong', async () => {
    const { retrieve, engine } = await open({ 'a.ts': '' });
    await expect(retrieve({ activeDocument: { path: '%2e%2e/x.ts' } })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '/activeDocument/path' }],
    });
    await expect(retrieve({ openTabs: ['a.ts', 'file:///x'] })).rejects.toMatchObject({
      errors: [{ pointer: '/openTabs/1' }],
    });
    await expect(engine.retrieve({ mountedDirectory: '/elsewhere' })).rejects.toMatchObject({
      code: 'path_outside_roots',
    });
    // What an editor has open is no mistake.
    expect(leftOut(await retrieve({ openTabs: ['/elsewhere/x.ts'] }))).toEqual([
      'open-tab /elsewhere/x.ts outside_roots',
    ]);
    expect((await retrieve({ activeDocument: { path: '../x.ts', content: '' } })).activeDocument).toMatchObject({
      allowed: false,
      reason: { code: 'outside_roots' },
    });
  });
});

describe('automatic imports', () => {
  const tree = {
    'src/index.ts':
      "export { one as first } from './lib.ts';\nexport * from './more.ts';\nexport * as all from './all.ts';\n",
    'src/lib.ts': two,
    'src/more.ts': "import { three } from './deep.ts';\nexport { three };\nexport default class Four {}\n",
    'src/deep.ts': '/** Three. */\nexport const three = 3;\n',
    'src/all.ts': 'export const all = 0;\n',
  };
  const imports =
    "import { first, three } from './index.ts';\nimport Four from './more.ts';\nimport { all } from './index.ts';\n";

  it('RT-02 definitions are found where re-exports lead', async () => {
    const { retrieve } = await open(tree);
    const result = await retrieve(active(imports));
    expect(result.items.map(({ relativePath, content }) => [relativePath, content])).toEqual([
      ['src/lib.ts', 'export function one(): void {}'],
      ['src/deep.ts', '/** Three. */\nexport const three = 3;'],
      ['src/all.ts', 'export const all = 0;\n'],
      ['src/more.ts', 'export default class Four {}'],
    ]);
    expect(result.items[1]?.range).toEqual({ startLine: 1, endLine: 2 });
  });

  it('RT-02 files are the named ones, each with those its names come from', async () => {
    const { retrieve } = await open(tree);
    const result = await retrieve({ ...active(imports), automatic: { imports: 'files' } });
    expect(shown(result)).toEqual(['index', 'lib', 'deep', 'all', 'more'].map((name) => `import src/${name}.ts`));
    expect(result.items.every(({ range }) => range === undefined)).toBe(true);
    expect(shown(await retrieve({ ...active(imports), automatic: { imports: 'off' } }))).toEqual([]);
  });

  it('RT-02 several definitions of a file are one item; what names nothing, or is not found, is the file', async () => {
    const { retrieve } = await open({
      'src/lib.ts': `${two}\nexport const five = 5;\n`,
      'src/side.ts': 'work();\n',
      'src/made.ts': 'export const x = make();\nObject.assign(x, { y: 1 });\n',
      'src/data.json': '{}\n',
      'src/long.ts': 'work();\n'.repeat(1_000),
    });
    const text =
      "import { five, one } from './lib.ts';\nimport './side.ts';\nimport { y } from './made.ts';\nimport data from './data.json';\nimport { z } from './long.ts';\n";
    const [lib, side, made, data, long] = (await retrieve(active(text))).items;
    expect(lib).toMatchObject({ content: 'export function one(): void {}\n\n…\n\nexport const five = 5;' });
    expect(lib?.range).toEqual({ startLine: 1, endLine: 5 });
    expect(side).toMatchObject({ content: 'work();\n', truncated: false });
    expect(made?.content).toContain('Object.assign');
    expect(data).toMatchObject({ content: '{}\n' });
    expect(long).toMatchObject({ truncated: true, range: { startLine: 1, endLine: 300 } });
  });

  it('RT-02 of what comes from outside the workspace there is nothing to take', async () => {
    const { retrieve } = await open({
      'src/index.ts':
        "export { a } from 'outside';\nimport { b } from 'outside';\nexport { b };\nexport * from 'outside';\n",
    });
    const result = await retrieve(active("import { a, b, c } from './index.ts';\n"));
    expect(result).toMatchObject({ items: [], omitted: [] });
  });

  it('RT-02 CommonJS: members of what a module puts in the place of its exports, through what it loads', async () => {
    const { retrieve } = await open({
      'index.js': "module.exports = require('./lib');\n",
      'lib.js':
        "class Tool { run() {} }\nmodule.exports = { Tool, make: () => new Tool(), other: require('./other') };\n",
      'other.js': 'class Other { static create() {} }\nmodule.exports = Other;\n',
    });
    const text = "const { Tool, other } = require('../index');\nconst Other = require('../other');\nOther.create();\n";
    const { items } = await retrieve(active(text, 'src/active.js'));
    expect(items.map(({ relativePath, content }) => [relativePath, content])).toEqual([
      ['lib.js', 'class Tool { run() {} }'],
      ['other.js', 'class Other { static create() {} }'],
    ]);
  });

  it('RT-02 re-exports that lead in a circle, and names that exist nowhere, end', async () => {
    const { retrieve } = await open({
      'src/a.ts': "export * from './b.ts';\nexport { x } from './b.ts';\n",
      'src/b.ts': "export * from './a.ts';\nexport { x } from './a.ts';\n",
    });
    expect(shown(await retrieve(active("import { x, y } from './a.ts';\n")))).toEqual(['import src/a.ts']);
  });

  it('RT-02 other languages go the same way', async () => {
    const { retrieve } = await open({ 'app/tools.py': 'def double(x):\n    """Twice."""\n    return 2 * x\n' });
    const result = await retrieve(active('from .tools import double\n', 'app/main.py'));
    expect(shown(result)).toEqual(['import app/tools.py']);
    expect(result.items[0]?.language).toBe('python');
  });
});

describe('order of work', () => {
  it('RT-03 the policy about the active document, supplementary list, automatic list, content', async () => {
    const done: string[] = [];
    const workspace = await open(
      { 'added.md': 'x', 'src/lib.ts': two },
      { before: (text) => void done.push(text.startsWith('import') ? 'parse active document' : 'parse imported file') },
    );
    await add(workspace, 'file', 'added.md');
    workspace.files.write(`${project}/.ai-context-policy.yaml`, 'ai_context_policy: allow\n');
    const { opened } = workspace.files;
    opened.push = (...paths: string[]) => {
      done.push(...paths.map((path) => `read ${path.replace(`${project}/`, '')}`));
      return 0;
    };
    await workspace.retrieve(active("import { one } from './lib.ts';\n"));
    expect(done.filter((each) => !/read (?:\/|src$)/u.test(each))).toEqual([
      'read .ai-context-policy.yaml',
      'parse active document',
      'read added.md',
      'read src/lib.ts',
      'parse imported file',
    ]);
  });

  it.each([
    ['a policy blocks', { '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude:\n  - secret/**\n' }, 'policy'],
    ['FX-01 an ignore file leaves out', { '.cursorignore': 'secret/\n' }, 'ignore_file'],
  ])('RT-03 AP-06 nothing that %s is opened or delivered, by whatever way it was found', async (_, ruling, by) => {
    const secret = 'export const secret = "never";\n';
    const workspace = await open({
      ...ruling,
      'secret/list.ts': secret,
      'secret/tab.ts': secret,
      'secret/lib.ts': secret,
      'secret/found.ts': secret,
      'secret/folder/a.ts': secret,
      'src/index.ts': "export * from '../secret/lib.ts';\n",
    });
    await add(workspace, 'file', 'secret/list.ts');
    await add(workspace, 'folder', 'secret/folder');
    workspace.files.resetCounters();
    const result = await workspace.retrieve({
      ...active("import { secret } from './index.ts';\nimport { secret as b } from '../secret/lib.ts';\n"),
      openTabs: ['secret/tab.ts'],
      query: 'secret never',
    });
    expect(JSON.stringify(result.items)).not.toContain('never');
    expect(leftOut(result)).toEqual([
      `supplementary secret/list.ts blocked_by_${by}`,
      `supplementary secret/folder/a.ts blocked_by_${by}`,
      `open-tab secret/tab.ts blocked_by_${by}`,
      `import secret/lib.ts blocked_by_${by}`,
    ]);
    expect(workspace.files.opened.filter((path) => /secret\/.*\.ts$/u.test(path))).toEqual([]);
  });

  it.each([
    ['.ai-context-policy.yaml', 'ai_context_policy: allow\nexclude: [src/active.ts]\n', 'policy'],
    ['.aiignore', 'src/active.ts\n', 'ignore_file'],
  ])(
    'RT-03 AP-06 of an active document that %s blocks nothing is given, also of content sent',
    async (name, text, by) => {
      const { retrieve, files } = await open({
        [name]: text,
        'src/active.ts': "import { one } from './lib.ts';\n",
        'src/lib.ts': two,
      });
      const blocked = { code: `blocked_by_${by}`, detail: expect.stringContaining('src/active.ts') };
      for (const request of [
        { activeDocument: { path: 'src/active.ts' } },
        active("import { one } from './lib.ts';\n"),
      ]) {
        const result = await retrieve(request);
        expect(result.activeDocument).toEqual({ allowed: false, reason: blocked });
        expect(result.items).toEqual([]);
        expect(leftOut(result)).toEqual([`import src/active.ts blocked_by_${by}`]);
      }
      const sensitive = await retrieve(active("import { one } from './lib.ts';\n", 'src/.env'));
      expect(sensitive).toMatchObject({ items: [], activeDocument: { allowed: false, reason: { code: 'sensitive' } } });
      files.symlink(`${project}/src/open.ts`, `${project}/src/active.ts`);
      const linked = await retrieve(active("import { one } from './lib.ts';\n", 'src/open.ts'));
      expect(linked).toMatchObject({ items: [], activeDocument: { allowed: false, reason: blocked } });
      const unsaved = await retrieve(active("import { one } from '../lib.ts';\n", 'src/new/draft.ts'));
      expect(unsaved.activeDocument).toEqual({ allowed: true });
      expect(shown(unsaved)).toEqual(['import src/lib.ts']);
      expect(await retrieve({})).not.toHaveProperty('activeDocument');
    },
  );

  it('RT-03 settings of tools decide where imports lead although a policy blocks them', async () => {
    const { retrieve } = await open({
      '.ai-context-policy.yaml': 'ai_context_policy: block\nexclude:\n  - src/**\n',
      'tsconfig.json': '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
      'src/lib.ts': two,
    });
    expect(shown(await retrieve(active("import { one } from '@/lib';\n")))).toEqual(['import src/lib.ts']);
  });
});

describe('what fails', () => {
  it.each(['definitions', 'files', 'off'] as const)(
    'AN-02 a missing active document, with imports %s',
    async (imports) => {
      const { retrieve } = await open({ 'src/a.ts': two });
      const ask = (activeDocument: { path: string; content?: string }) =>
        retrieve({ activeDocument, openTabs: ['src/a.ts'], automatic: { imports } });
      const result = await ask({ path: 'src/gone.ts' });
      expect(shown(result)).toEqual(['open-tab src/a.ts']);
      expect(leftOut(result)).toEqual(['import src/gone.ts not_found']);
      expect(leftOut(await ask({ path: 'src/gone.ts', content: '' }))).toEqual([]);
    },
  );

  it('RT-04 is left out and said; the rest goes', async () => {
    const workspace = await open(
      {
        'src/good.ts': two,
        'src/crash.ts': 'crash',
        'src/slow.ts': 'slow',
        'src/locked.ts': two,
        'src/binary.ts': Uint8Array.of(0, 1, 2),
        'src/latin.ts': Uint8Array.of(0xe9, 0x20),
        'src/.env.ts': 'x',
        'src/directory/x': '',
      },
      {
        before(text) {
          if (text === 'crash') throw new ParseFailure('parse_failed', 'The parser crashed.');
          if (text === 'slow') throw new ParseFailure('parse_timeout', 'Parsing took longer.');
        },
      },
    );
    workspace.files.setMode(`${project}/src/locked.ts`, 0);
    workspace.files.symlink(`${project}/src/link.ts`, 'good.ts');
    workspace.files.symlink(`${project}/src/linked`, 'directory');
    const names = ['crash', 'slow', 'locked', 'binary', 'latin', '.env', 'gone', 'good', 'link'];
    const named = names.map((name, at) => `import { one as n${at} } from './${name}.ts';\n`).join('');
    const text = `${named}import './linked/x';\nimport './link';\n`;
    const result = await workspace.retrieve({ ...active(text), openTabs: ['src/directory', 'src/vanished.ts'] });
    expect(shown(result)).toEqual(['import src/good.ts']);
    expect(leftOut(result).toSorted()).toEqual([
      'import src/.env.ts sensitive',
      'import src/binary.ts binary',
      'import src/crash.ts parse_failed',
      'import src/gone.ts not_found',
      'import src/latin.ts invalid_utf8',
      'import src/link symlink',
      'import src/link.ts symlink',
      'import src/linked/x symlink',
      'import src/locked.ts unreadable',
      'import src/slow.ts parse_timeout',
      'open-tab src/directory not_regular_file',
      'open-tab src/vanished.ts not_found',
    ]);
    expect(result.omitted).toContainEqual({
      origin: 'import',
      path: `${project}/src/link.ts`,
      reason: {
        code: 'symlink',
        detail: 'line 9 imports "./link.ts", which leads to a symbolic link that is not followed',
      },
    });
  });

  it('RT-04 S-62 a link says nothing about its namesake, and little time is needed for many imports far below it', async () => {
    const workspace = await open({ 'src/good.ts': two, 'src/theme.css': '' });
    workspace.files.symlink(`${project}/src/link.css`, 'theme.css');
    const near = await workspace.retrieve(active("import './link.css';\nimport './link';\n"));
    expect(leftOut(near)).toEqual(['import src/link.css symlink', 'import src/link not_found']);
    const depth = 1_200;
    const far = Array.from({ length: 900 }, (_, at) => `import './gone${at}';\n`).join('');
    const text = `${far}import '${'../'.repeat(depth)}src/link.css';\n`;
    const ask = () => workspace.retrieve(active(text, `${'d/'.repeat(depth)}active.ts`));
    expect(leftOut(await ask()).filter((each) => each.endsWith('symlink'))).toEqual(['import src/link.css symlink']);
    expect(await longestTurnMs(ask, 3)).toBeLessThan(500);
  });

  it('RT-04 files that cannot be parsed can still be taken whole', async () => {
    const before = (text: string) => {
      if (text === two) throw new ParseFailure('parse_failed', 'The parser crashed.');
    };
    const { retrieve } = await open({ 'src/lib.ts': two }, { before });
    const result = await retrieve({ ...active("import { one } from './lib.ts';\n"), automatic: { imports: 'files' } });
    expect(shown(result)).toEqual(['import src/lib.ts']);
    expect(result.omitted).toEqual([]);
  });

  it('RT-04 when nothing can be had, the answer is empty', async () => {
    const { retrieve } = await open({ '.ai-context-policy.yaml': 'ai_context_policy: block\n', 'a.ts': two });
    const result = await retrieve({ ...active("import './a.ts';\n"), openTabs: ['a.ts'], query: 'two' });
    expect(result).toMatchObject({ items: [], usage: { tokens: 0 } });
    expect(leftOut(result)).toEqual(['import src/active.ts blocked_by_policy', 'open-tab a.ts blocked_by_policy']);
    expect(await retrieve({})).toEqual({ items: [], omitted: [], usage: { tokens: 0 }, warnings: [] });
  });

  it('RT-04 S-79 many texts that each take as long as they may do not add up', async () => {
    const tree = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`src/slow${at}.ts`, `slow(${at});\n`]));
    let tries = 0;
    const workspace = await open(tree, {
      before(text) {
        if (!text.startsWith('slow')) return;
        tries += 1;
        workspace.clock.advance(2_000);
        throw new ParseFailure('parse_timeout', 'Parsing took longer.');
      },
    });
    const text = Object.keys(tree).map((path, at) => `import { s as s${at} } from './${path.slice(4)}';\n`);
    const { omitted } = await workspace.retrieve(active(text.join('')));
    expect(tries).toBeLessThan(10);
    expect(omitted).toHaveLength(40);
    expect(new Set(omitted.map(({ reason }) => reason.code))).toEqual(new Set(['parse_timeout']));
  });

  it('RT-04 a search that takes long leaves imports the time that they may take', async () => {
    const workspace = await open({ 'src/lib.ts': two, 'notes.md': 'About two.' });
    const { read } = workspace.files;
    workspace.files.read = (path, options) => {
      if (path.endsWith('notes.md')) workspace.clock.advance(5_000);
      return read(path, options);
    };
    const result = await workspace.retrieve({ ...active("import { one } from './lib.ts';\n"), query: 'two' });
    expect(shown(result)).toEqual(['import src/lib.ts', 'search notes.md']);
  });

  it('RT-04 a text that failed twice is not parsed again', async () => {
    let tries = 0;
    const before = () => {
      tries += 1;
      throw new ParseFailure('parse_timeout', 'Parsing took longer.');
    };
    const { retrieve } = await open({}, { before });
    for (let at = 0; at < 5; at += 1) await retrieve(active("import './a.ts';\n"));
    expect(tries).toBe(2);
  });

  it('RT-04 a file that vanishes between being found and being read costs only itself', async () => {
    const workspace = await open({ 'src/a.ts': two, 'src/b.ts': two });
    const { read } = workspace.files;
    workspace.files.read = (path, options) => {
      if (path.endsWith('src/a.ts')) return Promise.resolve({ ok: false, code: 'not_found' });
      return read(path, options);
    };
    const result = await workspace.retrieve(active("import { one } from './a.ts';\nimport { two } from './b.ts';\n"));
    expect(shown(result)).toEqual(['import src/b.ts']);
    expect(leftOut(result)).toEqual(['import src/a.ts not_found']);
  });

  it('RT-04 S-45 work ends soon after nobody waits for it any more', async () => {
    const tree = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`src/m${at}.ts`, `export const m${at} = ${at};\n`]),
    );
    const gone = new AbortController();
    let parsed = 0;
    const { engine, files } = await open(tree, {
      before() {
        parsed += 1;
        if (parsed === 2) gone.abort();
      },
    });
    const text = Object.keys(tree).map((path, at) => `import { m${at} } from './${path.slice(4)}';\n`);
    const request = { mountedDirectory: project, ...active(text.join('')), query: 'm7', openTabs: [] };
    expect(await engine.retrieve(request, gone.signal)).toMatchObject({ items: [] });
    expect(parsed).toBeLessThan(5);
    files.resetCounters();
    await engine.retrieve({ mountedDirectory: project, query: 'm8', automatic: {} }, AbortSignal.abort());
    expect(files.opened.filter((path) => path.endsWith('.ts'))).toEqual([]);
  });
});
