/** What a search finds of a set of questions, and what it selects without being asked. */
import type { Search } from '../../src/search/search.ts';
import type { SearchItem } from '../../src/search/search-item.ts';
import type { SearchOptions } from '../../src/search/search-options.ts';
import type { Question } from './relevance-set.ts';

/** `top1` and `top5`: part of the questions whose item is first, or among the first five. `mrr`: mean of 1 / rank. */
export type Ranking = { top1: number; top5: number; mrr: number };

/** `found`: part of the questions whose item is selected; `selected`: items of one such question on average. */
export type Selecting = { found: number; selected: number; falseSelections: number };

type Asked = { items: readonly SearchItem[]; questions: readonly Question[]; options?: SearchOptions };

/** Ranks without any cut-off. */
export async function measureRanking(search: Search, { items, questions, options }: Asked): Promise<Ranking> {
  const everything: SearchOptions = { ...options, topK: 1000, topN: 200, minScore: 0 };
  const about = questions.filter(({ expected }) => expected !== undefined);
  const ranks: number[] = [];
  for (const { text, expected } of about) {
    const { results } = await search.search(text, items, everything);
    const at = results.findIndex(({ item, score }) => item.name === expected && score > 0);
    ranks.push(at < 0 ? Number.POSITIVE_INFINITY : at + 1);
  }
  const part = (most: number): number => ranks.filter((rank) => rank <= most).length / ranks.length;
  return { top1: part(1), top5: part(5), mrr: ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length };
}

/** `falseSelections` is the part of the unrelated questions that select anything. */
export async function measureSelecting(search: Search, { items, questions, options }: Asked): Promise<Selecting> {
  let [about, found, selected, unrelated, wrong] = [0, 0, 0, 0, 0];
  for (const { text, expected } of questions) {
    const { results } = await search.search(text, items, options ?? {});
    if (expected === undefined) {
      unrelated += 1;
      if (results.length > 0) wrong += 1;
      continue;
    }
    about += 1;
    selected += results.length;
    if (results.some(({ item }) => item.name === expected)) found += 1;
  }
  return { found: found / about, selected: selected / about, falseSelections: wrong / unrelated };
}
