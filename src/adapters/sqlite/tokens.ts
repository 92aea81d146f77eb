import type { DatabaseSync } from 'node:sqlite';
import type { StoredToken, TokenStore } from '../../ports/store/store.ts';
import { refusing } from './database.ts';
import { type DamagedRows, intactRows, rowHash } from './row-hash.ts';

type Row = StoredToken & { hash: string };

/** Minted tokens in SQLite. */
export function createSqliteTokens(database: DatabaseSync, damaged: DamagedRows): TokenStore {
  const select = database.prepare(
    'SELECT id, label, created_at AS createdAt, digest, hash FROM tokens ORDER BY position',
  );
  const insert = database.prepare('INSERT INTO tokens (id, label, created_at, digest, hash) VALUES (?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM tokens WHERE id = ?');
  const hashOf = ({ id, label, createdAt, digest }: StoredToken) => rowHash(id, label, createdAt, digest);

  return {
    list: () =>
      intactRows<Row>(refusing(() => select.all()) as Row[], {
        subject: 'tokens',
        damaged,
        hashOf,
        keyOf: ({ id }) => id,
      }).map(({ id, label, createdAt, digest }) => ({ id, label, createdAt, digest })),
    add: (token) =>
      void refusing(() => insert.run(token.id, token.label, token.createdAt, token.digest, hashOf(token))),
    remove: (id) => refusing(() => remove.run(id).changes === 1),
  };
}
