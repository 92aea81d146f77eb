/** Stored approvals of MCP servers (S-18, S-31). A write is durable when it resolves. */

/**
 * An approval of one definition of a server. `id`: of the server. `definition`: JSON of what was approved, without
 * secrets. `tools`: JSON of its tools at that time, absent until they are known. `approvedAt`: ISO 8601 UTC.
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
  /** Replaces `before` by `after`. Resolves to false and does nothing if `before` is not what is stored. */
  update(before: StoredApproval, after: StoredApproval): Promise<boolean>;
  /** Resolves to false if this is not what is approved, or if it was approved at another time than `approvedAt`. */
  remove(approval: Pick<StoredApproval, 'id' | 'fingerprint'> & { approvedAt?: string | undefined }): Promise<boolean>;
}
