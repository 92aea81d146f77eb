import type { DatabaseSync } from 'node:sqlite';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import type { StoredVector, VectorStore } from '../../ports/store/vector.ts';
import { readVector, touchedEachMs, vectorValues } from '../../ports/store/vector-rows.ts';
import type { Subject } from './subject.ts';

/** Vectors in SQLite. */
export function createSqliteVectors(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<VectorStore, 'get' | 'count'>, VectorStore> {
  const get = database.prepare('SELECT vector, hash FROM vectors WHERE identity = ? AND key = ?');
  const add = database.prepare(
    'INSERT OR REPLACE INTO vectors (identity, key, used_at, hash, vector) VALUES (?, ?, ?, ?, ?)',
  );
  const touch = database.prepare('UPDATE vectors SET used_at = ? WHERE identity = ? AND key = ? AND used_at < ?');
  const remove = database.prepare('DELETE FROM vectors WHERE identity = ? AND key = ?');
  const countAll = database.prepare('SELECT count(*) AS count FROM vectors');
  const count = database.prepare('SELECT count(*) AS count FROM vectors WHERE identity = ?');
  const forget = database.prepare('DELETE FROM vectors WHERE used_at < ?');
  const collect = database.prepare(
    'DELETE FROM vectors WHERE rowid IN (SELECT rowid FROM vectors ORDER BY used_at, rowid LIMIT ?)',
  );
  return {
    reads: {
      get: (identity, keys) =>
        keys.flatMap((key): StoredVector[] => {
          const row = get.get(identity, key);
          if (row === undefined) return [];
          const read = readVector(identity, key, row);
          if (read !== undefined) return [read];
          remove.run(identity, key);
          damaged.note('vectors', key);
          return [];
        }),
      count: (identity) => Number(count.get(identity)?.count),
    },
    writes: {
      add(vectors, { identity, usedAt }) {
        for (const each of vectors) {
          const { bytes, hash } = vectorValues(identity, each);
          add.run(identity, each.key, Math.floor(usedAt), hash, bytes);
        }
      },
      touch(keys, { identity, usedAt }) {
        for (const key of keys) touch.run(Math.floor(usedAt), identity, key, usedAt - touchedEachMs);
      },
      collect({ max, usedBefore }) {
        forget.run(usedBefore);
        collect.run(Math.max(0, Number(countAll.get()?.count) - max));
      },
    },
  };
}
