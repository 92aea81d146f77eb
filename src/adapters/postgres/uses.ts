/** Counts which items requests used (RQ-06). The counts stay when sessions are deleted. */
import type { ItemUse, RequestUses, StoredUse } from '../../ports/store/session.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Run } from './connections.ts';

/** The counts of one request. `stripe`: the set of counters. */
export type CountedUses = RequestUses & { stripe: number };

/** The number of sets of counters. With several sets, daemons rarely wait for each other. */
export const stripes = 16;

type Sum = StoredUse & { agentId: string; stripe: number };

/** All daemons write rows in the same order, so that they do not wait for each other in a circle. */
export function writeUses(run: Run, schema: string, counted: readonly CountedUses[]): Promise<unknown>[] {
  const requests = new Map<string, { agentId: string; stripe: number; requests: number }>();
  const sums = new Map<string, Sum>();
  for (const { agentId, stripe, at, uses } of counted) {
    const key = JSON.stringify([agentId, stripe]);
    const sum = requests.get(key) ?? { agentId, stripe, requests: 0 };
    sum.requests += 1;
    requests.set(key, sum);
    for (const use of uses) addUse(sums, { agentId, stripe, at }, use);
  }
  const agents = inOrder(requests);
  const items = inOrder(sums);
  const column = <Entry>(rows: readonly Entry[], name: keyof Entry) => rows.map((row) => row[name]);
  return [
    run(
      `INSERT INTO ${schema}.agent_requests AS present (tenant, agent_id, requests, stripe)
       SELECT $1, * FROM unnest($2::text[], $3::bigint[], $4::smallint[])
       ON CONFLICT (tenant, agent_id, stripe) DO UPDATE SET requests = present.requests + excluded.requests`,
      column(agents, 'agentId'),
      column(agents, 'requests'),
      column(agents, 'stripe'),
    ),
    ...(items.length === 0
      ? []
      : [
          run(
            `INSERT INTO ${schema}.item_uses AS present (tenant, agent_id, stripe, type, server_name, name, mode, requests,
               tokens, scores, score_sum, score_min, score_max, last_at)
             SELECT $1, * FROM unnest($2::text[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::text[],
               $8::bigint[], $9::bigint[], $10::bigint[], $11::float8[], $12::float8[], $13::float8[], $14::text[])
             ON CONFLICT (tenant, agent_id, type, server_name, name, mode, stripe) DO UPDATE SET
               requests = present.requests + excluded.requests, tokens = present.tokens + excluded.tokens,
               scores = present.scores + excluded.scores, score_sum = present.score_sum + excluded.score_sum,
               score_min = least(present.score_min, excluded.score_min),
               score_max = greatest(present.score_max, excluded.score_max), last_at = excluded.last_at`,
            ...columns.map((name) => column(items, name)),
          ),
        ]),
  ];
}

const columns = [
  ...(['agentId', 'stripe', 'type', 'serverName', 'name', 'mode', 'requests', 'tokens'] as const),
  ...(['scores', 'scoreSum', 'scoreMin', 'scoreMax', 'lastAt'] as const),
];

function addUse(
  sums: Map<string, Sum>,
  { agentId, stripe, at }: Pick<CountedUses, 'agentId' | 'stripe' | 'at'>,
  { score, ...use }: ItemUse,
): void {
  const key = JSON.stringify([agentId, use.type, use.serverName, use.name, use.mode, stripe]);
  const value = score ?? 0;
  const counted = score === undefined ? 0 : 1;
  const sum = sums.get(key);
  if (sum === undefined) {
    const scores = { scores: counted, scoreSum: value, scoreMin: value, scoreMax: value };
    sums.set(key, { agentId, stripe, ...use, requests: 1, ...scores, lastAt: at });
    return;
  }
  sum.requests += 1;
  sum.tokens += use.tokens;
  sum.scores += counted;
  sum.scoreSum += value;
  sum.scoreMin = Math.min(sum.scoreMin, value);
  sum.scoreMax = Math.max(sum.scoreMax, value);
  sum.lastAt = at;
}

function inOrder<Entry>(sums: ReadonlyMap<string, Entry>): Entry[] {
  return [...sums].sort(([a], [b]) => compareText(a, b)).map(([, entry]) => entry);
}

export async function readUses(
  run: Run,
  schema: string,
  agentId: string,
): Promise<{ requests: number; uses: StoredUse[] }> {
  const [requests, items] = await Promise.all([
    run(
      `SELECT coalesce(sum(requests), 0)::bigint AS requests FROM ${schema}.agent_requests
       WHERE tenant = $1 AND agent_id = $2`,
      agentId,
    ),
    run(
      `SELECT type, server_name AS "serverName", name, mode, sum(requests)::bigint AS requests, sum(tokens)::bigint AS tokens,
         sum(scores)::bigint AS scores, sum(score_sum) AS "scoreSum", min(score_min) AS "scoreMin",
         max(score_max) AS "scoreMax", max(last_at) AS "lastAt"
       FROM ${schema}.item_uses WHERE tenant = $1 AND agent_id = $2
       GROUP BY type, server_name, name, mode ORDER BY type, server_name, name, mode`,
      agentId,
    ),
  ]);
  return { requests: Number(requests.rows[0]?.requests), uses: items.rows as unknown as StoredUse[] };
}
