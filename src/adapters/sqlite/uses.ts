/** Counts which items requests used (RQ-06). The counts stay when sessions are deleted. */
import type { DatabaseSync } from 'node:sqlite';
import type { SessionWriter, StoredUse } from '../../ports/store/session.ts';
import type { OnConnection } from './subject.ts';

/** `count` runs inside a transaction of the caller. */
export type SqliteUses = OnConnection<{ count: SessionWriter['countUses']; read: SessionWriter['usage'] }>;

export function createSqliteUses(database: DatabaseSync): SqliteUses {
  const countRequest = database.prepare(
    `INSERT INTO agent_requests (agent_id, requests) VALUES (?, 1)
     ON CONFLICT DO UPDATE SET requests = requests + 1`,
  );
  const countItem = database.prepare(
    `INSERT INTO item_uses
       (agent_id, type, server_name, name, mode, requests, tokens, scores, score_sum, score_min, score_max, last_at)
     VALUES (:agentId, :type, :serverName, :name, :mode, 1, :tokens, :scores, :score, :score, :score, :at)
     ON CONFLICT DO UPDATE SET requests = requests + 1, tokens = tokens + excluded.tokens,
       scores = scores + excluded.scores, score_sum = score_sum + excluded.score_sum,
       score_min = min(score_min, excluded.score_min), score_max = max(score_max, excluded.score_max),
       last_at = excluded.last_at`,
  );
  const readRequests = database.prepare('SELECT requests FROM agent_requests WHERE agent_id = ?');
  const readItems = database.prepare(
    `SELECT type, server_name AS serverName, name, mode, requests, tokens, scores, score_sum AS scoreSum,
       score_min AS scoreMin, score_max AS scoreMax, last_at AS lastAt
     FROM item_uses WHERE agent_id = ?`,
  );
  return {
    count({ agentId, at, uses }) {
      countRequest.run(agentId);
      for (const { score, ...use } of uses)
        countItem.run({ agentId, at, ...use, scores: score === undefined ? 0 : 1, score: score ?? 0 });
    },
    read: (agentId) => ({
      requests: Number(readRequests.get(agentId)?.requests ?? 0),
      uses: readItems.all(agentId).map((row) => ({ ...row }) as unknown as StoredUse),
    }),
  };
}
