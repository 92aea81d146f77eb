/** A source of context is one file and one entry of the list: everything else follows. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ReadFile } from '../../src/context/front-matter.ts';
import type { ContextSource } from '../../src/context/sources/source.ts';

const list = '../../src/context/sources/sources.ts';

beforeEach(() => void vi.resetModules());
afterEach(() => {
  vi.doUnmock(list);
  vi.resetModules();
});

/** A workspace with sources besides its own. */
async function createWorkspaceWith(source: ContextSource, tree: Record<string, string>) {
  vi.doMock(list, async (load) => {
    const { contextSources } = await load<typeof import('../../src/context/sources/sources.ts')>();
    return { contextSources: [...contextSources, source] };
  });
  return (await import('../support/workspace.ts')).createWorkspace(tree);
}

it('asks a source for single files, which it places and reads in its own way', async () => {
  const { parsePlainText } = await import('../../src/context/front-matter.ts');
  const read: ReadFile = (text) => ({ value: { ...parsePlainText(text), trigger: 'always' }, warnings: [] });
  const notes: ContextSource = {
    async find({ where: { mountedDirectory: owner } }) {
      const directory = { scope: 'static', owner, path: owner, depth: 0 } as const;
      const found = { path: `${owner}/NOTES.md`, source: 'context-directory', directory, read, name: 'NOTES' } as const;
      return { candidates: [found], warnings: [], evidence: [], searched: [] };
    },
  };
  const { resolve, engine, files } = await createWorkspaceWith(notes, {
    'NOTES.md': '---\ntrigger: manual\n---\nText.',
    '.context/a.md': 'A',
    '.context/context-config.json': '{"clientContext": {"excludeFiles": ["**/b.md"]}}',
  });
  const text = '---\ntrigger: manual\n---\nText.';
  expect((await resolve()).files).toMatchObject([
    { name: 'a', trigger: 'manual' },
    { name: 'NOTES', trigger: 'always', state: 'active', scope: 'static', content: text },
  ]);
  // Exclusion, steps and freshness are those of every candidate.
  files.write('/home/ada/myproject/.context/context-config.json', '{"clientContext": {"excludeFiles": ["NOTES.md"]}}');
  expect((await resolve()).excluded).toMatchObject([
    { path: expect.stringContaining('context-config.json') },
    { path: expect.stringMatching(/NOTES\.md$/u), reason: { code: 'excluded_by_config' } },
  ]);
  const { candidates } = await engine.explain({ mountedDirectory: '/home/ada/myproject', path: 'NOTES.md' });
  expect(candidates[0]?.steps.map(({ rule }) => rule)).toContain('excludeFiles');
});

it('searches the directories that a source plans, each once', async () => {
  const { loadDirectory } = await import('../../src/context/load-directory.ts');
  const rules: ContextSource = {
    plan: ({ mountedDirectory: owner }) => [
      { directory: { scope: 'static', owner, path: `${owner}/.rules`, depth: 0 }, load: loadDirectory },
      { directory: { scope: 'static', owner, path: `${owner}/.context`, depth: 0 }, load: loadDirectory },
    ],
  };
  const { resolve } = await createWorkspaceWith(rules, { '.rules/r.md': 'R', '.context/a.md': 'A' });
  const { files, workingDirectories } = await resolve();
  expect(files.map(({ path }) => path.slice(workingDirectories[0]?.length))).toEqual([
    '/.context/a.md',
    '/.rules/r.md',
  ]);
});
