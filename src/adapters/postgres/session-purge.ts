/** Deletes the data of deleted sessions in small parts, so that nobody waits for a large session (S-67). */
import { createClearing } from '../../pace/clearing.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Job } from './job.ts';

/** Rows deleted in one transaction. */
const slice = 1_000;

/** For rows of sessions: a deleted session may still have some. */
export function ofLiveSessions(schema: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${schema}.deleted_sessions AS deleted
    WHERE deleted.tenant = $1 AND deleted.id = session_id)`;
}

export type SessionPurge = {
  /** Called inside a write. After its commit, no reader finds the session. */
  remove(job: Job, id: string): Promise<void>;
  /** Starts the deletion of removed sessions' data, also of sessions that another daemon removed and that has ended. */
  start(): void;
};

/** `write`: the writes of the daemon. Each slice is its own write, so other writes come between. */
export function createSessionPurge(schema: string, write: GroupCommit['write']): SessionPurge {
  const start = createClearing(() => write((job) => clearSlice(job, schema)));
  return {
    start,
    async remove(job, id) {
      const { rows } = await job.run(
        `DELETE FROM ${schema}.sessions WHERE tenant = $1 AND id = $2
         RETURNING last_sync_id AS "lastSyncId", owner_id AS "ownerId"`,
        id,
      );
      job.send(`INSERT INTO ${schema}.deleted_sessions (tenant, id) VALUES ($1, $2) ON CONFLICT DO NOTHING`, id);
      job.after.push(start);
      const [row] = rows;
      if (row === undefined) return;
      const [lastSyncId, ownerId] = [Number(row.lastSyncId), row.ownerId === null ? null : `${row.ownerId}`];
      job.changes.push({ type: 'session-changed', sessionId: id, change: 'deleted', lastSyncId, ownerId });
    },
  };
}

/** Returns whether there was something to do. Skips what another daemon is clearing. */
async function clearSlice(job: Job, schema: string): Promise<boolean> {
  const { rows } = await job.run(
    `SELECT id FROM ${schema}.deleted_sessions WHERE tenant = $1 LIMIT 1 FOR UPDATE SKIP LOCKED`,
  );
  const id = rows[0]?.id;
  if (id === undefined) return false;
  for (const table of ['session_changes', 'session_requests']) {
    const { count } = await job.run(
      `DELETE FROM ${schema}.${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${schema}.${table}
         WHERE tenant = $1 AND session_id = $2 LIMIT ${slice})) AND tenant = $1`,
      id,
    );
    if (count > 0) return true;
  }
  const { rows: links } = await job.run(
    `DELETE FROM ${schema}.session_texts WHERE tenant = $1 AND session_id = $2 AND key IN (SELECT key
       FROM ${schema}.session_texts WHERE tenant = $1 AND session_id = $2 ORDER BY key LIMIT ${slice}) RETURNING key`,
    id,
  );
  if (links.length > 0)
    // If another daemon links one of the texts at the same time, this fails and starts again.
    await job.run(
      `DELETE FROM ${schema}.texts WHERE tenant = $1 AND key = ANY($2::text[]) AND NOT EXISTS (SELECT 1
         FROM ${schema}.session_texts AS link WHERE link.tenant = $1 AND link.key = texts.key)`,
      links.map(({ key }) => key),
    );
  else await job.run(`DELETE FROM ${schema}.deleted_sessions WHERE tenant = $1 AND id = $2`, id);
  return true;
}
