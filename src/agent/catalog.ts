/**
 * All items of an agent, or of a mounted directory: context files, inline items, tools (AG-01 … AG-04). Built from a
 * fresh `resolve` each time; what did not change is the same object as before.
 */
import type { SearchItem } from '../search/search-item.ts';
import type { TokenEncoding } from '../tokens.ts';
import type { Warning } from '../warnings.ts';
import type { AgentItem, ContextItemRef } from './item.ts';

/** An item with what a model and a search see of it. Frozen, and the same object as long as nothing of it changed. */
export type CatalogItem = Readonly<
  Omit<AgentItem, 'source'> & {
    source: 'file' | 'inline' | 'mcp';
    /** What the model sees; empty for a tool. */
    text: string;
    /** Of a context file: relative to the mounted directory, `~/…` in the global scope. */
    relativePath?: string;
    /** Of a tool: JSON Schema of its arguments. */
    inputSchema?: unknown;
    /** What search sees of it; the same `sha256`. */
    searchItem: SearchItem;
  }
>;

/**
 * `items`: rules and references by priority, then by name; then tools by server, then by name. `matched`: the `auto`
 * items whose globs match a file in play. `ruledOut`: items that do not apply to the files in play (a configuration
 * below excludes them); they are part of a request only by being in the session.
 */
export type Catalog = Readonly<{
  items: readonly CatalogItem[];
  matched: ReadonlySet<CatalogItem>;
  ruledOut: ReadonlySet<CatalogItem>;
  warnings: readonly Warning[];
  find(item: ContextItemRef): CatalogItem | undefined;
  /** Items that a user can mean: by name, by relative or by absolute path. */
  mentioned(mention: string): readonly CatalogItem[];
}>;

export type CatalogSource = { agentId: string } | { mountedDirectory: string };

export type CatalogOptions = {
  /** Files in play, relative to the mounted directory or absolute inside it. */
  files?: readonly string[];
};

/** Tokens of each item; `estimated` when counting failed and four bytes were taken for a token. */
export type CountItemTokens = (
  items: readonly CatalogItem[],
  encoding?: TokenEncoding,
) => Promise<{ counts: number[]; estimated: boolean }>;
