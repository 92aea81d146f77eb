/** Ranks imports for when there is not enough space for all: those that fit the query come first (RT-05). */
import { createPause } from '../pace/turns.ts';
import type { FetchedItem } from './assemble.ts';
import { createProbes, type ProbedFile, scoreProbed } from './keyword-probes.ts';

/** An import fits if it has this share of what the query asks for, and of the score of the best import. */
const minScore = 0.2;
const minShareOfBest = 1 / 3;

/**
 * The items in their order, except that imports are sorted: first those that are `meant` in the document, then those
 * that the search `found`, by path, then those with words of the query, then the others.
 */
export async function rankFetched(
  fetched: readonly FetchedItem[],
  { query = '', meant, found }: { query?: string | undefined; meant: ReadonlySet<string>; found: readonly string[] },
): Promise<FetchedItem[]> {
  const imports = fetched.filter(({ origin }) => origin === 'import');
  const scores = await scoreItems(imports, query);
  const least = Math.max(minScore, Math.max(0, ...scores) * minShareOfBest);
  const places = new Map(found.map((path, at) => [path, at]));
  const ranks = imports.map((item, at) => {
    const { path } = item;
    const score = scores[at] as number;
    const isFitting = score > 0 && score >= least;
    const group = meant.has(path) ? 0 : places.has(path) ? 1 : isFitting ? 2 : 3;
    return { item, group, within: group === 1 ? (places.get(path) ?? 0) : group === 2 ? -score : 0 };
  });
  const ranked = ranks.sort((a, b) => a.group - b.group || a.within - b.within).values();
  return fetched.map((item) => (item.origin === 'import' ? (ranked.next().value?.item ?? item) : item));
}

async function scoreItems(items: readonly FetchedItem[], query: string): Promise<number[]> {
  const { probe, terms } = createProbes(query);
  const pause = createPause();
  const probed: ProbedFile[] = [];
  for (const { content, relativePath } of items) {
    probed.push({ text: probe(content), ofName: probe(relativePath) });
    await pause();
  }
  return scoreProbed(probed, terms.length).scores;
}
