/** What is kept of agents (AG-05). Each write is durable when it returns. */

/**
 * `document` and `summary` are JSON: of an agent all there is, and what a list shows of it. `version` is the SHA-256 of
 * the document in hexadecimal; times are ISO 8601 UTC.
 */
export type StoredAgent = {
  id: string;
  summary: string;
  document: string;
  version: string;
  createdAt: string;
  updatedAt: string;
};

export interface AgentStore {
  /** Ordered by id. */
  list(): Omit<StoredAgent, 'document'>[];
  get(id: string): StoredAgent | undefined;
  /** Adds or replaces; returns the version. */
  put(agent: Omit<StoredAgent, 'version'>): string;
  /** Returns false when it was not there. */
  remove(id: string): boolean;
}
