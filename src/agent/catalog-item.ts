/** An item with the texts for models and for search (AG-01 … AG-04). */
import type { ContextFile } from '../context/context-file.ts';
import { priorityRange } from '../context/item-values.ts';
import { hashOfItem, searchedDescription } from '../context/relevance.ts';
import type { ListedTool } from '../ports/ports.ts';
import type { SearchItem } from '../search/search-item.ts';
import { ownValue } from '../texts/own-value.ts';
import type { Agent } from './agent.ts';
import type { AgentItem, InlineItem } from './item.ts';

/** Frozen. It stays the same object while nothing in it changes. */
export type CatalogItem = Readonly<
  AgentItem & {
    /** The text for models; empty for a tool. */
    text: string;
    /** Of a context file: relative to the mounted directory, `~/…` in the global scope. */
    relativePath?: string;
    /** Of a rule file of another tool. */
    format?: ContextFile['format'];
    /** Of a context file: the paths of the files that bring it along by importing it. */
    broughtBy?: readonly string[];
    /** Of a tool: JSON Schema of its arguments. */
    inputSchema?: unknown;
    /** What search reads. If it is the same, so is its `sha256`. */
    searchItem: SearchItem;
  }
>;

/** `instructions`: when to use the item. Search reads them in addition to the description. */
export function createItem(
  parts: Omit<CatalogItem, 'sha256' | 'searchItem'>,
  { instructions }: { instructions?: string | undefined } = {},
): CatalogItem {
  const { type, name, serverName, description, text } = parts;
  const said = { type, name, serverName, description, text };
  const sha256 = hashOfItem(said, parts.inputSchema);
  const searched = { ...said, description: searchedDescription({ description, instructions }) };
  const searchItem = { ...searched, sha256: instructions ? hashOfItem(searched, parts.inputSchema) : sha256 };
  return Object.freeze({ ...parts, sha256, searchItem: Object.freeze(searchItem) });
}

/** A rule or reference that is stored in the agent. */
export function inlineItem(type: 'rule' | 'reference', item: InlineItem): CatalogItem {
  const { name, text, description = '', priority = priorityRange.default, include = 'manual' } = item;
  return createItem({ type, name, include, description, priority, source: 'inline', text });
}

/** The include mode of a tool: its own, else that of its server, else `always` (AG-04). */
export function includeOfTool({ serverName, name }: ListedTool, agent?: Agent): CatalogItem['include'] {
  const server = ownValue(agent?.mcpServers, serverName);
  return ownValue(server?.tools, name)?.include ?? server?.include ?? 'always';
}

export function toolItem(
  { serverName, name, description, inputSchema }: ListedTool,
  include: CatalogItem['include'],
): CatalogItem {
  return createItem({ type: 'tool', name, serverName, include, description, source: 'mcp', text: '', inputSchema });
}

/** The part of an item that lists show. */
export function showItem(item: CatalogItem): AgentItem {
  const { text: _text, relativePath: _relativePath, broughtBy: _broughtBy, inputSchema: _schema, ...listed } = item;
  const { searchItem: _searched, format: _format, ...shown } = listed;
  return shown;
}

/** A name that tells tools of different servers apart: `<server>/<tool>` for a tool. */
export function fullName({ type, name, serverName }: Pick<CatalogItem, 'type' | 'name' | 'serverName'>): string {
  return type === 'tool' ? `${serverName}/${name}` : name;
}

/** The definition of a tool that a model gets. */
export function toolDefinition({ serverName = '', name, description, inputSchema }: CatalogItem) {
  return { serverName, name, description, inputSchema: inputSchema ?? ({} as unknown) };
}

/** The text of an item for the model. For a tool: its definition as JSON. */
export function contentOf(item: CatalogItem): string {
  return item.type === 'tool' ? JSON.stringify(toolDefinition(item)) : item.text;
}
