/** Rows of sessions, changes and requests, the same in all stores. */
import { rowHash, type StoredValue } from './row-hash.ts';
import { columnsOf, type RowKind, withHash } from './row-reader.ts';
import type { StoredChange, StoredRequest, StoredSession } from './session.ts';

export const sessionKind: RowKind<StoredSession> = {
  table: 'sessions',
  subject: 'sessions',
  key: ({ id }) => String(id),
  read([id, agentId, parentSessionId, createdAt, lastSyncId, messages, state, ownerId, bytes]) {
    const read = { id, agentId, parentSessionId, createdAt, lastSyncId, messages, ownerId, bytes };
    return { ...read, state: JSON.parse(String(state)) } as StoredSession;
  },
};
export const changeKind: RowKind<StoredChange> = {
  table: 'session_changes',
  subject: 'session messages and changes',
  key: ({ session_id, sync_id }) => `${session_id}:${sync_id}`,
  read: ([, syncId, type, at, data]) => ({ syncId, type, at, data: JSON.parse(String(data)) }) as StoredChange,
};
export const requestKind: RowKind<StoredRequest> = {
  table: 'session_requests',
  subject: 'session requests',
  key: ({ id }) => String(id),
  read: ([id, sessionId, agentId, syncId, replySyncId, createdAt, data]) =>
    ({ id, sessionId, agentId, syncId, replySyncId, createdAt, data: JSON.parse(String(data)) }) as StoredRequest,
};

/** The columns to select for a page, in which `position` is the place of a row. */
export const sessionColumns = `position, ${columnsOf('sessions')}`;
export const changeColumns = `sync_id AS position, ${columnsOf('session_changes')}`;
export const requestColumns = `position, ${columnsOf('session_requests')}`;

/** Bytes of a row in addition to its JSON: ids, hash, index entries. */
export const rowBytes = 256;

export function sizeOf(json: string): number {
  return rowBytes + Buffer.byteLength(json);
}

/** The values of the columns of a session. */
export function sessionValues(session: StoredSession): StoredValue[] {
  const { id, agentId, parentSessionId, createdAt, lastSyncId, messages, ownerId, bytes } = session;
  const { state, hash } = sealed(session);
  return [id, agentId, parentSessionId, createdAt, lastSyncId, messages, state, ownerId, bytes, hash];
}

/** The values of the columns that change: `last_sync_id`, `messages`, `state`, `bytes` and `hash`. */
export function updatedSessionValues(session: StoredSession): StoredValue[] {
  const { state, hash } = sealed(session);
  return [session.lastSyncId, session.messages, state, session.bytes, hash];
}

/** The state as text, and the hash of the row. */
function sealed(session: StoredSession): { state: string; hash: string } {
  const { id, agentId, parentSessionId, createdAt, lastSyncId, messages, ownerId, bytes } = session;
  const state = JSON.stringify(session.state);
  const values = [id, agentId, parentSessionId, createdAt, lastSyncId, messages, state];
  return { state, hash: ownerId === null ? rowHash(...values) : rowHash(...values, ownerId, bytes) };
}

/** The values of the columns of a change. */
export function changeValues(sessionId: string, { syncId, type, at, data }: StoredChange): StoredValue[] {
  return withHash(sessionId, syncId, type, at, JSON.stringify(data));
}

/** The values of the columns of a request. */
export function requestValues(request: StoredRequest): StoredValue[] {
  const { id, sessionId, agentId, syncId, replySyncId, createdAt, data } = request;
  return withHash(id, sessionId, agentId, syncId, replySyncId, createdAt, JSON.stringify(data));
}
