/**
 * All items of an agent, or of a mounted directory: context files, inline items, tools (AG-01 … AG-04). Each call
 * composes the files again. If nothing changed, it returns the same object as before (CC-36).
 */

import { joinPath } from '../access/paths.ts';
import type { ContextFile } from '../context/context-file.ts';
import { priorityRange } from '../context/item-values.ts';
import { leavingText } from '../context/leaving-text.ts';
import type { Composition } from '../context/resolve.ts';
import type { OmittedPath } from '../context/resolve-result.ts';
import type { EngineCore } from '../engine-core.ts';
import { once, onceForEach } from '../pace/once-for-each.ts';
import type { ListedTool, ToolListing, ToolServer, ToolSource } from '../ports/ports.ts';
import { expandHome, fixedLimits } from '../settings.ts';
import { compareText } from '../texts/compare-text.ts';
import { createShortNames, type ShortNames, withoutAt } from '../texts/short-names.ts';
import { type Reason, uniqueWarnings, type Warning } from '../warnings.ts';
import type { Agent } from './agent.ts';
import { type CatalogItem, fullName, includeOfTool, inlineItem, toolItem } from './catalog-item.ts';
import {
  type ComposedPlace,
  composePlace,
  type ItemPlace,
  listTools,
  nameFiles,
  type PlaceOptions,
} from './catalog-place.ts';
import { createFileItems } from './file-items.ts';
import { type ContextItemRef, type InlineItem, keyOfItem } from './item.ts';
import { createObjectCache } from './object-cache.ts';

const limits = fixedLimits.agents;

/**
 * `items`: rules and references by priority, then by name; then tools by server, then by name. `matched`: the `auto`
 * items whose globs match a file in play, with the glob and the file. `ruledOut`: files that do not apply to the files
 * in play, because a nearer configuration excludes them. They are part of a request only if the session has them.
 * `notFor`: `agent` items whose globs match no file in play. `servers`: the MCP servers of the tools, also those whose
 * tools are missing.
 */
export type Catalog = Readonly<{
  items: readonly CatalogItem[];
  matched: ReadonlyMap<CatalogItem, Reason>;
  ruledOut: ReadonlySet<CatalogItem>;
  notFor: ReadonlySet<CatalogItem>;
  servers: readonly ToolServer[];
  warnings: readonly Warning[];
  /** What was left out for the files in play. */
  omitted: readonly OmittedPath[];
  find(item: ContextItemRef): CatalogItem | undefined;
  /** The items with this name, relative path or absolute path. */
  mentioned(mention: string): readonly CatalogItem[];
  /** Finds context files by the end of their name, for a mention that is no whole name. */
  shortNames: ShortNames<CatalogItem>;
  /** Whether a mention is the name or the path of a file that is left out. */
  isLeftOut(mention: string): boolean;
}>;

export type Catalogs = {
  /**
   * `files`: the files in play, relative to the mounted directory or absolute inside it. `mentions`: names and paths.
   * Some add files that no other catalog has, such as the other files of a skill. If the directories of an agent cannot
   * be used, the catalog has a warning. For invalid `files`, and for a mounted directory without an agent, throws like
   * `resolve`.
   */
  load(place: ItemPlace, options?: PlaceOptions): Promise<Catalog>;
};

export function createCatalogs(core: EngineCore, toolSource?: ToolSource): Catalogs {
  const fileItem = createFileItems();
  const inlineItems = createInlineItems(core.settings.maskSecrets);
  const toolItems = createToolItems();
  const known = createObjectCache<Catalog>();

  const build = (
    parts: { agent: Agent | undefined; listing: ToolListing } & Omit<ComposedPlace, 'warnings'>,
  ): Catalog => {
    const { agent, base, here, listing } = parts;
    const { items: inline, warnings: said } = agent === undefined ? noInlineItems : inlineItems(agent);
    const { named, warnings } = nameFiles({ base, here }, inline);
    warnings.push(...said);
    const files = named.map(fileItem);
    const { tools, servers } = listing;
    warnings.push(...warningsOfTools(listing));
    const offered = tools.slice(0, limits.tools).map((tool) => toolItems(tool, agent));
    const applies = new Map(here?.result.files.map((file) => [file.path, file]));
    const decided = decideFiles(files, applies);
    const items = unique([...inline, ...files, ...offered]).sort(compareItems);
    const { mountedDirectory, omitted = [] } = here?.result ?? {};
    const composed = [...(base?.result.warnings ?? []), ...(here?.result.warnings ?? [])];
    // A mention can also mean an inline item or a tool.
    const all = uniqueWarnings([...composed.filter(({ code }) => code !== 'mention_not_found'), ...warnings]);
    const place = { mountedDirectory, homeDirectory: core.homeDirectory };
    const index = createIndex(items, { place, compositions: [base, here] });
    // Files of other repositories, and files that do not apply here, have no short names.
    const isOwn = ({ path = '' }: CatalogItem): boolean =>
      (applies.get(path) ?? outside).reason.code !== 'outside_repository';
    const shortNames = createShortNames(files.filter(isOwn), ({ name, relativePath = name }) => [name, relativePath]);
    return Object.freeze({ items, omitted, ...decided, servers, warnings: all, shortNames, ...index });
  };

  const load: Catalogs['load'] = async (place, options = {}) => {
    const agent = 'agent' in place ? place.agent : undefined;
    const [composed, listed] = await Promise.all([composePlace(core, place, options), listTools(place, toolSource)]);
    const { base, here } = composed;
    const { listing } = listed;
    const keys = [agent ?? nothing, base ?? nothing, here ?? nothing, listing];
    const problems = [...composed.warnings, ...listed.warnings];
    const before = problems.length === 0 ? known.get(keys) : undefined;
    if (before) return before;
    const catalog = build({ agent, base, here, listing });
    if (problems.length > 0) {
      // Drops warnings about the directory that the list of servers repeats.
      const isTold = ({ code, path }: Warning) =>
        composed.warnings.some((told) => told.code === code && told.path === path);
      return Object.freeze({
        ...catalog,
        warnings: [...problems, ...catalog.warnings.filter((each) => !isTold(each))],
      });
    }
    known.set(keys, catalog);
    return catalog;
  };

  return {
    async load(place, { mentions = [], ...options } = {}) {
      const catalog = await load(place, options);
      const unknown = mentions.filter((mention) => mention.includes('/') && catalog.mentioned(mention).length === 0);
      return unknown.length === 0 ? catalog : load(place, { ...options, mentions: unknown });
    },
  };
}

const nothing = {};
const outside = { reason: { code: 'outside_repository' } };

/** What the files in play say about the items. `applies`: the files that apply to them, by path. */
function decideFiles(
  items: readonly CatalogItem[],
  applies: ReadonlyMap<string, ContextFile>,
): Pick<Catalog, 'matched' | 'ruledOut' | 'notFor'> {
  const matched = new Map<CatalogItem, Reason>();
  const ruledOut = new Set<CatalogItem>();
  const notFor = new Set<CatalogItem>();
  for (const item of items) {
    const file = applies.get(item.path ?? '');
    if (file === undefined) ruledOut.add(item);
    else if (file.trigger === 'auto' && file.reason.code === 'glob_matched') matched.set(item, file.reason);
    else if (file.trigger === 'agent' && file.reason.code === 'no_glob_matched') notFor.add(item);
  }
  return { matched, ruledOut, notFor };
}

/** Why tools are missing. */
function warningsOfTools({ tools, servers, warnings = [] }: ToolListing): Warning[] {
  const message = `Only ${limits.tools} of ${tools.length} tools are used.`;
  const whys = servers.flatMap(({ missing, withheld }) => [missing, withheld]).filter((why) => why !== undefined);
  return [
    ...warnings,
    ...(tools.length > limits.tools ? [{ code: 'limit_tools' as const, message }] : []),
    ...whys.map(({ code, detail }) => ({ code, message: detail })),
  ];
}

type InlineItems = { items: readonly CatalogItem[]; warnings: readonly Warning[] };
const noInlineItems: InlineItems = { items: [], warnings: [] };

/**
 * The inline items of an agent. An item that an edit does not change stays the same object. Also checks the system
 * prompt for secrets and hidden characters, because it is sent to models too.
 */
function createInlineItems(mask: boolean) {
  const itemsOf = (type: 'rule' | 'reference') =>
    onceForEach((each: InlineItem) => {
      const { text, warnings } = leavingText(each.text, { name: `The ${type} "${each.name}"`, mask });
      return { item: inlineItem(type, { ...each, text }), warnings };
    }, new WeakMap());
  const [ruleOf, referenceOf] = [itemsOf('rule'), itemsOf('reference')];
  return onceForEach(({ rules = [], references = [], systemPrompt = '' }: Agent): InlineItems => {
    const all = [...rules.map(ruleOf), ...references.map(referenceOf)];
    const { warnings } = leavingText(systemPrompt, { name: 'The system prompt', mask });
    return {
      items: all.map(({ item }) => item),
      warnings: [...all.flatMap((each) => each.warnings), ...warnings],
    };
  }, new WeakMap());
}

/** Returns the same object for the same listed tool and include mode. */
function createToolItems() {
  const itemsOf = onceForEach(
    (tool: ListedTool) => onceForEach((include: CatalogItem['include']) => toolItem(tool, include)),
    new WeakMap(),
  );
  return (tool: ListedTool, agent?: Agent): CatalogItem => itemsOf(tool)(includeOfTool(tool, agent));
}

type Place = { mountedDirectory?: string | undefined; homeDirectory: string };

function createIndex(
  items: readonly CatalogItem[],
  { place, compositions }: { place: Place; compositions: readonly (Composition | undefined)[] },
) {
  const byKey = once(() => new Map(items.map((each) => [keyOfItem(each), each])));
  const pathOf = (mention: string): string => {
    const isPath = /^(?:~|\.\.?)\//u.test(mention) && place.mountedDirectory !== undefined;
    return isPath ? joinPath(place.mountedDirectory as string, expandHome(mention, place.homeDirectory)) : mention;
  };
  return {
    find: (item: ContextItemRef) => byKey().get(keyOfItem(item)),
    mentioned(mention: string) {
      const path = pathOf(mention);
      const named = (name: string) =>
        items.filter((item) => {
          const { relativePath, path: own = null } = item;
          return item.name === name || relativePath === name || own === path || fullName(item) === name;
        });
      const found = named(mention);
      return found.length > 0 ? found : named(withoutAt(mention));
    },
    isLeftOut: (mention: string) =>
      compositions.some((each) => each?.isLeftOut(mention) || each?.isLeftOut(pathOf(mention))),
  };
}

/** Removes tools that a server lists again. The first one stays. */
function unique(items: readonly CatalogItem[]): CatalogItem[] {
  const byKey = new Map<string, CatalogItem>();
  for (const item of items) if (!byKey.has(keyOfItem(item))) byKey.set(keyOfItem(item), item);
  return [...byKey.values()];
}

function compareItems(a: CatalogItem, b: CatalogItem): number {
  const isTool = Number(a.type === 'tool') - Number(b.type === 'tool');
  const byPriority = (a.priority ?? priorityRange.default) - (b.priority ?? priorityRange.default);
  return (
    isTool ||
    byPriority ||
    compareText(a.serverName ?? '', b.serverName ?? '') ||
    compareText(a.name, b.name) ||
    compareText(a.type, b.type)
  );
}
