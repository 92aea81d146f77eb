/** All context of a prompt, in process: its budget, its receipt, and its digest. */
import { describe, expect, it } from 'vitest';
import type { ContextRequest } from '../../src/prompt/context-request.ts';
import { contextFile, createWorkspace, project } from '../support/workspace.ts';

const rule = (body: string): string => contextFile({ trigger: 'always' }, body);
const gatherIn = async (tree: Record<string, string>) => {
  const { engine, files, clock } = await createWorkspace(tree);
  const gather = (request: Partial<ContextRequest> = {}) =>
    engine.gatherContext({ mountedDirectory: project, include: { search: false }, ...request });
  return { gather, files, clock };
};

describe('all context of a prompt', () => {
  it('RT-05 fits 16,000 tokens where nobody says how many', async () => {
    const { gather } = await gatherIn({
      '.context/a.md': rule('Short.'),
      '.context/b.md': rule('word '.repeat(16_000)),
    });
    const { usage, items, omitted } = await gather();
    expect(usage).toMatchObject({ maxTokens: 16_000 });
    expect(usage.tokens).toBeLessThanOrEqual(16_000);
    expect([...items, ...omitted].map(({ name }) => name).sort()).toEqual(['a', 'b']);
  });

  it('RT-05 lists what the budget leaves out beside what is not there', async () => {
    const { gather } = await gatherIn({ '.context/a.md': rule('word '.repeat(40)), 'docs/x.md': 'x' });
    const { items, omitted } = await gather({
      documents: [{ path: 'docs/x.md' }, { path: 'docs/gone.md' }],
      budget: { maxTokens: 10 },
    });
    expect(items).toEqual([]);
    expect(omitted.map(({ name, path, reason }) => [name ?? path, reason.code])).toEqual([
      [`${project}/docs/gone.md`, 'not_found'],
      ['a', 'over_budget'],
    ]);
    expect(omitted[1]?.tokens).toBeGreaterThan(10);
  });

  it('has the digest of what is sent, and of nothing else', async () => {
    const { gather, files, clock } = await gatherIn({ '.context/a.md': rule('One.'), 'b.md': 'b' });
    const documents = [{ path: 'x.ts' }];
    const { digest } = await gather({ documents });
    expect((await gather({ documents, budget: { maxTokens: 15_000 } })).digest).toBe(digest);
    expect((await gather({ documents: [...documents, { path: 'gone.md' }] })).digest).toBe(digest);
    expect((await gather({ documents: [...documents, { path: 'b.md' }] })).digest).not.toBe(digest);
    const unsaved = [{ path: '.context/a.md', content: rule('Two.') }];
    expect((await gather({ documents: [...documents, ...unsaved] })).digest).not.toBe(digest);
    clock.advance(10_000);
    files.write(`${project}/.context/a.md`, rule('Two.'));
    expect((await gather({ documents })).digest).not.toBe(digest);
  });
});
