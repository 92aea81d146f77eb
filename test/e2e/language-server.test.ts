/** `contextd lsp`, as an editor meets it, in front of a spawned daemon. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CodeLens, CompletionItem, Hover } from 'vscode-languageserver';
import type { ContextResult } from '../../src/prompt/context-result.ts';
import { runContextd, startDaemon, type TestDaemon, until } from '../support/daemon.ts';
import { type Editor, openEditor, uriOf } from '../support/editor.ts';
import { temporaryDirectory, writeTree } from '../support/temporary-files.ts';

let project: string;
let daemon: TestDaemon;
let editor: Editor;
const at = (path: string): string => join(project, path);
const write = (path: string, text: string) => writeTree(project, { [path]: text });
const names = ({ items }: ContextResult): string[] => items.map(({ path = '' }) => path.slice(project.length + 1));

beforeAll(async () => {
  project = temporaryDirectory();
  write('AGENTS.md', 'Write tests first.\n');
  write('.context/style.md', '---\ntrigger: auto\nglobs: ["src/**"]\n---\nUse tabs.\n');
  write('src/cart.ts', "import { round } from './round.ts';\nexport const total = round(1.5);\n");
  write('src/round.ts', 'export const round = Math.round;\n');
  write('secret/key.ts', 'export const key = 1;\n');
  write('secret/.ai-context-policy.yaml', 'ai_context_policy: block\n');
  daemon = await startDaemon({ grantRoots: [project] });
});
afterAll(() => daemon.stop());
beforeEach(async () => {
  editor = await openEditor({ folders: [project], stateDirectory: daemon.stateDirectory, home: daemon.home });
});
afterEach(async () => {
  expect(await editor.exit()).toBe(0);
  expect(editor.errors()).toBe('');
});

describe('contextd lsp', () => {
  it('gives the context of the document that is worked on, as it is shown', async () => {
    await editor.open(at('src/cart.ts'), 'export const none = 1;\n', 'typescript');
    const asked = { textDocument: { uri: uriOf(at('src/cart.ts')) }, position: { line: 0, character: 3 } };
    const saved = await editor.ask<ContextResult>('contextd/context', asked);
    expect(names(saved)).toEqual(['AGENTS.md', '.context/style.md']);
    // The import is typed, and the rule is changed, without being saved.
    const start = { line: 0, character: 0 };
    await editor.type(at('src/cart.ts'), "import { round } from './round.ts';\n", { start, end: start });
    await editor.open(at('AGENTS.md'), 'Write no tests.\n');
    const unsaved = await editor.ask<ContextResult>('contextd/context', asked);
    expect(names(unsaved)).toEqual(['AGENTS.md', '.context/style.md', 'src/round.ts']);
    expect(unsaved.items[0]?.content).toContain('Write no tests.');
    await editor.close(at('AGENTS.md'));
    const closed = await editor.ask<ContextResult>('contextd/context', asked);
    expect(closed.items[0]?.content).toContain('Write tests first.');
    expect(editor.questions).toEqual([]);
  });

  it('passes on what a request for context can say, and what is wrong with it', async () => {
    const asked = { textDocument: { uri: uriOf(at('src/cart.ts')) } };
    const without = await editor.ask<ContextResult>('contextd/context', { ...asked, include: { rules: false } });
    expect(names(without)).toEqual(['src/round.ts']);
    const refused = { message: expect.stringContaining('/budgte'), data: { code: 'invalid_request' } };
    await expect(editor.ask('contextd/context', { ...asked, budgte: 1 })).rejects.toMatchObject(refused);
    const place = { message: expect.stringContaining('/position/line'), data: { code: 'invalid_request' } };
    await expect(editor.ask('contextd/context', { ...asked, position: { line: -1 } })).rejects.toMatchObject(place);
    const all = { message: 'The parameters are not valid. Must be an object, not an array.' };
    await expect(editor.ask('contextd/context', [1])).rejects.toMatchObject(all);
    const remote = { message: expect.stringContaining('/textDocument/uri') };
    await expect(editor.ask('contextd/context', { textDocument: { uri: 'untitled:1' } })).rejects.toMatchObject(remote);
  });

  it('keeps blocked documents out, whatever the editor shows', async () => {
    await editor.open(at('secret/key.ts'), 'export const key = 2;\n', 'typescript');
    const asked = { textDocument: { uri: uriOf(at('secret/key.ts')) } };
    const found = await editor.ask<ContextResult>('contextd/context', asked);
    expect(JSON.stringify(found)).not.toContain('key = 2');
    expect(found.omitted).toContainEqual(expect.objectContaining({ path: at('secret/key.ts') }));
  });

  it('explains and searches', async () => {
    const textDocument = { uri: uriOf(at('src/cart.ts')) };
    type Explained = { candidates: { path: string; verdict: string }[] };
    const explained = await editor.ask<Explained>('contextd/explain', { textDocument });
    expect(explained.candidates).toContainEqual(
      expect.objectContaining({ path: at('.context/style.md'), verdict: 'active' }),
    );
    type Found = { results: { path: string }[] };
    const found = await editor.ask<Found>('contextd/search', { query: 'tabs', mode: 'keyword' });
    expect(found.results.map(({ path }) => path)).toEqual([at('.context/style.md')]);
  });

  it('tells of changes', async () => {
    await until(async () => {
      write('.context/new.md', `Changed ${performance.now()}.\n`);
      return editor.changes.some(({ type }) => type === 'context-changed');
    });
    await until(() => editor.refreshes > 0);
    rmSync(at('.context/new.md'));
  });
});

describe('files that are written for contextd', () => {
  it('show what is wrong while they are typed', async () => {
    await editor.open(at('.context/style.md'), '---\ntrigger: sometimes\n---\nUse tabs.\n');
    const [wrong] = await until(() => editor.diagnostics.get(at('.context/style.md'))?.slice());
    expect(wrong).toMatchObject({ source: 'contextd', range: { start: { line: 1, character: 9 } } });
    const range = { start: { line: 1, character: 9 }, end: { line: 1, character: 18 } };
    await editor.type(at('.context/style.md'), 'always', range);
    await until(() => editor.diagnostics.get(at('.context/style.md'))?.length === 0);
    await editor.open(at('.ai-context-policy.yaml'), 'ai_context_policy: never\n', 'yaml');
    await until(() => editor.diagnostics.get(at('.ai-context-policy.yaml'))?.length === 1);
    await editor.open(at('.cursor/rules/a.mdc'), '---\ntrigger: always\n---\nText.\n');
    await until(() => (editor.diagnostics.get(at('.cursor/rules/a.mdc'))?.length ?? 0) > 0);
    // Others are nobody's business.
    await editor.open(at('README.md'), '---\ntrigger: sometimes\n---\n');
    await editor.open(at('.context/context-config.json'), '{ "includeFile": [] }', 'json');
    await until(() => editor.diagnostics.get(at('.context/context-config.json'))?.length === 1);
    expect(editor.diagnostics.has(at('README.md'))).toBe(false);
  });

  it('are completed', async () => {
    const labels = async (path: string, line: number, character: number) => {
      const position = { line, character };
      const params = { textDocument: { uri: uriOf(at(path)) }, position };
      return (await editor.ask<CompletionItem[]>('textDocument/completion', params)).map(({ label }) => label);
    };
    await editor.open(at('.context/a.md'), '---\ntrigger: \n\n---\nText.\n');
    expect(await labels('.context/a.md', 1, 9)).toEqual(['always', 'auto', 'agent', 'manual', 'pattern']);
    expect(await labels('.context/a.md', 2, 0)).toContain('globs');
    expect(await labels('.context/a.md', 2, 0)).not.toContain('trigger');
    expect(await labels('.context/a.md', 4, 2)).toEqual([]);
    await editor.open(at('.ai-context-policy.yaml'), 'ai_context_policy: \n', 'yaml');
    expect(await labels('.ai-context-policy.yaml', 0, 19)).toEqual(['allow', 'block']);
    await editor.open(at('.context/context-config.json'), '{ "clientContext": { "ig" } }', 'json');
    expect(await labels('.context/context-config.json', 0, 24)).toContain('ignoreGlobalContext');
    await editor.open(at('.cursor/rules/a.mdc'), '---\n\n---\nText.\n');
    expect(await labels('.cursor/rules/a.mdc', 1, 0)).toEqual(['description', 'globs', 'alwaysApply']);
  });

  it('say what their keys mean and what they apply to', async () => {
    const path = at('.context/style.md');
    await editor.open(path, '---\ntrigger: auto\nglobs: ["src/**"]\n---\nUse tabs.\n');
    const params = { textDocument: { uri: uriOf(path) } };
    const lenses = async (uri: string) =>
      (await editor.ask<CodeLens[]>('textDocument/codeLens', { textDocument: { uri } })).map(
        ({ range, command }) => `${range.start.line}: ${command?.title}`,
      );
    expect(await lenses(uriOf(path))).toEqual(['0: applies to 2 files']);
    const hover = await editor.ask<Hover>('textDocument/hover', { ...params, position: { line: 2, character: 2 } });
    expect(hover.contents).toMatchObject({
      value: expect.stringMatching(/^\*\*globs\*\*: .*- `src\/cart\.ts`\n- `src\/round\.ts`$/su),
    });
    const range = { start: { line: 2, character: 0 }, end: { line: 2, character: 17 } };
    await editor.type(path, 'globs: "nothing/**"', range);
    expect(await lenses(uriOf(path))).toEqual(['0: applies to 0 files']);
    const policy = at('.ai-context-policy.yaml');
    await editor.open(policy, 'ai_context_policy: allow\nexclude:\n  - src/round.ts\n', 'yaml');
    expect(await lenses(uriOf(policy))).toEqual(['0: by itself keeps 1 file from models', '2: matches 1 file']);
    const config = at('.context/context-config.json');
    await editor.open(config, '{\n  "clientContext": { "includeFiles": ["*.md"] }\n}\n', 'json');
    expect(await lenses(uriOf(config))).toEqual(['1: finds 1 file']);
  });
});

describe('a folder that the daemon may not read', () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'AGENTS.md'), 'Elsewhere.\n');
  const asked = { workspaceFolder: uriOf(folder) };
  const openWith = (allow: boolean) =>
    openEditor({ folders: [folder], stateDirectory: daemon.stateDirectory, home: daemon.home, allow });

  it('is asked about once, and stays closed after a no', async () => {
    const other = await openWith(false);
    const search = other.ask('contextd/search', { ...asked, query: 'x' });
    for (const { reason } of (await Promise.allSettled([other.ask('contextd/context', asked), search])) as {
      reason?: unknown;
    }[])
      expect(reason).toMatchObject({
        message: `contextd may not read this folder. To allow it: contextd roots grant ${folder}`,
        data: { code: 'path_outside_roots' },
      });
    await expect(other.ask('contextd/context', asked)).rejects.toThrow('may not read this folder');
    expect(other.questions.map(({ message }) => message)).toEqual([expect.stringContaining(folder)]);
    // The command can be pasted into a shell, whatever the folder is called.
    const quoted = other.ask('contextd/context', { workspaceFolder: uriOf(join(folder, "it's")) });
    await expect(quoted).rejects.toThrow(`contextd roots grant '${folder}/it'\\''s'`);
    expect(await other.exit()).toBe(0);
  });

  it('is granted after a yes, by a name that leads there too', async () => {
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    const other = await openWith(true);
    const found = await other.ask<ContextResult>('contextd/context', asked);
    expect(found.items.map(({ content }) => content)).toEqual([expect.stringContaining('Elsewhere.')]);
    const textDocument = { uri: uriOf(join(link, 'AGENTS.md')) };
    const linked = await other.ask<ContextResult>('contextd/context', { textDocument });
    expect(linked.digest).toBeDefined();
    expect(other.questions).toHaveLength(1);
    // What was revoked is asked about again.
    expect((await daemon.cli(['roots', 'revoke', folder])).code).toBe(0);
    await other.ask('contextd/context', asked);
    expect(other.questions).toHaveLength(2);
    expect(await other.exit()).toBe(0);
    rmSync(link);
  });

  it('stays closed to the token of an agent, and the user is told how to open it', async () => {
    await daemon.cli(['roots', 'revoke', folder]);
    const minted = await daemon.cli(['token']);
    const env = { CONTEXTD_URL: `http://127.0.0.1:${daemon.port}`, CONTEXTD_TOKEN: minted.stdout.trim() };
    const other = await openEditor({ folders: [folder], home: daemon.home, allow: true, env });
    const refused = { message: expect.stringContaining(`To allow it: contextd roots grant ${folder}`) };
    for (let turn = 0; turn < 2; turn += 1)
      await expect(other.ask('contextd/context', asked)).rejects.toMatchObject(refused);
    expect(other.questions).toHaveLength(1);
    expect(await other.exit()).toBe(0);
  });

  it('is the repository of a file in an editor that has no folder open', async () => {
    const repository = temporaryDirectory();
    for (const each of ['.git', 'src']) mkdirSync(join(repository, each));
    writeFileSync(join(repository, 'AGENTS.md'), 'Of all of it.\n');
    writeFileSync(join(repository, 'src/a.ts'), '');
    const other = await openEditor({
      folders: [],
      stateDirectory: daemon.stateDirectory,
      home: daemon.home,
      allow: true,
    });
    const textDocument = { uri: uriOf(join(repository, 'src/a.ts')) };
    const found = await other.ask<ContextResult>('contextd/context', { textDocument });
    expect(found.items.map(({ path }) => path)).toEqual([join(repository, 'AGENTS.md')]);
    expect(other.questions.map(({ message }) => message)).toEqual([expect.stringContaining(`${repository} to`)]);
    expect(await other.exit()).toBe(0);
  });

  it('is one of the editor once that says so, and none any more once that says so', async () => {
    await daemon.cli(['roots', 'grant', folder]);
    const path = join(folder, '.ai-context-policy.yaml');
    await editor.open(path, 'ai_context_policy: block\n', 'yaml');
    const lenses = () => editor.ask<CodeLens[]>('textDocument/codeLens', { textDocument: { uri: uriOf(path) } });
    const change = (added: string[], removed: string[]) => {
      const named = (paths: string[]) => paths.map((name) => ({ uri: uriOf(name), name }));
      const event = { added: named(added), removed: named(removed) };
      return editor.tell('workspace/didChangeWorkspaceFolders', { event });
    };
    expect(await lenses()).toEqual([]);
    await change([folder], []);
    expect(await lenses()).toHaveLength(1);
    await change([], [folder]);
    expect(await lenses()).toEqual([]);
  });
});

describe('the daemon of an editor', () => {
  it('is started where none runs, started again once it has died, and not by what only listens', async () => {
    const stateDirectory = join(temporaryDirectory(), 'state');
    const own = await openEditor({ folders: [project], stateDirectory, home: daemon.home, allow: true });
    const asked = { textDocument: { uri: uriOf(at('src/cart.ts')) } };
    const stop = () => runContextd(['stop', '--state-dir', stateDirectory]);
    try {
      expect(names(await own.ask<ContextResult>('contextd/context', asked))).toContain('AGENTS.md');
      expect((await stop()).code).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect((await runContextd(['status', '--state-dir', stateDirectory])).code).toBe(69);
      expect(names(await own.ask<ContextResult>('contextd/context', asked))).toContain('AGENTS.md');
      await until(() => own.changes.some(({ type }) => type === 'resync'));
    } finally {
      await own.exit();
      await stop();
      rmSync(dirname(stateDirectory), { recursive: true, force: true });
    }
  });

  it('that cannot be started is said, and not waited for', async () => {
    const blocked = join(temporaryDirectory(), 'file');
    writeFileSync(blocked, '');
    const own = await openEditor({ folders: [project], stateDirectory: join(blocked, 'state'), home: daemon.home });
    const refused = { data: { code: 'unavailable' } };
    await expect(own.ask('contextd/context', { workspaceFolder: uriOf(project) })).rejects.toMatchObject(refused);
    // What needs no daemon goes on.
    await own.open(at('.ai-context-policy.yaml'), 'ai_context_policy: never\n', 'yaml');
    await until(() => own.diagnostics.get(at('.ai-context-policy.yaml'))?.length === 1);
    expect(await own.exit()).toBe(0);
    rmSync(dirname(blocked), { recursive: true, force: true });
  });
});
