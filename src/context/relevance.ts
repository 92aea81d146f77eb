/** Which `agent` files a query makes active (CC-28). The search is a parameter. */
import { hash } from 'node:crypto';
import type { ItemType } from './item-values.ts';
import { typeFromFolder } from './names.ts';
import type { NormalizedRequest } from './normalize-request.ts';
import type { OfferedPart } from './offered-part.ts';
import type { ParsedFile } from './parsed-file.ts';
import type { ReadableFile } from './readable.ts';
import type { ResolveResult, SemanticStatus } from './resolve-result.ts';

/** An `agent` file as search sees it. `sha256` changes if anything else changes. */
export type RelevanceItem = Readonly<{
  type: ItemType;
  name: string;
  description: string;
  text: string;
  sha256: string;
}>;

/**
 * The result of search for an item: its score (0 to 1) and, for a long item, the part to deliver; or why it is not
 * relevant.
 */
export type Found = Readonly<{ score: number; part?: OfferedPart | undefined; rejected?: string | undefined }>;

/**
 * The relevant items, and the best of the others, by `sha256`. `isWhole`: items that are delivered whole, however long
 * they are. Never rejects: `semantic` says if nothing could be searched.
 */
export type RankRelevant = (
  query: string,
  items: readonly RelevanceItem[],
  isWhole: (item: Pick<RelevanceItem, 'sha256'>) => boolean,
) => Promise<{ found: ReadonlyMap<string, Found>; semantic: SemanticStatus }>;

/** The result of `RankRelevant`, by path. */
export type Relevance = { found: ReadonlyMap<string, Found>; semantic: SemanticStatus };

/**
 * Searches the `agent` files that the query may make active and that no mention makes active anyway. Undefined without
 * a query. Files in `expanded` are delivered whole.
 */
export async function findRelevant(
  ordered: readonly ReadableFile[],
  { query }: NormalizedRequest,
  context: {
    mentioned: ReadonlySet<ReadableFile>;
    expanded: ReadonlySet<ReadableFile>;
    rankRelevant: RankRelevant;
  },
): Promise<Relevance | undefined> {
  if (query === undefined) return undefined;
  const items: RelevanceItem[] = [];
  const paths = new Map<string, string>();
  const whole = new Set<string>();
  for (const file of ordered) {
    if (file.parsed.source.trigger !== 'agent' || file.candidate.isForeign) continue;
    if (context.mentioned.has(file)) continue;
    const item = relevanceItem(file);
    items.push(item);
    if (context.expanded.has(file)) whole.add(item.sha256);
    paths.set(item.sha256, file.candidate.path);
  }
  const { found, semantic } = await context.rankRelevant(query, items, ({ sha256 }) => whole.has(sha256));
  return { found: new Map([...found].map(([sha256, said]) => [paths.get(sha256) ?? '', said])), semantic };
}

/**
 * Returns the same object while the file is unchanged, so that cached results for it are found. There is one object for
 * each name of the file, because it has several names under several mounted directories.
 */
const known = new WeakMap<ParsedFile, Map<string, RelevanceItem>>();

function relevanceItem({ candidate, parsed, name }: ReadableFile): RelevanceItem {
  const { source } = parsed;
  const type = source.type ?? typeFromFolder(candidate.path, candidate.directory.path);
  const named = known.get(parsed) ?? new Map<string, RelevanceItem>();
  known.set(parsed, named);
  const before = named.get(`${type} ${name}`);
  if (before !== undefined) return before;
  const said = { type, name, description: searchedDescription(source), text: source.body };
  const item = Object.freeze({ ...said, sha256: hashOfItem(said) });
  named.set(`${type} ${name}`, item);
  return item;
}

/** Description and instructions as one text. */
export function searchedDescription(said: { description: string; instructions?: string | undefined }): string {
  return [said.description, said.instructions].filter((part) => part).join(' ');
}

type Searched = Readonly<{
  type: string;
  serverName?: string | undefined;
  name: string;
  description: string;
  text: string;
}>;

/** Items with the same searched text have the same value, so that their words are counted once. `schema`: of a tool. */
export function hashOfItem({ type, serverName = '', name, description, text }: Searched, schema?: unknown): string {
  const said = [type, serverName, name, description, text, schema ?? null];
  return hash('sha256', JSON.stringify(said));
}

/** Whether a query would make the same files active again, as far as the answer shows. */
export function sameRelevance(before: ResolveResult, after: ResolveResult): boolean {
  const shown = ({ semantic, files }: ResolveResult): string =>
    JSON.stringify([
      semantic,
      files.map(({ path, state, similarityScore, reason }) => [path, state, similarityScore, reason]),
    ]);
  return shown(before) === shown(after);
}
