import { describe, expect, it } from 'vitest';
import { chunkItem } from '../../src/search/chunk.ts';
import { createSearch, type SemanticIndex } from '../../src/search/search.ts';
import type { SearchItem } from '../../src/search/search-item.ts';

const rule = (name: string, description: string, text = 'Body.'): SearchItem => ({
  type: 'rule',
  name,
  description,
  text,
  sha256: `${name} ${description} ${text}`,
});

const items: SearchItem[] = [
  rule('retries', 'Timeouts and retries of outgoing calls', 'Wait 100 ms, then double.'),
  rule('buttons', 'Colours of buttons', 'Primary buttons are blue.'),
  { type: 'tool', name: 'send_message', serverName: 'chat', description: 'Post to a channel', text: '', sha256: 't' },
];

/** Finds the rule about buttons, and nearly the tool. */
const similarities: Record<string, number> = { buttons: 0.7, send_message: 0.35 };
const finding: SemanticIndex = {
  match: async (_query, asked) => ({
    ok: true,
    matches: asked.map(({ name }, item) => {
      const score = similarities[name] ?? 0.1;
      return { item, chunk: 0, score, first: score };
    }),
  }),
};
const without = 'The model is not there.';
const missing: SemanticIndex = { match: async () => ({ ok: false, detail: without }) };

const found = async (search: ReturnType<typeof createSearch>, ...args: Parameters<typeof search.search>) => {
  const { results, semantic } = await search.search(...args);
  return { results: results.map(({ item, engine }) => `${item.name} ${engine}`), semantic };
};

describe('search', () => {
  it('SS-07 by words names item, score, engine and chunk', async () => {
    const { results, semantic } = await createSearch().search('retry a call', items, { mode: 'keyword' });
    expect(results).toHaveLength(1);
    const [first] = results;
    expect(first).toMatchObject({ item: items[0], engine: 'keyword', chunk: { index: 0 } });
    expect(first?.chunk.text).toBe(chunkItem(items[0] as SearchItem)[0]);
    expect(first?.score).toBeGreaterThan(0.2);
    expect(semantic).toEqual({ status: 'ready', engine: 'keyword' });
  });

  it('SS-07 by words finds tools by their server and the parts of their names', async () => {
    const names = async (query: string) => (await found(createSearch(), query, items, { mode: 'keyword' })).results;
    expect(await names('send a message')).toEqual(['send_message keyword']);
    expect(await names('chat')).toEqual(['send_message keyword']);
    expect(await names('sendMessage')).toEqual(['send_message keyword']);
  });

  it('SS-07 by meaning takes the similarities as scores, and selects what stands out, of few items too', async () => {
    for (const asked of [items, items.slice(1, 2)]) {
      const { search } = createSearch({ semanticIndex: finding });
      const { results } = await search('retry a call', asked, { mode: 'semantic' });
      expect(results.map(({ item, score, engine }) => [item.name, score, engine])).toEqual([
        ['buttons', 0.7, 'semantic'],
      ]);
    }
    const { semantic } = await createSearch({ semanticIndex: finding }).search('x', items, { mode: 'semantic' });
    expect(semantic).toEqual({ status: 'ready', engine: 'semantic' });
  });

  it.each(['semantic', 'hybrid'] as const)(
    'SS-07 in mode %s never returns the texts that say what is usual, however near they are to the question',
    async (mode) => {
      let asked: readonly SearchItem[] = [];
      const semanticIndex: SemanticIndex = {
        async match(_query, given) {
          asked = given;
          const scores = given.map((_, item) => (item === 0 ? 0.3 : item === items.length ? 0.95 : 0.1));
          return { ok: true, matches: scores.map((score, item) => ({ item, chunk: 0, score, first: score })) };
        },
      };
      const { search } = createSearch({ semanticIndex });
      const options = { mode, topN: 2, includeScore: 1, minScore: 0, rejected: 1_000 };
      const { results, rejected = [] } = await search('retry a message', items, options);
      expect(asked.length).toBeGreaterThan(items.length);
      expect(results.length).toBeGreaterThan(0);
      for (const { item } of [...results, ...rejected]) expect(items).toContain(item);
    },
  );

  it('SS-07 by meaning says which similarity would stand out, and calls it minScore only if it is one', async () => {
    const { search } = createSearch({ semanticIndex: finding });
    const reasonOf = async (options: { minScore?: number; includeScore?: number }) => {
      const { rejected } = await search('retry a call', items, { ...options, mode: 'semantic', rejected: 1 });
      return rejected?.[0]?.reason;
    };
    expect(await reasonOf({})).toEqual({
      code: 'below_min_score',
      detail: expect.stringMatching(/^the score, 0\.35, is 0\.\d\d? below 0\.\d\d?, where similarities stand out$/u),
    });
    const detail = 'the score, 0.35, is 0.15 below 0.5 (minScore)';
    expect(await reasonOf({ minScore: 0.5 })).toEqual({ code: 'below_min_score', detail });
    const enough = 'the score, 0.35, is 0.05 below 0.4 (includeScore)';
    expect(await reasonOf({ includeScore: 0.4 })).toEqual({ code: 'below_min_score', detail: enough });
    const { results } = await search('retry a call', items, { mode: 'semantic', includeScore: 0.35 });
    expect(results.map(({ item }) => item.name)).toEqual(['buttons', 'send_message']);
    const alike: SemanticIndex = {
      match: async (_, asked) => ({
        ok: true,
        matches: asked.map((_, item) => ({ item, chunk: 0, score: 1, first: 1 })),
      }),
    };
    const { rejected } = await createSearch({ semanticIndex: alike }).search('x', items, {
      mode: 'semantic',
      rejected: 1,
    });
    expect(rejected?.[0]?.reason.detail).toBe('no similarity can stand out, because all are alike or too different');
  });

  it('SS-05 selects what reaches an explicit includeScore, and names it to what misses that', async () => {
    const { search } = createSearch();
    const answerTo = (options: { includeScore?: number }) =>
      search('outgoing calls of buttons', items, { ...options, mode: 'keyword', topN: 1, rejected: 1 });
    const usual = await answerTo({});
    expect(usual.results.map(({ item }) => item.name)).toEqual(['retries']);
    expect(usual.rejected?.[0]).toMatchObject({ item: { name: 'buttons' }, score: expect.closeTo(0.74, 2) });
    const lower = await answerTo({ includeScore: 0.7 });
    expect(lower.results.map(({ item }) => item.name)).toEqual(['retries', 'buttons']);
    const higher = await answerTo({ includeScore: 0.75 });
    expect(higher.results).toHaveLength(1);
    const detail = 'the score, 0.74, is 0.01 below 0.75 (includeScore)';
    expect(higher.rejected?.[0]?.reason).toEqual({ code: 'below_min_score', detail });
  });

  it('SS-07 by both, without being told how, when there is a model', async () => {
    const search = createSearch({ semanticIndex: finding });
    expect(await found(search, 'retry a call', items, { minScore: 0.5 })).toEqual({
      results: ['retries hybrid', 'buttons hybrid'],
      semantic: { status: 'ready', engine: 'hybrid' },
    });
  });

  it.each(['semantic', 'hybrid', undefined] as const)(
    'SS-07 in mode %s without a model is by words, degraded, and says why',
    async (mode) => {
      const options = mode === undefined ? {} : { mode };
      const words = await found(createSearch(), 'retry a call', items, { mode: 'keyword' });
      expect(await found(createSearch({ semanticIndex: missing }), 'retry a call', items, options)).toEqual({
        results: words.results,
        semantic: { status: 'degraded', engine: 'keyword', detail: `${without} Only words were compared.` },
      });
      const bare = await found(createSearch(), 'retry a call', items, options);
      expect(bare.results).toEqual(words.results);
      expect(bare.semantic).toMatchObject({ status: 'degraded', engine: 'keyword', detail: expect.any(String) });
    },
  );

  it.each(['semantic', 'hybrid', 'keyword'] as const)(
    'SS-05 in mode %s selects the same whether or not it is asked what is rejected',
    async (mode) => {
      const search = createSearch({ semanticIndex: finding });
      const options = { mode, topN: 1, includeScore: 1, minScore: 0.05 };
      const plain = await search.search('retry a message', items, options);
      const { rejected, ...told } = await search.search('retry a message', items, { ...options, rejected: 5 });
      expect(told).toEqual(plain);
      expect(rejected?.length).toBeGreaterThan(0);
      for (const { item, score, engine, chunk, reason } of rejected ?? []) {
        expect(plain.results.map((each) => each.item)).not.toContain(item);
        expect(chunk.text).toBe(chunkItem(item)[chunk.index]);
        expect({ engine, code: reason.code }).toEqual({ engine: mode, code: 'beyond_top_n' });
        expect(score).toBeLessThanOrEqual(plain.results[0]?.score ?? 0);
      }
      const [first] = (await search.search('retry a message', items, { ...options, rejected: 1 })).rejected ?? [];
      expect(first).toEqual(rejected?.[0]);
    },
  );

  it('SS-07 by words asks no model', async () => {
    const never: SemanticIndex = { match: () => Promise.reject(new Error('asked')) };
    const { semantic } = await createSearch({ semanticIndex: never }).search('retry', items, { mode: 'keyword' });
    expect(semantic).toEqual({ status: 'ready', engine: 'keyword' });
  });

  it('RQ-02 a search that fails in a way nobody thought of rejects nothing', async () => {
    const throwing: SemanticIndex = {
      match() {
        throw new TypeError('unforeseen');
      },
    };
    for (const mode of ['semantic', 'hybrid'] as const) {
      const answer = await found(createSearch({ semanticIndex: throwing }), 'retry a call', items, { mode });
      expect(answer.results).toEqual(['retries keyword']);
      expect(answer.semantic.status).toBe('degraded');
    }
    const broken = [null as unknown as SearchItem];
    expect(await createSearch().search('retry', broken)).toMatchObject({
      results: [],
      semantic: { status: 'unavailable', engine: 'none' },
    });
  });

  it('RQ-02 “nothing matched” and “nothing was searched” differ', async () => {
    const { search } = createSearch();
    expect(await search('pizza', items, { mode: 'keyword' })).toMatchObject({
      results: [],
      semantic: { status: 'ready' },
    });
    expect(await search('', items, { mode: 'keyword' })).toMatchObject({ results: [], semantic: { status: 'ready' } });
  });

  it('SS-07 without items answers as with some', async () => {
    const never: SemanticIndex = { match: () => Promise.reject(new Error('asked')) };
    const answer = await createSearch({ semanticIndex: never }).search('retry', [], { mode: 'keyword' });
    expect(answer).toEqual({ results: [], semantic: { status: 'ready', engine: 'keyword' } });
    expect(await createSearch().search('retry', [])).toMatchObject({ results: [], semantic: { status: 'degraded' } });
  });

  it('SS-07 sees an item anew when its hash is another', async () => {
    const { search } = createSearch();
    const names = async (list: SearchItem[]) =>
      (await search('colours of buttons', list, { mode: 'keyword' })).results.map(({ item }) => item.name);
    expect(await names(items)).toEqual(['buttons']);
    const changed = items.map((item) => (item.name === 'buttons' ? rule('buttons', 'Nothing', 'No more.') : item));
    expect(await names(changed)).toEqual(['buttons']);
    expect(await names(changed.map((item) => (item.name === 'buttons' ? rule('b', 'Nothing') : item)))).toEqual([]);
  });

  it('SS-05 selects by the preset of the engine that served, above it what is said', async () => {
    const { search } = createSearch({ semanticIndex: missing });
    const weak = 'wait for the xylophone of somebody';
    const count = async (options: Parameters<typeof search>[2]) => (await search(weak, items, options)).results.length;
    expect(await count({ minScore: 0 })).toBe(1);
    expect(await count({ minScore: 0.9 })).toBe(0);
    expect(await count({ topN: 0, minScore: 0 })).toBe(0);
  });
});
