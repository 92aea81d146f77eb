/** What is kept of approved MCP servers (S-18, S-31). Each write is durable when it resolves. */

/**
 * An approval of one definition of a server. `id` is the server's; `definition` and `tools` are JSON: what was approved,
 * without secrets, and the tools the server had then, absent until it has told them. `approvedAt` is ISO 8601 UTC.
 */
export type StoredApproval = {
  id: string;
  fingerprint: string;
  definition: string;
  approvedAt: string;
  tools?: string;
};

export interface ApprovalStore {
  /** In no order. */
  list(): Promise<StoredApproval[]>;
  /** Adds or replaces the approval of a server. */
  put(approval: StoredApproval): Promise<void>;
  /** Resolves to false when it was not there. */
  remove(id: string): Promise<boolean>;
}
