import type { DatabaseSync } from 'node:sqlite';
import { type DamagedRows, rowHash } from '../../ports/store/row-hash.ts';
import type { StoredVector, VectorStore } from '../../ports/store/vector.ts';
import type { Subject } from './subject.ts';

/** Vectors in SQLite, as floats in the byte order of this machine. */
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
          const bytes = row.vector as Uint8Array;
          if (rowHash(identity, key, bytes) === `${row.hash}` && bytes.length % 4 === 0)
            return [{ key, vector: new Float32Array(bytes.slice().buffer) }];
          remove.run(identity, key);
          damaged.note('vectors', key);
          return [];
        }),
      count: (identity) => Number(count.get(identity)?.count),
    },
    writes: {
      add(vectors, { identity, usedAt }) {
        for (const { key, vector } of vectors) {
          const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
          add.run(identity, key, Math.floor(usedAt), rowHash(identity, key, bytes), bytes);
        }
      },
      touch(keys, { identity, usedAt }) {
        for (const key of keys) touch.run(Math.floor(usedAt), identity, key, usedAt - 86_400_000);
      },
      collect({ max, usedBefore }) {
        forget.run(usedBefore);
        collect.run(Math.max(0, Number(countAll.get()?.count) - max));
      },
    },
  };
}
