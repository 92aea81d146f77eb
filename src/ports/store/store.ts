/**
 * All stored state, by subject. A write is durable when it resolves. Every verb rejects with `storage_full` if the disk
 * is full (S-71), and with `unavailable` if the storage cannot be used. Outside of `write`, a verb sees only committed
 * state, and each write is its own transaction.
 */

import type { Warning } from '../../warnings.ts';
import type { AgentStore } from './agent.ts';
import type { ApprovalStore } from './approval.ts';
import type { RemoteListener } from './remote-change.ts';
import type { SessionStore } from './session.ts';
import type { SupplementaryStore } from './supplementary.ts';
import type { Transactions } from './transactions.ts';
import type { VectorStore } from './vector.ts';

/** A root that the user granted permanently. `grantedAt`: ISO 8601 UTC. */
export type StoredRoot = { path: string; grantedAt: string };

export interface RootStore {
  /** Ordered by path. */
  list(): Promise<StoredRoot[]>;
  /** Resolves to false if it existed already. */
  add(root: StoredRoot): Promise<boolean>;
  /** Resolves to false when it was not there. */
  remove(path: string): Promise<boolean>;
}

/** A minted token. `digest`: its SHA-256, hexadecimal. */
export type StoredToken = { id: string; label: string; createdAt: string; digest: string };

export interface TokenVerbs {
  /** In the order in which they were added. */
  list(): Promise<StoredToken[]>;
  add(token: StoredToken): Promise<void>;
  /** Resolves to false when it was not there. */
  remove(id: string): Promise<boolean>;
}
export type TokenStore = TokenVerbs & Transactions<TokenVerbs>;

/**
 * A snapshot of the stored state without vectors, as the text of one file (`export.ts`), in pieces. `createdAt`: ISO
 * 8601 UTC. Also throws `limit_exceeded`, before the first piece, if another export is running.
 */
export type StateExport = (about: { writtenBy: string; createdAt: string }) => AsyncGenerator<string>;

/**
 * How much is stored. `journalBytes`: data that is not yet moved from the journal to the database. `waitingWrites`:
 * writes that wait for the next transaction. `rows` is absent while the storage cannot be read.
 */
export type StoreFigures = {
  databaseBytes: number;
  journalBytes: number;
  waitingWrites: number;
  rows?: { agents: number; sessions: number; approvals: number };
};

/**
 * The state of a store that several daemons share. `since` is ISO 8601 UTC. `detail` says in whole sentences what is
 * wrong. An available store can lack `writes` (it accepts no changes) or `events` (it does not report changes by
 * others).
 */
export type SharedState = {
  kind: 'postgres';
  available: boolean;
  lacks?: 'writes' | 'events';
  since?: string;
  detail?: string;
};

export interface Store {
  readonly roots: RootStore;
  readonly agents: AgentStore;
  readonly sessions: SessionStore;
  readonly vectors: VectorStore;
  readonly supplementary: SupplementaryStore;
  readonly tokens: TokenStore;
  readonly approvals: ApprovalStore;
  readonly export: StateExport;
  /** What is wrong with the storage, for its user (S-72). */
  warnings(): Promise<Warning[]>;
  /** Never rejects. */
  figures(): Promise<StoreFigures>;
  /** For a shared store: whether it can be reached now. Never waits. */
  state?(): SharedState;
  /** For a shared store: all calls in `work` together wait at most as long as one call alone. */
  together?<Result>(work: () => Promise<Result>): Promise<Result>;
  /** The same, but the whole time of `work` counts as waiting. Throws `unavailable` when the time is over. */
  waiting?<Result>(work: () => Promise<Result>): Promise<Result>;
  /** A key that all daemons of the store have. So they compute the same hashes. */
  readonly sharedKey?: Uint8Array;
  /** Reports changes by other daemons, until the returned function is called. Own changes are not reported. */
  follow?(listener: RemoteListener): () => void;
  /** Waits for what was written before; what comes later is refused as `unavailable`. */
  close(): Promise<void>;
}
