/** Rows of sessions, changes and requests in a database. Each has a hash of its content (S-72). */
import { ContextdError } from '../../errors.ts';
import { type DamagedRows, rowHash, type StoredValue } from './row-hash.ts';
import type { Row } from './rows.ts';
import type { Page, PageBounds, StoredChange, StoredRequest, StoredSession } from './session.ts';

/** How rows of a subject are read: the columns that the hash covers. If a row has an owner, it also covers `owned`. */
type RowKind<Entry> = {
  subject: string;
  key(row: Row): string;
  columns: readonly string[];
  owned?: readonly string[];
  read(row: Row): Entry;
};

export const sessionKind: RowKind<StoredSession> = {
  subject: 'sessions',
  key: ({ id }) => String(id),
  columns: ['id', 'agentId', 'parentSessionId', 'createdAt', 'lastSyncId', 'messages', 'state'],
  owned: ['ownerId', 'bytes'],
  read(row) {
    const { id, agentId, parentSessionId, createdAt, lastSyncId, messages, state, ownerId, bytes } = row;
    const read = { id, agentId, parentSessionId, createdAt, lastSyncId, messages, ownerId, bytes };
    return { ...read, state: JSON.parse(String(state)) } as StoredSession;
  },
};
export const changeKind: RowKind<StoredChange> = {
  subject: 'session messages and changes',
  key: ({ sessionId, syncId }) => `${sessionId}:${syncId}`,
  columns: ['sessionId', 'syncId', 'type', 'at', 'data'],
  read: ({ syncId, type, at, data }) => ({ syncId, type, at, data: JSON.parse(String(data)) }) as StoredChange,
};
export const requestKind: RowKind<StoredRequest> = {
  subject: 'session requests',
  key: ({ id }) => String(id),
  columns: ['id', 'sessionId', 'agentId', 'syncId', 'replySyncId', 'createdAt', 'data'],
  read: ({ id, sessionId, agentId, syncId, replySyncId, createdAt, data }) => {
    const read = { id, sessionId, agentId, syncId, replySyncId, createdAt, data: JSON.parse(String(data)) };
    return read as StoredRequest;
  },
};

export const sessionColumns = `position, id, agent_id AS "agentId", parent_session_id AS "parentSessionId", created_at AS "createdAt",
  last_sync_id AS "lastSyncId", messages, state, owner_id AS "ownerId", bytes, hash`;
export const changeColumns =
  'sync_id AS position, session_id AS "sessionId", sync_id AS "syncId", type, at, data, hash';
export const requestColumns = `position, id, session_id AS "sessionId", agent_id AS "agentId", sync_id AS "syncId",
  reply_sync_id AS "replySyncId", created_at AS "createdAt", data, hash`;
/** Reads rows of any kind, and records damaged ones. */
export function createRowReader(damaged: DamagedRows) {
  const isIntact = <Entry>(row: Row, { columns, owned = [], subject, key }: RowKind<Entry>): boolean => {
    const hashed = (row.ownerId ?? null) === null ? columns : [...columns, ...owned];
    if (rowHash(...hashed.map((column) => row[column] ?? null)) === row.hash) return true;
    damaged.note(subject, key(row));
    return false;
  };
  const readOne = <Entry>(row: Row | undefined, kind: RowKind<Entry>): Entry | undefined => {
    if (row === undefined) return undefined;
    if (!isIntact(row, kind)) throw damage();
    return kind.read(row);
  };
  /** Never reads more rows than asked for. */
  const readPage = <Entry>(rows: Iterable<Row>, bounds: PageBounds, kind: RowKind<Entry>): Page<Entry> => {
    const page: Page<Entry> = { entries: [], damaged: 0 };
    let bytesLeft = bounds.maxBytes;
    let last = 0;
    for (const row of rows) {
      const seen = page.entries.length + page.damaged;
      bytesLeft -= String(row.data ?? row.state).length;
      if (seen >= bounds.limit || (seen > 0 && bytesLeft < 0)) return { ...page, next: last };
      last = Number(row.position);
      if (isIntact(row, kind)) page.entries.push(kind.read(row));
      else page.damaged += 1;
    }
    return page;
  };
  return { readOne, readPage };
}

export function damage(): ContextdError {
  return new ContextdError(
    'unavailable',
    'What is stored of this is damaged, and is not served. The disk may be failing.',
  );
}

/** Bytes of a row in addition to its JSON: ids, hash, index entries. */
export const rowBytes = 256;

export function sizeOf(json: string): number {
  return rowBytes + Buffer.byteLength(json);
}

const hashed = (values: readonly StoredValue[]): StoredValue[] => [...values, rowHash(...values)];

/** The columns of a session, in the order of `sessionKind`, then owner, bytes and hash. */
export function sessionValues(session: StoredSession): StoredValue[] {
  const { id, agentId, parentSessionId, createdAt, lastSyncId, messages, ownerId, bytes } = session;
  const { state, hash } = sealed(session);
  return [id, agentId, parentSessionId, createdAt, lastSyncId, messages, state, ownerId, bytes, hash];
}

/** The updated columns of a session: `last_sync_id`, `messages`, `state`, `bytes` and `hash`. */
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

/** The columns of a change in the order of `changeKind`, and the hash. */
export function changeValues(sessionId: string, { syncId, type, at, data }: StoredChange): StoredValue[] {
  return hashed([sessionId, syncId, type, at, JSON.stringify(data)]);
}

/** The columns of a request in the order of `requestKind`, and the hash. */
export function requestValues(request: StoredRequest): StoredValue[] {
  const { id, sessionId, agentId, syncId, replySyncId, createdAt, data } = request;
  return hashed([id, sessionId, agentId, syncId, replySyncId, createdAt, JSON.stringify(data)]);
}
