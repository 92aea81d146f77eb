/** Which items a request has, and why (RQ-01, RQ-02). */

import type { Catalog } from '../agent/catalog.ts';
import type { CatalogItem } from '../agent/catalog-item.ts';
import type { ItemInclude } from '../agent/item.ts';
import { type DomainOptions, searchDomains } from '../agent/item-search.ts';
import type { Expand, OfferedPart } from '../context/offered-part.ts';
import type { SemanticStatus } from '../context/resolve-result.ts';
import type { Search } from '../search/search.ts';
import type { Reason, Warning } from '../warnings.ts';
import type { HeldItem } from './session.ts';

export type ChosenItem = Readonly<{
  item: CatalogItem;
  includeMode: ItemInclude;
  similarityScore?: number;
  /** What goes along of it, if not all. */
  part?: OfferedPart | undefined;
  /** What brought it in. */
  reason: Reason;
}>;

/**
 * `missing` are items of the session that the agent no longer has (SE-04); `mentioned` tells which items are, whatever
 * brought them in.
 */
type Choice = {
  chosen: ChosenItem[];
  missing: HeldItem[];
  mentioned: Pick<ReadonlySet<CatalogItem>, 'has'>;
  semantic: SemanticStatus;
  warnings: Warning[];
};

type Question = {
  message: string;
  mentions: readonly string[];
  /** Of which items all goes along when search selects them. */
  expand?: Expand | undefined;
  /** With a `reason` where no session holds them. */
  held: readonly (HeldItem & { reason?: Reason })[];
  /** How to search each domain (SS-06). */
  options: DomainOptions;
};

/**
 * All items of the session in their order, then those mentioned, then `auto` items whose globs match, both in the order
 * of the catalog, then the `agent` items that search selects, the most relevant first, then what all of these import. None
 * comes twice. Never fails because of search.
 */
export async function chooseItems(question: Question, catalog: Catalog, search: Search['search']): Promise<Choice> {
  const chosen = new Map<CatalogItem, ChosenItem>();
  const choose = (item: CatalogItem, includeMode: ItemInclude, reason: Reason): void => {
    if (!chosen.has(item)) chosen.set(item, { item, includeMode, reason });
  };
  const missing: HeldItem[] = [];
  for (const held of question.held) {
    const item = catalog.find(held);
    if (item === undefined) missing.push(held);
    else choose(item, held.includeMode, held.reason ?? sessionReasons[held.includeMode]);
  }
  const { named: mentioned, warnings } = findNamed(question.mentions, catalog, '/mentions');
  const expanded = expandedItems(question.expand, catalog);
  const candidates: CatalogItem[] = [];
  for (const item of catalog.items) {
    const mention = mentioned.get(item);
    if (mention !== undefined) choose(item, 'manual', { code: 'mentioned', detail: mention });
    const isOut = catalog.ruledOut.has(item) || catalog.notFor.has(item);
    if (item.include === 'agent' && !chosen.has(item) && !isOut) candidates.push(item);
  }
  for (const item of catalog.items) {
    const matched = catalog.matched.get(item);
    if (matched !== undefined) choose(item, 'auto', matched);
  }
  const found = await searchItems(question, candidates, { search, isWhole: expanded.isWhole });
  for (const each of found.chosen) chosen.set(each.item, each);
  bringImported(chosen, catalog);
  return {
    chosen: [...chosen.values()],
    missing,
    mentioned,
    semantic: found.semantic,
    warnings: [...warnings, ...expanded.warnings],
  };
}

/** FM-07: what a chosen file imports comes with it, and what that imports, but not where only a part of it goes along. */
function bringImported(chosen: Map<CatalogItem, ChosenItem>, catalog: Catalog): void {
  const brought = new Map<string, CatalogItem[]>();
  for (const item of catalog.items)
    for (const by of catalog.ruledOut.has(item) ? [] : (item.broughtBy ?? [])) {
      const known = brought.get(by);
      if (known) known.push(item);
      else brought.set(by, [item]);
    }
  if (brought.size === 0) return;
  // What is added is met later in the same loop.
  for (const { item: by, includeMode, part } of chosen.values())
    for (const item of part === undefined ? (brought.get(by.path ?? '') ?? []) : [])
      if (!chosen.has(item)) chosen.set(item, { item, includeMode, reason: { code: 'imported', detail: by.name } });
}

/** The items that have one of the names, with the first of these. */
function findNamed(
  names: readonly string[],
  catalog: Catalog,
  pointer: string,
): { named: Map<CatalogItem, string>; warnings: Warning[] } {
  const named = new Map<CatalogItem, string>();
  const warnings: Warning[] = [];
  for (const [index, name] of names.entries()) {
    const known = catalog.mentioned(name);
    const short = known.length > 0 || catalog.isLeftOut(name) ? [] : catalog.shortNames.fitting(name);
    const meant = short.length === 1 ? short : known.filter((item) => !catalog.ruledOut.has(item));
    for (const item of meant) named.set(item, named.get(item) ?? name);
    if (meant.length > 0) continue;
    const message = `No item is called "${name}".${catalog.shortNames.hint(name, warnings.length)}`;
    warnings.push({ code: 'mention_not_found', message, pointer: `${pointer}/${index}` });
  }
  return { named, warnings };
}

function expandedItems(expand: Expand = [], catalog: Catalog) {
  if (expand === 'all') return { isWhole: () => true, warnings: [] };
  const { named, warnings } = findNamed(expand, catalog, '/expand');
  return { isWhole: (item: CatalogItem) => named.has(item), warnings };
}

/** The relevant ones, best first. A search that fails is said, and is no failure of the request (RQ-02). */
async function searchItems(
  { message, options }: Question,
  items: readonly CatalogItem[],
  { search, isWhole }: { search: Search['search']; isWhole: (item: CatalogItem) => boolean },
): Promise<Pick<Choice, 'chosen' | 'semantic'>> {
  if (items.length === 0) return { chosen: [], semantic: nothingToSearch };
  try {
    const { found, semantic } = await searchDomains({ query: message, items, options, isWhole }, search);
    const chosen = found.map(({ item, result }): ChosenItem => {
      const detail = `${result.score.toFixed(2)} by ${result.engine}`;
      const reason: Reason = { code: 'semantic_match', detail };
      return { item, includeMode: 'agent', similarityScore: result.score, part: result.part, reason };
    });
    return { chosen, semantic };
  } catch {
    return { chosen: [], semantic: { status: 'unavailable', engine: 'none', detail: 'The search failed.' } };
  }
}

const sessionReasons = {
  always: { code: 'trigger_always', detail: 'in the session since it began' },
  manual: { code: 'added_to_session', detail: 'added to the session by a person' },
} as const;
const nothingToSearch = { status: 'ready', engine: 'none', detail: 'No item waits to be searched.' } as const;
