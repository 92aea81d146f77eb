/** Search over items: domains, and whose options hold (SS-06, SS-07, RQ-02). */
import { describe, expect, it } from 'vitest';
import type { NamedAgent } from '../../src/agent/agent.ts';
import { mergeDomainOptions, mergeSearchOptions } from '../../src/agent/item-search.ts';
import type { SearchAnswer } from '../../src/search/search.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import type { SearchOptions } from '../../src/search/search-options.ts';
import { createTestSessions } from '../session/support/sessions.ts';
import { contextFile, createWorkspace, project } from '../support/workspace.ts';

describe('options', () => {
  it('SS-06 a nearer level wins, field by field', () => {
    expect(mergeSearchOptions({ topN: 1, mode: 'keyword' }, undefined, { topN: 2 }, { minScore: 0.5 })).toEqual({
      topN: 2,
      mode: 'keyword',
      minScore: 0.5,
    });
    expect(mergeSearchOptions()).toEqual({});
    expect(mergeSearchOptions({ topN: 1 }, { topN: undefined } as SearchOptions)).toEqual({ topN: 1 });
  });

  it('SS-06 a preset begins anew: numbers of weaker levels were chosen for another one', () => {
    const agent: SearchOptions = { preset: 'conservative', topN: 1, mode: 'keyword' };
    expect(mergeSearchOptions(agent, { preset: 'aggressive' })).toEqual({ preset: 'aggressive', mode: 'keyword' });
    expect(mergeSearchOptions(agent, { preset: 'aggressive', minScore: 0 }, { topN: 9 })).toEqual({
      preset: 'aggressive',
      mode: 'keyword',
      minScore: 0,
      topN: 9,
    });
  });

  it('SS-06 rules and references are one domain, tools another', () => {
    expect(mergeDomainOptions({ search: { topN: 1 }, toolSearch: { topN: 2 } }, { search: { topN: 3 } })).toEqual({
      search: { topN: 3 },
      toolSearch: { topN: 2 },
    });
  });
});

type Asked = { items: readonly SearchItem[]; options: SearchOptions | undefined };

/** Verbs whose search finds each item with the score its description says. */
async function createSearching(agent: Omit<NamedAgent, 'name'>, status: SearchAnswer['semantic'][] = []) {
  const asked: Asked[] = [];
  const { agents } = createTestSessions({
    tools: ['t', 'u'].map((name) => ({ serverName: 's', name, description: '0.8', inputSchema: {} })),
    async search(_query, items, options) {
      asked.push({ items, options });
      const results = items.map((item) => {
        const chunk = { index: 0, text: item.name };
        return { item, score: Number(item.description), engine: 'hybrid' as const, chunk };
      });
      return { results, semantic: status.shift() ?? { status: 'ready', engine: 'hybrid' } };
    },
  });
  await agents.put('a', { name: 'A', ...agent });
  return { agents, asked };
}

describe('POST /v1/search', () => {
  const agent = {
    rules: [
      { name: 'r', text: 'x', description: '0.9' },
      { name: 'q', text: 'x', description: '0.1', include: 'always' as const },
    ],
    references: [{ name: 'ref', text: 'x', description: '0.5' }],
    settings: { search: { topN: 7 }, toolSearch: { preset: 'aggressive' as const } },
  };

  it('SS-06 asks each domain with the options of the agent and of the request, and ranks what both found', async () => {
    const { agents, asked } = await createSearching(agent);
    const { results, semantic } = await agents.search({ agentId: 'a', query: 'q', minScore: 0.2 });
    expect(results.map(({ type, name, score }) => `${type} ${name} ${score}`)).toEqual([
      'rule r 0.9',
      'tool t 0.8',
      'tool u 0.8',
      'reference ref 0.5',
      'rule q 0.1',
    ]);
    expect(results[1]).toEqual({
      type: 'tool',
      name: 't',
      serverName: 's',
      score: 0.8,
      engine: 'hybrid',
      chunk: { index: 0, text: 't' },
    });
    expect(semantic).toEqual({ status: 'ready', engine: 'hybrid' });
    expect(asked.map(({ options }) => options)).toEqual([
      { topN: 7, minScore: 0.2 },
      { preset: 'aggressive', minScore: 0.2 },
    ]);
    expect(asked[0]?.items[2]).toMatchObject({ name: 'ref', text: 'x', description: '0.5' });
  });

  it('SS-05 tells what is not selected when it is asked for, and which file it is', async () => {
    const { engine } = await createWorkspace({
      '.context/errors.md': contextFile({ description: 'How errors are handled' }, 'Wrap errors at the boundary.'),
      '.context/causes.md': contextFile({ description: 'Causes' }, 'Errors, among much else, have causes.'),
    });
    const request = { mountedDirectory: project, query: 'errors', topN: 1, includeScore: 1, minScore: 0 };
    const { results, rejected } = await engine.agents.search({ ...request, rejected: 10 });
    expect(results.map(({ path }) => path)).toEqual([`${project}/.context/errors.md`]);
    expect(rejected).toEqual([
      expect.objectContaining({
        path: `${project}/.context/causes.md`,
        reason: expect.objectContaining({ code: 'beyond_top_n' }),
      }),
    ]);
    expect((await engine.agents.search({ ...request, rejected: 0 })).rejected).toEqual([]);
    expect(await engine.agents.search(request)).not.toHaveProperty('rejected');
  });

  it('SS-05 searches the kinds that are asked for', async () => {
    const { agents, asked } = await createSearching(agent);
    const found = async (types: ('rule' | 'reference' | 'tool')[]) =>
      (await agents.search({ agentId: 'a', query: 'q', types })).results.map(({ name }) => name);
    expect(await found(['reference'])).toEqual(['ref']);
    expect(await found(['tool'])).toEqual(['t', 'u']);
    expect(asked).toHaveLength(2);
  });

  it('RQ-02 SS-07 says the worst of what the domains were searched with', async () => {
    const degraded = { status: 'degraded' as const, engine: 'keyword', detail: 'No model.' };
    const { agents } = await createSearching(agent, [{ status: 'ready', engine: 'hybrid' }, degraded]);
    expect((await agents.search({ agentId: 'a', query: 'q' })).semantic).toEqual(degraded);
  });

  it('SS-07 finds context files by words without a model, and says that it is degraded', async () => {
    const { engine } = await createWorkspace({
      '.context/errors.md': contextFile({ description: 'How errors are handled' }, 'Wrap errors at the boundary.'),
      '.context/style.md': contextFile({ description: 'How code is formatted' }, 'Use tabs.'),
      '.context/off.md': contextFile({ disabled: true, description: 'errors errors' }),
      '.context/context-config.json': '{"clientContext":{"excludeFiles":["secret.md"]}}',
      '.context/secret.md': 'errors',
    });
    const { results, semantic, warnings } = await engine.agents.search({
      mountedDirectory: project,
      query: 'handling of errors',
    });
    expect(results.map(({ name }) => name)).toEqual(['errors']);
    expect(results[0]).toMatchObject({ type: 'rule', engine: 'keyword' });
    expect(semantic.status).toBe('degraded');
    expect(warnings).toEqual([]);
  });

  it('AG-01 needs an agent or a directory, not both', async () => {
    const { engine } = await createWorkspace({});
    const refused = (request: { agentId?: string; mountedDirectory?: string }) =>
      expect(engine.agents.search({ query: 'q', ...request })).rejects.toMatchObject({ code: 'invalid_request' });
    await refused({});
    await refused({ agentId: 'a', mountedDirectory: project });
  });
});
