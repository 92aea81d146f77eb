/** Search over the items of an agent or of a mounted directory (SS-05 … SS-07). */
import { z } from 'zod';
import { RequestPath } from '../context/resolve-request.ts';
import { SemanticStatus } from '../context/resolve-result.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { RejectedResult, Search, SearchResult } from '../search/search.ts';
import { definedOptions, SearchMode, SearchOptions } from '../search/search-options.ts';
import { longestQuery } from '../texts/longest-query.ts';
import { Reason, Warning } from '../warnings.ts';
import { AgentId, type AgentSettings } from './agent.ts';
import type { CatalogItem } from './catalog-item.ts';
import { ItemKind } from './item.ts';

export const SearchRequest = z
  .strictObject({
    agentId: AgentId.optional().describe('The agent whose items are searched. Either this or `mountedDirectory`.'),
    mountedDirectory: RequestPath.optional().describe(
      'The directory whose context files are searched: absolute, or starting with `~/`.',
    ),
    workingDirectory: RequestPath.optional().describe(
      'The directory where work happens now: relative to the mounted directory, or absolute inside it. Its context files, and those on the way to it, are searched too. An agent has its own.',
    ),
    query: z.string().min(1).max(longestQuery).describe('The question, in the words of the user.'),
    types: z.array(ItemKind).min(1).max(3).optional().describe('Kinds of items to search. Default: all.'),
    ...SearchOptions.shape,
    rejected: z
      .int()
      .min(0)
      .max(1_000)
      .optional()
      .describe('Max items in `rejected`: items that are not selected, with the reason. Default 0.'),
  })
  .meta({ id: 'SearchRequest', description: 'Asks which items are relevant.' });
export type SearchRequest = z.infer<typeof SearchRequest>;

export const FoundItem = z
  .object({
    type: ItemKind.describe('Kind of the item.'),
    name: z.string().describe('Name of the item.'),
    serverName: z.string().optional().describe('Name of the MCP server that has the tool.'),
    path: z.string().optional().describe('Absolute path of the context file.'),
    score: z.number().min(0).max(1).describe('Relevance. Scores of the same engine can be compared.'),
    engine: SearchMode.describe('Engine that computed the score.'),
    chunk: z
      .object({
        index: z.int().min(0).describe('Number of the part, counted from 0.'),
        text: z.string().describe('Text of the part.'),
      })
      .describe('The part of the item that matches best.'),
  })
  .meta({ id: 'FoundItem', description: 'An item that search found relevant.' });
export type FoundItem = z.infer<typeof FoundItem>;

export const RejectedItem = FoundItem.extend({
  reason: Reason.describe(
    '`below_min_score`: the score is too low. `beyond_top_n`: other items are better, and the score is below `includeScore`. `beyond_top_k`: as many items as `topK` are better.',
  ),
}).meta({ id: 'RejectedItem', description: 'An item that search did not select, and why.' });
export type RejectedItem = z.infer<typeof RejectedItem>;

export const ItemSearchResult = z
  .object({
    results: z.array(FoundItem).describe('The selected items, most relevant first.'),
    rejected: z
      .array(RejectedItem)
      .optional()
      .describe('Items that match but are not selected, most relevant first. Present if the request has `rejected`.'),
    searched: z.int().min(0).describe('Number of items that were searched.'),
    semantic: SemanticStatus,
    warnings: z.array(Warning).describe('Mistakes in the user’s files and limits that were reached.'),
  })
  .meta({ id: 'ItemSearchResult', description: 'The relevant items, and how they were searched.' });
export type ItemSearchResult = z.infer<typeof ItemSearchResult>;

/**
 * Merges the options of several levels, weakest level first (SS-06). A level with a preset drops the numbers of weaker
 * levels, because they were chosen for another preset. The mode stays.
 */
export function mergeSearchOptions(...levels: readonly (SearchOptions | undefined)[]): SearchOptions {
  let merged: SearchOptions = {};
  for (const level of levels) {
    const kept = level?.preset === undefined ? merged : merged.mode === undefined ? {} : { mode: merged.mode };
    merged = { ...kept, ...definedOptions(level ?? {}) };
  }
  return merged;
}

/** Rules and references are one domain of search, and tools are another. Each has its own options (SS-06). */
export type DomainOptions = { search?: SearchOptions | undefined; toolSearch?: SearchOptions | undefined };

/** The options of each domain, the weakest level first. */
export function mergeDomainOptions(...levels: readonly (DomainOptions | AgentSettings | undefined)[]): DomainOptions {
  return {
    search: mergeSearchOptions(...levels.map((level) => level?.search)),
    toolSearch: mergeSearchOptions(...levels.map((level) => level?.toolSearch)),
  };
}

type DomainSearch = {
  query: string;
  items: readonly CatalogItem[];
  options: DomainOptions;
  /** Max items to list of those that are not selected. */
  rejected?: number | undefined;
  /** Which items are sent whole, however long they are. If absent, no parts are chosen. */
  isWhole?: ((item: CatalogItem) => boolean) | undefined;
};
type Found<Result> = { item: CatalogItem; result: Result }[];

/** Returns the same lists for the same items, so that the search index recognizes them. */
const searchedOf = onceForEach((items: readonly CatalogItem[]) => {
  const of = (isTool: boolean) =>
    items.flatMap(({ type, searchItem }) => ((type === 'tool') === isTool ? [searchItem] : []));
  return { rules: of(false), tools: of(true), bySearchItem: new Map(items.map((item) => [item.searchItem, item])) };
}, new WeakMap());

/**
 * Searches each domain that has items, and ranks the results of both together. Never rejects, like `search` (RQ-02).
 */
export async function searchDomains(
  { query, items, options, rejected = 0, isWhole }: DomainSearch,
  search: Search['search'],
): Promise<{ found: Found<SearchResult>; rejected: Found<RejectedResult>; semantic: SemanticStatus }> {
  const { rules, tools, bySearchItem } = searchedOf(items);
  const domains = [
    { items: rules, options: options.search },
    { items: tools, options: options.toolSearch },
  ];
  const asked = domains.filter((domain, index) => domain.items.length > 0 || (index === 0 && items.length === 0));
  const answers = await Promise.all(
    asked.map((domain) =>
      search(query, domain.items, {
        ...domain.options,
        ...(rejected > 0 && { rejected }),
        isWhole: isWhole && ((searched) => isWhole(bySearchItem.get(searched) as CatalogItem)),
      }),
    ),
  );
  const ranked = <Result extends SearchResult>(results: readonly Result[]): Found<Result> =>
    results
      .flatMap((result) => {
        const item = bySearchItem.get(result.item);
        return item === undefined ? [] : [{ item, result }];
      })
      .sort((a, b) => b.result.score - a.result.score);
  return {
    found: ranked(answers.flatMap(({ results }) => results)),
    rejected: ranked(answers.flatMap(({ rejected }) => rejected ?? [])).slice(0, rejected),
    semantic: weakestOf(answers.map(({ semantic }) => semantic)),
  };
}

const rank = { ready: 0, degraded: 1, unavailable: 2 } as const;

/** The weakest status of several searches: it is true for all of them. */
export function weakestOf([first, ...others]: readonly SemanticStatus[]): SemanticStatus {
  const initial = first ?? { status: 'unavailable', engine: 'none' };
  return others.reduce((worst, each) => (rank[each.status] > rank[worst.status] ? each : worst), initial);
}
