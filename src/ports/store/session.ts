/**
 * Stored sessions and requests (SE-03, RQ-04). Values of type `unknown` are JSON of the domain. Damaged data is never
 * returned: reading a single entry throws `unavailable`; lists leave it out and count it as `damaged`.
 */
import { hash } from 'node:crypto';
import type { OwnerId } from '../caller.ts';
import type { Transactions } from './transactions.ts';

/** The key of a text: SHA-256 of its JSON (which, unlike UTF-8, can represent every string), hexadecimal. */
export function textKey(text: string): string {
  return keyOfJson(JSON.stringify(text));
}

export function keyOfJson(json: string): string {
  return hash('sha256', json);
}

/**
 * `lastSyncId`: the number of the last change; changes are numbered from 1 without gaps. `messages`: how many of these
 * are messages. `createdAt`: ISO 8601 UTC. `bytes`: the approximate stored size without the state; it never decreases.
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

/** `syncId`: the number of the user's message. `replySyncId`: that of the model's reply, if there is one. */
export type StoredRequest = {
  id: string;
  sessionId: string;
  agentId: string;
  syncId: number;
  replySyncId: number | null;
  createdAt: string;
  data: unknown;
};

/** The use of an item in a request. `serverName` is empty except for tools. */
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

/** Sums over the requests of an agent with the item in that mode. `scores`: how many had a score. */
export type StoredUse = Omit<ItemUse, 'score'> & {
  requests: number;
  scores: number;
  scoreSum: number;
  scoreMin: number;
  scoreMax: number;
  lastAt: string;
};

/** The number of sessions of one token, and the sum of their `bytes`. */
export type Owned = { sessions: number; bytes: number };

/** Both limits hold, but there is always one entry. `maxBytes`: approximate size of their JSON. */
export type PageBounds = { limit: number; maxBytes: number };

/** Changes with numbers above `after` and up to `upTo`. */
type ChangeRange = PageBounds & { after: number; upTo?: number; only?: 'message'; newestFirst?: boolean };

/** `next`: the position, or number, of the last row that was read, if more follow. */
export type Page<Entry> = { entries: Entry[]; next?: number; damaged: number };

export interface SessionReader {
  count(): Promise<number>;
  session(id: string): Promise<StoredSession | undefined>;
  /** Newest first. `ownerId`: only sessions of this token. */
  sessions(page: PageBounds & { before?: number; agentId?: string; ownerId?: string }): Promise<Page<StoredSession>>;
  /** How much a token has stored. */
  owned(ownerId: string): Promise<Owned>;
  changes(sessionId: string, range: ChangeRange): Promise<Page<StoredChange>>;
  /** Also `undefined` for a request of another session. */
  request(sessionId: string, id: string): Promise<StoredRequest | undefined>;
  /**
   * Of a session: newest first. Of an agent, or of all: oldest first. Session and agent cannot be combined. `after` and
   * `before` are positions.
   */
  requests(
    page: PageBounds & { sessionId?: string; agentId?: string; after?: number; before?: number },
  ): Promise<Page<StoredRequest>>;
  /** The texts of these keys. Throws `unavailable` if one is damaged or missing. */
  texts(keys: readonly string[]): Promise<Map<string, string>>;
  usage(agentId: string): Promise<{ requests: number; uses: StoredUse[] }>;
}

/** The verbs inside of `write`. */
export interface SessionWriter extends SessionReader {
  insertSession(session: StoredSession): Promise<void>;
  /** Updates state, `lastSyncId`, `messages` and `bytes`. */
  updateSession(session: StoredSession): Promise<void>;
  /** Resolves to the approximate number of stored bytes. */
  insertChange(sessionId: string, change: StoredChange): Promise<number>;
  /**
   * `texts`: the texts of the request, by their keys. Texts that are stored already are not stored again. Resolves to
   * the approximate number of stored bytes.
   */
  insertRequest(request: StoredRequest, texts: ReadonlyMap<string, string>): Promise<number>;
  /** Updates `replySyncId`. */
  updateRequest(request: StoredRequest): Promise<void>;
  /** Counts a request of an agent, and its items. */
  countUses(request: RequestUses): Promise<void>;
  /** The session is gone at once. Its changes, requests and unused texts are deleted later. */
  deleteSession(id: string): Promise<void>;
}
export type SessionStore = SessionReader & Transactions<SessionWriter>;
