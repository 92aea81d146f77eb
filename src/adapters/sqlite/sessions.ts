/** Sessions and requests in SQLite. Each group of writes is one transaction; each row has a hash (S-67, S-68, S-72). */
import type { DatabaseSync } from 'node:sqlite';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { createRowReader, damage } from '../../ports/store/row-reader.ts';
import { keyOfJson, type Owned, type SessionReader, type SessionWriter } from '../../ports/store/session.ts';
import {
  changeColumns,
  changeKind,
  changeValues,
  requestColumns,
  requestKind,
  requestValues,
  rowBytes,
  sessionColumns,
  sessionKind,
  sessionValues,
  sizeOf,
  updatedSessionValues,
} from '../../ports/store/session-rows.ts';
import { createSessionPurge, ofLiveSessions, type SessionPurge } from './session-purge.ts';
import type { Subject } from './subject.ts';
import { createSqliteUses, type SqliteUses } from './uses.ts';

const changesWhere = `SELECT ${changeColumns} FROM session_changes
  WHERE session_id = :sessionId AND sync_id > :after AND sync_id <= :upTo AND (:only IS NULL OR type = :only)`;
const requestsWhere = `SELECT ${requestColumns} FROM session_requests
  WHERE position > :after AND position < :before AND ${ofLiveSessions}`;

/** `write` runs the deletion of old data in a transaction. */
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
    // A missing text without a link belonged to a deleted session. It is not damage.
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
  return {
    insertSession: (session) => void insertSession.run(...sessionValues(session)),
    updateSession: (session) => void updateSession.run(...updatedSessionValues(session), session.id),
    insertChange(sessionId, change) {
      const values = changeValues(sessionId, change);
      insertChange.run(...values);
      return sizeOf(String(values.at(-2)));
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
