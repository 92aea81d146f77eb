import type { DamagedRows } from '../../ports/store/row-hash.ts';
import type { StoredVector, VectorStore } from '../../ports/store/vector.ts';
import { readVector, touchedEachMs, vectorValues } from '../../ports/store/vector-rows.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Subject } from './subject.ts';

/** Vectors in PostgreSQL. */
export function createPostgresVectors(
  schema: string,
  damaged: DamagedRows,
): Subject<Pick<VectorStore, 'get' | 'count'>, VectorStore> {
  const table = `${schema}.vectors`;
  return {
    // A search has its own time limit for vectors.
    isBoundedElsewhere: true,
    reads: {
      async get({ run }, identity, keys) {
        if (keys.length === 0) return [];
        const { rows } = await run(
          `SELECT key, vector, hash FROM ${table} WHERE tenant = $1 AND identity = $2 AND key = ANY($3::text[])`,
          ...[identity, keys],
        );
        const found = new Map<string, StoredVector>();
        const broken: string[] = [];
        for (const row of rows) {
          const key = `${row.key}`;
          const read = readVector(identity, key, row);
          if (read === undefined) broken.push(key);
          else found.set(key, read);
        }
        for (const key of broken) damaged.note('vectors', key);
        if (broken.length > 0)
          await run(
            `DELETE FROM ${table} WHERE tenant = $1 AND identity = $2 AND key = ANY($3::text[])`,
            ...[identity, broken],
          );
        return keys.flatMap((key) => found.get(key) ?? []);
      },
      async count({ run }, identity) {
        const { rows } = await run(
          `SELECT count(*) AS count FROM ${table} WHERE tenant = $1 AND identity = $2`,
          identity,
        );
        return Number(rows[0]?.count);
      },
    },
    writes: {
      async add(job, vectors, { identity, usedAt }) {
        // Of several vectors with one key, the last counts. All daemons add in the same order, so that they do not wait
        // for each other in a circle.
        const byKey = new Map(vectors.map((each) => [each.key, vectorValues(identity, each)]));
        const rows = [...byKey].sort(([a], [b]) => compareText(a, b));
        const values = rows.map(([, each]) => each);
        await job.run(
          `INSERT INTO ${table} (tenant, identity, key, vector, hash, used_at)
           SELECT $1, $2, key, vector, hash, $3 FROM unnest($4::text[], $5::bytea[], $6::text[]) AS given (key, vector, hash)
           ON CONFLICT (tenant, identity, key) DO UPDATE SET vector = excluded.vector, hash = excluded.hash,
             used_at = excluded.used_at`,
          ...[identity, Math.floor(usedAt), rows.map(([key]) => key)],
          ...[values.map(({ bytes }) => bytes), values.map(({ hash }) => hash)],
        );
      },
      async touch(job, keys, { identity, usedAt }) {
        await job.run(
          `UPDATE ${table} SET used_at = $3 WHERE tenant = $1 AND (identity, key) IN (SELECT identity, key FROM ${table}
             WHERE tenant = $1 AND identity = $2 AND key = ANY($4::text[]) AND used_at < $5
             ORDER BY key FOR UPDATE SKIP LOCKED)`,
          ...[identity, Math.floor(usedAt), keys, Math.ceil(usedAt - touchedEachMs)],
        );
      },
      async collect(job, { max, usedBefore }) {
        job.send(`DELETE FROM ${table} WHERE tenant = $1 AND used_at < $2`, Math.ceil(usedBefore));
        await job.run(
          `DELETE FROM ${table} WHERE tenant = $1 AND (identity, key) IN (SELECT identity, key FROM ${table}
             WHERE tenant = $1 ORDER BY used_at, identity, key
             LIMIT greatest(0, (SELECT count(*) FROM ${table} WHERE tenant = $1) - $2))`,
          max,
        );
      },
    },
  };
}
