/** Stored agents (AG-05). */
import type { Transactions } from './transactions.ts';

/**
 * A rule or reference of an agent. Each is stored separately, so that one can be written alone. `json`: the whole item;
 * `bytes`: its length in UTF-8; `position`: ascending per kind. Kind and name are unique in an agent.
 */
export type StoredItem = Readonly<{
  kind: 'rules' | 'references';
  name: string;
  position: number;
  json: string;
  bytes: number;
}>;

/**
 * `document` (the agent without `items`) and `summary` (what a list shows) are JSON. `version`: SHA-256 of document and
 * items, hexadecimal. Times are ISO 8601 UTC.
 */
export type StoredAgent = {
  id: string;
  summary: string;
  document: string;
  items: readonly StoredItem[];
  version: string;
  createdAt: string;
  updatedAt: string;
};

/** The part of an agent that a list shows. */
export type AgentHead = Omit<StoredAgent, 'document' | 'items'>;

export interface AgentReader {
  /** Ordered by id. */
  list(): Promise<AgentHead[]>;
  /** First rules, then references, both by position. */
  get(id: string): Promise<StoredAgent | undefined>;
  /** The same as in `list`. Fast even for a large agent. */
  head(id: string): Promise<AgentHead | undefined>;
}
export interface AgentWriter extends AgentReader {
  /**
   * Adds or replaces; resolves to the version. `before`: the stored items. If the same object is in `items`, it is not
   * written again. Without `before`, all items are written.
   */
  put(agent: Omit<StoredAgent, 'version'>, before?: readonly StoredItem[]): Promise<string>;
  /** Resolves to false if it did not exist. */
  remove(id: string): Promise<boolean>;
}
export type AgentStore = AgentWriter & Transactions<AgentWriter>;
