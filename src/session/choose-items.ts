/** Chooses the items of a request, with reasons (RQ-01, RQ-02). */

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
  /** The part that is sent, if not the whole item. */
  part?: OfferedPart | undefined;
  /** Why the item was chosen. */
  reason: Reason;
}>;

/**
 * `missing`: items of the session that the agent no longer has (SE-04). `mentioned`: the items that were mentioned,
 * even if they have another reason.
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
  /** Items that are sent whole if search selects them. */
  expand?: Expand | undefined;
  /** The items of the session. They have a `reason` if there is no session. */
  held: readonly (HeldItem & { reason?: Reason })[];
  /** How to search each domain (SS-06). */
  options: DomainOptions;
};

/**
 * Chooses, in this order: all items of the session; mentioned items; `auto` items whose globs match, both in the order
 * of the catalog; `agent` items that search selects, most relevant first; and what all of these import. No item comes
 * twice. A failed search never causes an error.
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

/** FM-07: adds what chosen files import, also indirectly. Files of which only a part is sent import nothing. */
function bringImported(chosen: Map<CatalogItem, ChosenItem>, catalog: Catalog): void {
  const brought = new Map<string, CatalogItem[]>();
  for (const item of catalog.items)
    for (const by of catalog.ruledOut.has(item) ? [] : (item.broughtBy ?? [])) {
      const known = brought.get(by);
      if (known) known.push(item);
      else brought.set(by, [item]);
    }
  if (brought.size === 0) return;
  // The loop also visits items that it adds.
  for (const { item: by, includeMode, part } of chosen.values())
    for (const item of part === undefined ? (brought.get(by.path ?? '') ?? []) : [])
      if (!chosen.has(item)) chosen.set(item, { item, includeMode, reason: { code: 'imported', detail: by.name } });
}

/** The items that the names mean, each with the first name that means it. */
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

/** The relevant items, best first. A failed search is reported, but the request does not fail (RQ-02). */
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
  manual: { code: 'added_to_session', detail: 'added to the session' },
} as const;
const nothingToSearch = { status: 'ready', engine: 'none', detail: 'There are no items to search.' } as const;
