/** Sessions and requests in SQLite. One transaction for each group of writes; a hash in each row (S-67, S-68, S-72). */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { ContextdError } from '../../errors.ts';
import {
  keyOfJson,
  type Owned,
  type Page,
  type PageBounds,
  type SessionReader,
  type SessionWriter,
  type StoredChange,
  type StoredRequest,
  type StoredSession,
} from '../../ports/store/session.ts';
import { type DamagedRows, rowHash } from './row-hash.ts';
import { createSessionPurge, type SessionPurge } from './session-purge.ts';
import type { Subject } from './subject.ts';
import { createSqliteUses, type SqliteUses } from './uses.ts';

type Row = Record<string, SQLOutputValue>;

/**
 * How a subject's rows are read: only those whose hash is that of their columns, without the hash. Where they have an
 * owner, it is also over `owned`.
 */
type RowKind<Entry> = {
  subject: string;
  key(row: Row): string;
  columns: readonly string[];
  owned?: readonly string[];
  read(row: Row): Entry;
};

const sessionKind: RowKind<StoredSession> = {
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
const changeKind: RowKind<StoredChange> = {
  subject: 'session messages and changes',
  key: ({ sessionId, syncId }) => `${sessionId}:${syncId}`,
  columns: ['sessionId', 'syncId', 'type', 'at', 'data'],
  read: ({ syncId, type, at, data }) => ({ syncId, type, at, data: JSON.parse(String(data)) }) as StoredChange,
};
const requestKind: RowKind<StoredRequest> = {
  subject: 'session requests',
  key: ({ id }) => String(id),
  columns: ['id', 'sessionId', 'agentId', 'syncId', 'replySyncId', 'createdAt', 'data'],
  read: ({ id, sessionId, agentId, syncId, replySyncId, createdAt, data }) => {
    const read = { id, sessionId, agentId, syncId, replySyncId, createdAt, data: JSON.parse(String(data)) };
    return read as StoredRequest;
  },
};

const sessionColumns = `position, id, agent_id AS agentId, parent_session_id AS parentSessionId, created_at AS createdAt,
  last_sync_id AS lastSyncId, messages, state, owner_id AS ownerId, bytes, hash`;
const changeColumns = 'sync_id AS position, session_id AS sessionId, sync_id AS syncId, type, at, data, hash';
const requestColumns = `position, id, session_id AS sessionId, agent_id AS agentId, sync_id AS syncId,
  reply_sync_id AS replySyncId, created_at AS createdAt, data, hash`;
const changesWhere = `SELECT ${changeColumns} FROM session_changes
  WHERE session_id = :sessionId AND sync_id > :after AND sync_id <= :upTo AND (:only IS NULL OR type = :only)`;
const requestsWhere = `SELECT ${requestColumns} FROM session_requests
  WHERE position > :after AND position < :before AND session_id NOT IN (SELECT id FROM deleted_sessions)`;

/** `write` runs in a transaction what clears up. */
export function createSqliteSessions(
  database: DatabaseSync,
  damaged: DamagedRows,
  write: <Result>(work: () => Result) => Promise<Result>,
): Subject<SessionReader, SessionWriter> {
  const uses = createSqliteUses(database);
  const purge = createSessionPurge(database, write);
  purge.start();
  return { reads: createReads(database, { uses, damaged }), writes: createWrites(database, { uses, purge }) };
}

function createReads(
  database: DatabaseSync,
  { uses, damaged }: { uses: SqliteUses; damaged: DamagedRows },
): Subject<SessionReader>['reads'] {
  const count = database.prepare('SELECT count(*) AS count FROM sessions');
  const session = database.prepare(`SELECT ${sessionColumns} FROM sessions WHERE id = ?`);
  const sessions = database.prepare(
    `SELECT ${sessionColumns} FROM sessions WHERE position < :before AND (:agentId IS NULL OR agent_id = :agentId)
     ORDER BY position DESC`,
  );
  const ownSessions = database.prepare(
    `SELECT ${sessionColumns} FROM sessions WHERE owner_id = :ownerId AND position < :before
     AND (:agentId IS NULL OR agent_id = :agentId) ORDER BY position DESC`,
  );
  const owned = database.prepare(
    'SELECT count(*) AS sessions, coalesce(sum(bytes), 0) AS bytes FROM sessions WHERE owner_id = ?',
  );
  const changesUp = database.prepare(`${changesWhere} ORDER BY sync_id`);
  const changesDown = database.prepare(`${changesWhere} ORDER BY sync_id DESC`);
  const request = database.prepare(`SELECT ${requestColumns} FROM session_requests WHERE session_id = ? AND id = ?`);
  const requestsOfSession = database.prepare(`${requestsWhere} AND session_id = :sessionId ORDER BY position DESC`);
  const requestsOfAgent = database.prepare(`${requestsWhere} AND agent_id = :agentId ORDER BY position`);
  const requestsOfAll = database.prepare(`${requestsWhere} ORDER BY position`);
  const text = database.prepare('SELECT json FROM texts WHERE key = ?');
  const isLinked = database.prepare('SELECT 1 FROM session_texts WHERE key = ? LIMIT 1');

  const { readOne, readPage } = createRowReader(damaged);
  const readText = (key: string): string => {
    const json = text.get(key)?.json;
    if (typeof json === 'string' && keyOfJson(json) === key) return JSON.parse(json) as string;
    // A text that nothing refers to any more went with a session that was deleted.
    if (json !== undefined || isLinked.get(key) !== undefined) damaged.note('session texts', key);
    throw damage();
  };
  return {
    count: () => Number(count.get()?.count),
    session: (id) => readOne(session.get(id), sessionKind),
    sessions({ before = Number.MAX_SAFE_INTEGER, agentId = null, ownerId, ...bounds }) {
      const range = { before, agentId };
      const rows = ownerId === undefined ? sessions.iterate(range) : ownSessions.iterate({ ...range, ownerId });
      return readPage(rows, bounds, sessionKind);
    },
    owned: (ownerId) => ({ ...owned.get(ownerId) }) as Owned,
    changes(sessionId, { after, upTo = Number.MAX_SAFE_INTEGER, only = null, newestFirst = false, ...bounds }) {
      const rows = newestFirst ? changesDown : changesUp;
      return readPage(rows.iterate({ sessionId, after, upTo, only }), bounds, changeKind);
    },
    request: (sessionId, id) => readOne(request.get(sessionId, id), requestKind),
    requests({ sessionId, agentId, after = 0, before = Number.MAX_SAFE_INTEGER, ...bounds }) {
      const range = { after, before };
      if (sessionId !== undefined)
        return readPage(requestsOfSession.iterate({ ...range, sessionId }), bounds, requestKind);
      if (agentId !== undefined) return readPage(requestsOfAgent.iterate({ ...range, agentId }), bounds, requestKind);
      return readPage(requestsOfAll.iterate(range), bounds, requestKind);
    },
    texts: (keys) => new Map(keys.map((key) => [key, readText(key)])),
    usage: uses.read,
  };
}

/** Reads rows of any kind, and notes those that are damaged. */
function createRowReader(damaged: DamagedRows) {
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
  /** Reads no further than asked, whatever there is. */
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

function damage(): ContextdError {
  return new ContextdError(
    'unavailable',
    'What is stored of this is damaged, and is not served. The disk may be failing.',
  );
}

/** What a row takes besides its JSON: ids, its hash, its place in indexes. */
const rowBytes = 256;

function sizeOf(json: string): number {
  return rowBytes + Buffer.byteLength(json);
}

function createWrites(
  database: DatabaseSync,
  { uses, purge }: { uses: SqliteUses; purge: SessionPurge },
): Subject<SessionReader, SessionWriter>['writes'] {
  const insertSession = database.prepare(
    `INSERT INTO sessions (id, agent_id, parent_session_id, created_at, last_sync_id, messages, state, owner_id, bytes, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const updateSession = database.prepare(
    'UPDATE sessions SET last_sync_id = ?, messages = ?, state = ?, bytes = ?, hash = ? WHERE id = ?',
  );
  const insertChange = database.prepare(
    'INSERT INTO session_changes (session_id, sync_id, type, at, data, hash) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const insertRequest = database.prepare(
    `INSERT INTO session_requests (id, session_id, agent_id, sync_id, reply_sync_id, created_at, data, hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const updateRequest = database.prepare('UPDATE session_requests SET reply_sync_id = ?, hash = ? WHERE id = ?');
  const linkText = database.prepare('INSERT INTO session_texts (session_id, key) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const insertText = database.prepare('INSERT INTO texts (key, json) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const hashed = (values: readonly (string | number | null)[]): SQLInputValue[] => [...values, rowHash(...values)];
  const sessionValues = (session: StoredSession) => {
    const { id, agentId, parentSessionId, createdAt, lastSyncId, messages, state, ownerId, bytes } = session;
    const values = [id, agentId, parentSessionId, createdAt, lastSyncId, messages, JSON.stringify(state)];
    const hash = ownerId === null ? rowHash(...values) : rowHash(...values, ownerId, bytes);
    return [...values, ownerId, bytes, hash] as const;
  };
  const requestValues = (request: StoredRequest) => {
    const { id, sessionId, agentId, syncId, replySyncId, createdAt, data } = request;
    return hashed([id, sessionId, agentId, syncId, replySyncId, createdAt, JSON.stringify(data)]);
  };
  return {
    insertSession: (session) => void insertSession.run(...sessionValues(session)),
    updateSession(session) {
      const values = sessionValues(session);
      updateSession.run(...values.slice(4, 7), values[8] ?? null, values[9] ?? null, session.id);
    },
    insertChange(sessionId, { syncId, type, at, data }) {
      const json = JSON.stringify(data);
      insertChange.run(...hashed([sessionId, syncId, type, at, json]));
      return sizeOf(json);
    },
    insertRequest(request, texts) {
      const values = requestValues(request);
      insertRequest.run(...values);
      let bytes = sizeOf(String(values.at(-2)));
      for (const [key, text] of texts) {
        if (linkText.run(request.sessionId, key).changes !== 1) continue;
        const json = JSON.stringify(text);
        bytes += insertText.run(key, json).changes === 1 ? sizeOf(json) : rowBytes;
      }
      return bytes;
    },
    updateRequest(request) {
      updateRequest.run(request.replySyncId, requestValues(request).at(-1) ?? null, request.id);
    },
    countUses: uses.count,
    deleteSession: purge.remove,
  };
}
