/** Rows of sessions, changes and requests in a database. Each has a hash of its content (S-72). */
import { ContextdError } from '../../errors.ts';
import { type DamagedRows, rowHash, type StoredValue } from './row-hash.ts';
import { hashedColumns, isIntact, type Row } from './rows.ts';
import type { Page, PageBounds, StoredChange, StoredRequest, StoredSession } from './session.ts';

/** How rows of a table are read. */
type RowKind<Entry> = {
  table: string;
  subject: string;
  key(row: Row): string;
  read(row: Row): Entry;
};

export const sessionKind: RowKind<StoredSession> = {
  table: 'sessions',
  subject: 'sessions',
  key: ({ id }) => String(id),
  read(row) {
    const { id, messages, bytes, agent_id: agentId, parent_session_id: parentSessionId, created_at: createdAt } = row;
    const { last_sync_id: lastSyncId, owner_id: ownerId } = row;
    const read = { id, agentId, parentSessionId, createdAt, lastSyncId, messages, ownerId, bytes };
    return { ...read, state: JSON.parse(String(row.state)) } as StoredSession;
  },
};
export const changeKind: RowKind<StoredChange> = {
  table: 'session_changes',
  subject: 'session messages and changes',
  key: ({ session_id, sync_id }) => `${session_id}:${sync_id}`,
  read: ({ sync_id: syncId, type, at, data }) => ({ syncId, type, at, data: JSON.parse(String(data)) }) as StoredChange,
};
export const requestKind: RowKind<StoredRequest> = {
  table: 'session_requests',
  subject: 'session requests',
  key: ({ id }) => String(id),
  read(row) {
    const { id, session_id: sessionId, agent_id: agentId, sync_id: syncId, created_at: createdAt } = row;
    const read = { id, sessionId, agentId, syncId, replySyncId: row.reply_sync_id, createdAt };
    return { ...read, data: JSON.parse(String(row.data)) } as StoredRequest;
  },
};

/** The columns to select for `createRowReader`. A row's position is its place in the order of a page. */
function columnsOf(table: string, position = 'position'): string {
  return [position, ...hashedColumns(table), 'hash'].join(', ');
}

export const sessionColumns = columnsOf('sessions');
export const changeColumns = columnsOf('session_changes', 'sync_id AS position');
export const requestColumns = columnsOf('session_requests');

/** Reads rows of any kind, and records damaged ones. */
export function createRowReader(damaged: DamagedRows) {
  const isUsable = <Entry>(row: Row, { table, subject, key }: RowKind<Entry>): boolean => {
    if (isIntact(table, row)) return true;
    damaged.note(subject, key(row));
    return false;
  };
  const readOne = <Entry>(row: Row | undefined, kind: RowKind<Entry>): Entry | undefined => {
    if (row === undefined) return undefined;
    if (!isUsable(row, kind)) throw damage();
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
      if (isUsable(row, kind)) page.entries.push(kind.read(row));
      else page.damaged += 1;
    }
    return page;
  };
  return { readOne, readPage };
}

export function damage(): ContextdError {
  return new ContextdError('unavailable', 'The stored data is damaged and cannot be used. The disk may be failing.');
}

/** Bytes of a row in addition to its JSON: ids, hash, index entries. */
export const rowBytes = 256;

export function sizeOf(json: string): number {
  return rowBytes + Buffer.byteLength(json);
}

const hashed = (values: readonly StoredValue[]): StoredValue[] => [...values, rowHash(...values)];

/** The values of the columns that the hash of a session covers, in their order, and the hash. */
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

/** The values of the columns that the hash of a change covers, in their order, and the hash. */
export function changeValues(sessionId: string, { syncId, type, at, data }: StoredChange): StoredValue[] {
  return hashed([sessionId, syncId, type, at, JSON.stringify(data)]);
}

/** The values of the columns that the hash of a request covers, in their order, and the hash. */
export function requestValues(request: StoredRequest): StoredValue[] {
  const { id, sessionId, agentId, syncId, replySyncId, createdAt, data } = request;
  return hashed([id, sessionId, agentId, syncId, replySyncId, createdAt, JSON.stringify(data)]);
}
