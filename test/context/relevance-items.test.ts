import { describe, expect, it } from 'vitest';
import type { NormalizedRequest } from '../../src/context/normalize-request.ts';
import type { ReadableFile } from '../../src/context/readable.ts';
import { findRelevant, type RelevanceItem } from '../../src/context/relevance.ts';

/** The items that are searched for an `agent` file that is called `name` in this answer. */
async function itemsOf(parsed: object, name: string): Promise<readonly RelevanceItem[]> {
  const path = '/work/app/.context/style.md';
  const candidate = { path, source: 'context-directory', name, directory: { path: '/work/app/.context' } };
  const file = {
    candidate,
    snapshot: { path, sha256: 'a', truncated: false },
    parsed,
    name,
  } as unknown as ReadableFile;
  let asked: readonly RelevanceItem[] = [];
  await findRelevant([file], { query: 'style' } as NormalizedRequest, {
    mentioned: new Set(),
    expanded: new Set(),
    rankRelevant: async (_query, items) => {
      asked = items;
      return { found: new Map(), semantic: { status: 'ready', engine: 'keyword' } };
    },
  });
  return asked;
}

describe('what search sees of a file', () => {
  it('SS-04 is the same object each time, also where two mounted directories give the file two names', async () => {
    const parsed = { source: { trigger: 'agent', description: 'How we write', body: 'Text.' }, warnings: [] };
    const [inner] = await itemsOf(parsed, 'style');
    const [outer] = await itemsOf(parsed, 'app:style');
    expect([inner?.name, outer?.name]).toEqual(['style', 'app:style']);
    expect(inner?.sha256).not.toBe(outer?.sha256);
    expect((await itemsOf(parsed, 'style'))[0]).toBe(inner);
    expect((await itemsOf(parsed, 'app:style'))[0]).toBe(outer);
    expect((await itemsOf({ ...parsed }, 'style'))[0]).not.toBe(inner);
  });
});
