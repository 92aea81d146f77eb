/** Deletes the data of deleted sessions in small parts, so that nobody waits for a large session (S-67). */
import type { DatabaseSync } from 'node:sqlite';
import { createClearing } from '../../pace/clearing.ts';

/** Rows deleted in one transaction. */
const slice = 1_000;

/** For rows of sessions: a deleted session may still have some. */
export const ofLiveSessions = 'session_id NOT IN (SELECT id FROM deleted_sessions)';

export type SessionPurge = {
  /** Called inside a transaction. After its commit, no reader finds the session. */
  remove(id: string): void;
  /** Starts the deletion of removed sessions' data, also of sessions that were removed before the process started. */
  start(): void;
};

/** `write` runs work in a transaction. Other writes come between. */
export function createSessionPurge(
  database: DatabaseSync,
  write: <Result>(work: () => Result) => Promise<Result>,
): SessionPurge {
  const removeSession = database.prepare('DELETE FROM sessions WHERE id = ?');
  const remember = database.prepare('INSERT INTO deleted_sessions (id) VALUES (?) ON CONFLICT DO NOTHING');
  const next = database.prepare('SELECT id FROM deleted_sessions LIMIT 1');
  const forget = database.prepare('DELETE FROM deleted_sessions WHERE id = ?');
  const rows = ['session_changes', 'session_requests'].map((table) =>
    database.prepare(
      `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE session_id = ? LIMIT ${slice})`,
    ),
  );
  const keys = database.prepare(`SELECT key FROM session_texts WHERE session_id = ? LIMIT ${slice}`);
  const unlink = database.prepare('DELETE FROM session_texts WHERE session_id = ? AND key = ?');
  const removeText = database.prepare(
    'DELETE FROM texts WHERE key = ? AND NOT EXISTS (SELECT 1 FROM session_texts WHERE session_texts.key = texts.key)',
  );

  /** Returns whether there was something to do. */
  const clearSlice = (): boolean => {
    const id = next.get()?.id;
    if (typeof id !== 'string') return false;
    if (rows.some((statement) => statement.run(id).changes > 0)) return true;
    const links = keys.all(id);
    for (const { key = null } of links) {
      unlink.run(id, key);
      removeText.run(key);
    }
    if (links.length === 0) forget.run(id);
    return true;
  };
  const start = createClearing(async () => database.isOpen && write(clearSlice));
  return {
    remove(id) {
      removeSession.run(id);
      remember.run(id);
      start();
    },
    start,
  };
}
