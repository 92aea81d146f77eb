/**
 * What outlives the process of sessions and requests (SE-03, RQ-04). Values of type `unknown` are JSON that the domain
 * gave. What does not fit its checksum any more is never returned: one entry that was asked for throws `unavailable`,
 * of many it is left out and counted as `damaged`.
 */
import { hash } from 'node:crypto';
import type { OwnerId } from '../caller.ts';
import type { Transactions } from './transactions.ts';

/** Under which a text is kept: SHA-256 of its JSON (which, unlike UTF-8, can hold every string), hexadecimal. */
export function textKey(text: string): string {
  return keyOfJson(JSON.stringify(text));
}

export function keyOfJson(json: string): string {
  return hash('sha256', json);
}

/**
 * `lastSyncId` is the number of its last change; changes are numbered from 1 without gaps. `messages` counts the
 * messages among them. `createdAt` is ISO 8601 UTC. `bytes` is about what is stored of it, state aside; it only rises.
 */
export type StoredSession = {
  id: string;
  agentId: string;
  parentSessionId: string | null;
  createdAt: string;
  lastSyncId: number;
  messages: number;
  state: unknown;
  ownerId: OwnerId;
  bytes: number;
};

export type StoredChange = {
  syncId: number;
  type: 'created' | 'message' | 'item_added' | 'item_removed' | 'settings';
  at: string;
  data: unknown;
};

/** `syncId` is the number of the user's message, `replySyncId` that of the model's once it is there. */
export type StoredRequest = {
  id: string;
  sessionId: string;
  agentId: string;
  syncId: number;
  replySyncId: number | null;
  createdAt: string;
  data: unknown;
};

/** That an item was part of a request. `serverName` is empty for all but tools. */
export type ItemUse = {
  type: string;
  name: string;
  serverName: string;
  mode: string;
  tokens: number;
  score?: number;
};

/** The items of one request of an agent. */
export type RequestUses = { agentId: string; at: string; uses: readonly ItemUse[] };

/** Sums over the requests of an agent that had the item in that mode. `scores` counts those that had a score. */
export type StoredUse = Omit<ItemUse, 'score'> & {
  requests: number;
  scores: number;
  scoreSum: number;
  scoreMin: number;
  scoreMax: number;
  lastAt: string;
};

/** Sessions of one token, and the sum of their `bytes`. */
export type Owned = { sessions: number; bytes: number };

/** As many entries as both allow, but always one. `maxBytes` is about their JSON. */
export type PageBounds = { limit: number; maxBytes: number };

/** Which changes: numbers above `after`, at most `upTo`. */
type ChangeRange = PageBounds & { after: number; upTo?: number; only?: 'message'; newestFirst?: boolean };

/** `next` is the position, or number, of the last row that was looked at, when more follow. */
export type Page<Entry> = { entries: Entry[]; next?: number; damaged: number };

export interface SessionReader {
  count(): Promise<number>;
  session(id: string): Promise<StoredSession | undefined>;
  /** Newest first. `ownerId`: only those that this token made. */
  sessions(page: PageBounds & { before?: number; agentId?: string; ownerId?: string }): Promise<Page<StoredSession>>;
  /** How much there is that a token made. */
  owned(ownerId: string): Promise<Owned>;
  changes(sessionId: string, range: ChangeRange): Promise<Page<StoredChange>>;
  /** Undefined also for a request of another session. */
  request(sessionId: string, id: string): Promise<StoredRequest | undefined>;
  /**
   * Newest first of one session; of an agent, or of all, in the order of their making. Session and agent are not asked
   * for together. `after` and `before` are positions.
   */
  requests(
    page: PageBounds & { sessionId?: string; agentId?: string; after?: number; before?: number },
  ): Promise<Page<StoredRequest>>;
  /** The texts of these keys. Throws `unavailable` when one is damaged or missing. */
  texts(keys: readonly string[]): Promise<Map<string, string>>;
  usage(agentId: string): Promise<{ requests: number; uses: StoredUse[] }>;
}

/** What may be done inside `write`. */
export interface SessionWriter extends SessionReader {
  insertSession(session: StoredSession): Promise<void>;
  /** Stores state, `lastSyncId`, `messages` and `bytes` anew. */
  updateSession(session: StoredSession): Promise<void>;
  /** Resolves to how many bytes that are, about. */
  insertChange(sessionId: string, change: StoredChange): Promise<number>;
  /**
   * `texts`, by their keys, are what the request refers to. What is there already is not stored again. Resolves to how
   * many bytes were stored, about.
   */
  insertRequest(request: StoredRequest, texts: ReadonlyMap<string, string>): Promise<number>;
  /** Stores `replySyncId` anew. */
  updateRequest(request: StoredRequest): Promise<void>;
  /** Counts a request of an agent, and the items it had. */
  countUses(request: RequestUses): Promise<void>;
  /** It is gone at once; its changes, its requests and the texts that no other refers to are cleared away after it. */
  deleteSession(id: string): Promise<void>;
}
export type SessionStore = SessionReader & Transactions<SessionWriter>;
