import type { DatabaseSync } from 'node:sqlite';
import type { StoredVector, VectorStore } from '../../ports/store/vector.ts';
import { inTransaction, refusing } from './database.ts';
import { type DamagedRows, rowHash } from './row-hash.ts';

/** Vectors in SQLite, as floats in the order of bytes of this machine. */
export function createSqliteVectors(database: DatabaseSync, damaged: DamagedRows): VectorStore {
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
    get: (identity, keys) =>
      refusing(() =>
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
      ),
    add: (identity, vectors, usedAt) =>
      inTransaction(database, () => {
        for (const { key, vector } of vectors) {
          const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
          add.run(identity, key, Math.floor(usedAt), rowHash(identity, key, bytes), bytes);
        }
      }),
    touch: (identity, keys, usedAt) =>
      inTransaction(database, () => {
        for (const key of keys) touch.run(Math.floor(usedAt), identity, key, usedAt - 86_400_000);
      }),
    collect: ({ most, usedBefore }) =>
      inTransaction(database, () => {
        forget.run(usedBefore);
        collect.run(Math.max(0, Number(countAll.get()?.count) - most));
      }),
    count: (identity) => refusing(() => Number(count.get(identity)?.count)),
  };
}
