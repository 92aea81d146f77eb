/** What is kept of agents (AG-05). */
import type { Transactions } from './transactions.ts';

/**
 * A rule or reference of an agent, apart from the rest, so that one of many can be written alone. `json` is all of it,
 * `bytes` its length in UTF-8; `position` rises along the items of a kind. Kind and name are unique in an agent.
 */
export type StoredItem = Readonly<{
  kind: 'rules' | 'references';
  name: string;
  position: number;
  json: string;
  bytes: number;
}>;

/**
 * `document` and `summary` are JSON: of an agent all there is but `items`, and what a list shows of it. `version` is a
 * SHA-256 over document and items in hexadecimal; times are ISO 8601 UTC.
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

export interface AgentReader {
  /** Ordered by id. */
  list(): Promise<Omit<StoredAgent, 'document' | 'items'>[]>;
  /** Rules come first, then references, both by position. */
  get(id: string): Promise<StoredAgent | undefined>;
  /** What `list` has of it: cheap, however large the agent is. */
  head(id: string): Promise<Omit<StoredAgent, 'document' | 'items'> | undefined>;
}
export interface AgentWriter extends AgentReader {
  /**
   * Adds or replaces; resolves to the version. `before` are the items that are stored: those that are the same object in
   * `items` are not written again. Without it, all are.
   */
  put(agent: Omit<StoredAgent, 'version'>, before?: readonly StoredItem[]): Promise<string>;
  /** Resolves to false when it was not there. */
  remove(id: string): Promise<boolean>;
}
export type AgentStore = AgentWriter & Transactions<AgentWriter>;
