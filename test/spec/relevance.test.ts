/** `agent` files and the query that makes them active (CC-28), in resolve and explain. */
import { describe, expect, it } from 'vitest';
import { decideTrigger } from '../../src/context/triggers.ts';
import type { TimeAllowance } from '../../src/pace/time-allowance.ts';
import { background } from '../../src/search/background.ts';
import { createFakeEmbedder } from '../support/fake-embedder.ts';
import { config, contextFile, createWorkspace, fileNamed, project } from '../support/workspace.ts';

const agentFile = (description: string, body: string, more: Record<string, string> = {}): string =>
  contextFile({ trigger: 'agent', description, ...more }, body);

const tree = {
  '.context/migrations.md': agentFile(
    'How the database schema is migrated',
    'Write each migration so that it can be undone.',
  ),
  '.context/buttons.md': agentFile('Colours and spacing of buttons', 'Primary buttons are blue.'),
  '.context/naming.md': agentFile('Words for names', 'Names are nouns.', {
    instructions: 'Consult it for spelling of identifiers',
  }),
  '.context/always.md': contextFile({ trigger: 'always', description: 'database schema migrated' }),
  '.context/manual.md': contextFile({ trigger: 'manual', description: 'database schema migrated' }),
};
const query = 'How do I migrate the database?';

describe('a query', () => {
  it('CC-28 makes the agent files active that it is about, with a score, and says who searched', async () => {
    const { resolve } = await createWorkspace(tree);
    const result = await resolve({ query });
    const found = fileNamed(result, 'migrations');
    expect(found).toMatchObject({ state: 'active', reason: { code: 'semantic_match' } });
    expect(found?.content).toContain('can be undone');
    expect(found?.similarityScore).toBeGreaterThan(0);
    expect(found?.similarityScore).toBeLessThanOrEqual(1);
    const other = fileNamed(result, 'buttons');
    expect(other).toMatchObject({ state: 'available', reason: { code: 'not_relevant' } });
    expect(other?.similarityScore).toBeUndefined();
    expect(result.semantic).toMatchObject({ status: 'degraded', engine: 'keyword' });
  });

  it('CC-28 finds a file by its description, its instructions and its body', async () => {
    const { resolve } = await createWorkspace(tree);
    const active = async (asked: string): Promise<string[]> =>
      (await resolve({ query: asked })).files.filter(({ similarityScore }) => similarityScore).map(({ name }) => name);
    expect(await active('what spacing do buttons have')).toEqual(['buttons']);
    expect(await active('spelling of identifiers')).toEqual(['naming']);
    expect(await active('can it be undone?')).toEqual(['migrations']);
    expect(await active('best pizza in town')).toEqual([]);
  });

  it('CC-28 says nothing about files with other triggers, and nothing at all when there is none', async () => {
    const { resolve } = await createWorkspace(tree);
    const result = await resolve({ query });
    expect(fileNamed(result, 'always')).toMatchObject({ reason: { code: 'trigger_always' } });
    expect(fileNamed(result, 'manual')).toMatchObject({ state: 'available', reason: { code: 'needs_mention' } });
    const without = await resolve();
    expect(without.semantic).toBeUndefined();
    expect(fileNamed(without, 'migrations')).toMatchObject({ reason: { code: 'needs_query_or_mention' } });
  });

  it('CC-28 a mention beats relevance', async () => {
    const { resolve } = await createWorkspace(tree);
    const file = fileNamed(await resolve({ query, mentions: ['migrations'] }), 'migrations');
    expect(file).toMatchObject({ state: 'active', reason: { code: 'mentioned' } });
    expect(file?.similarityScore).toBeUndefined();
  });

  it('CC-28 gives the same object while nothing changes, and sees a change at once', async () => {
    const one = `${project}/.context/one.md`;
    const two = `${project}/.context/two.md`;
    const about = agentFile('How to migrate a database', 'In steps.');
    const { resolve, files } = await createWorkspace({ [one]: about, [two]: agentFile('Other things', 'Nothing.') });
    const before = await resolve({ query });
    expect(await resolve({ query })).toBe(before);
    expect(await resolve({ query: 'other' })).not.toBe(before);
    files.write(two, about);
    files.write(one, agentFile('Other things', 'Nothing.'));
    const after = await resolve({ query });
    expect(fileNamed(after, 'one')).toMatchObject({ state: 'available', reason: { code: 'not_relevant' } });
    expect(fileNamed(after, 'two')).toMatchObject({ state: 'active', reason: { code: 'semantic_match' } });
  });

  it('CC-28 never searches what a policy blocks or a configuration leaves out', async () => {
    const { engine, resolve } = await createWorkspace({
      ...tree,
      '.context/blocked.md': tree['.context/migrations.md'],
      '.context/excluded.md': tree['.context/migrations.md'],
      '.context/context-config.json': config({ clientContext: { excludeFiles: ['**/excluded.md'] } }),
      '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude:\n  - "**/blocked.md"\n',
    });
    const found = (await resolve({ query })).files.filter(({ similarityScore }) => similarityScore !== undefined);
    expect(found.map(({ name }) => name)).toEqual(['migrations']);
    const { candidates } = await engine.explain({ mountedDirectory: project, query });
    const searched = candidates.filter(({ steps }) => steps.some(({ rule }) => rule === 'semantic'));
    const agentFiles = ['buttons', 'migrations', 'naming'].map((name) => `${project}/.context/${name}.md`);
    expect(searched.map(({ path }) => path)).toEqual(agentFiles);
  });

  it('CC-28 explain says what the search decided', async () => {
    const { engine } = await createWorkspace(tree);
    const { candidates } = await engine.explain({ mountedDirectory: project, query });
    const stepsOf = (name: string) => candidates.find(({ path }) => path.endsWith(`/${name}.md`))?.steps ?? [];
    expect(stepsOf('migrations')).toContainEqual({
      rule: 'semantic',
      outcome: 'semantic_match',
      detail: expect.stringMatching(/^score 0\.\d\d; engine keyword; /u),
    });
    expect(stepsOf('buttons')).toContainEqual(expect.objectContaining({ rule: 'semantic', outcome: 'not_relevant' }));
    expect(stepsOf('manual').some(({ rule }) => rule === 'semantic')).toBe(false);
  });

  it('CC-28 searches by meaning too as soon as the model is usable, and stays as it is as long as it is not', async () => {
    const embedder = createFakeEmbedder();
    embedder.failWith = 'The model is ill.';
    const { resolve } = await createWorkspace(tree, { ports: { embedder } });
    const before = await resolve({ query });
    expect(before.semantic).toMatchObject({ status: 'degraded', detail: expect.stringContaining('is ill') });
    expect(await resolve({ query })).toBe(before);
    embedder.failWith = undefined;
    const after = await resolve({ query });
    expect(after.semantic).toEqual({ status: 'ready', engine: 'hybrid' });
    expect(fileNamed(after, 'migrations')).toMatchObject({ state: 'active', reason: { code: 'semantic_match' } });
    const asked = embedder.calls.length;
    expect(await resolve({ query })).toBe(after);
    expect(embedder.calls.length).toBe(asked);
  });

  it('CC-28 embeds agent files only, and none that is mentioned, blocked or left out', async () => {
    const embedder = createFakeEmbedder();
    const { resolve } = await createWorkspace(
      {
        ...tree,
        '.context/blocked.md': agentFile('blocked', 'canary'),
        '.context/excluded.md': agentFile('excluded', 'canary'),
        '.context/.env.md': agentFile('secret', 'canary'),
        '.context/disabled.md': agentFile('disabled', 'canary', { disabled: 'true' }),
        '.context/context-config.json': config({ clientContext: { excludeFiles: ['**/excluded.md'] } }),
        '.ai-context-policy.yaml': 'ai_context_policy: allow\nexclude:\n  - "**/blocked.md"\n',
      },
      { ports: { embedder } },
    );
    await resolve({ query, mentions: ['naming'] });
    const embedded = embedder.calls.flat().filter((text) => text !== query);
    const names = [...background.map(({ name }) => name), 'buttons', 'migrations'];
    expect(embedded.map((text) => text.split(':')[0]).sort()).toEqual(names.sort());
  });

  it('CC-28 says when nothing could be searched at all', () => {
    const allowance: TimeAllowance = {
      spend: (work) => work(),
      isOver: () => false,
      extend() {},
      pause: () => undefined,
    };
    const relevance = { semantic: { status: 'unavailable', engine: 'none' } as const, found: undefined };
    const request = {
      mountedDirectory: project,
      filesInPlay: [],
      isMentioned: false,
      isBelow: false,
      relevance,
      allowance,
    };
    expect(decideTrigger({ trigger: 'agent', globs: ['*'], owner: project }, request)).toEqual({
      state: 'available',
      reason: { code: 'semantic_unavailable' },
    });
  });
});
