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
  /** Puts `after` in the place of `before`. Resolves to false, and does nothing, when `before` is not what is stored. */
  update(before: StoredApproval, after: StoredApproval): Promise<boolean>;
  /** Resolves to false when this is not what is approved; with `approvedAt`, when it was approved at another time. */
  remove(approval: Pick<StoredApproval, 'id' | 'fingerprint'> & { approvedAt?: string | undefined }): Promise<boolean>;
}
