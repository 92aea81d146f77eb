import type { DatabaseSync } from 'node:sqlite';
import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import type { StoredToken, TokenVerbs } from '../../ports/store/store.ts';
import type { Subject } from './subject.ts';

type Row = StoredToken & { hash: string };

/** Minted tokens in SQLite. */
export function createSqliteTokens(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<TokenVerbs, 'list'>, TokenVerbs> {
  const select = database.prepare(
    'SELECT id, label, created_at AS createdAt, digest, hash FROM tokens ORDER BY position',
  );
  const insert = database.prepare('INSERT INTO tokens (id, label, created_at, digest, hash) VALUES (?, ?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM tokens WHERE id = ?');
  const hashOf = ({ id, label, createdAt, digest }: StoredToken) => rowHash(id, label, createdAt, digest);

  return {
    reads: {
      list: () =>
        intactRows<Row>(select.all() as Row[], { subject: 'tokens', damaged, hashOf, keyOf: ({ id }) => id }).map(
          ({ id, label, createdAt, digest }) => ({ id, label, createdAt, digest }),
        ),
    },
    writes: {
      add: (token) => void insert.run(token.id, token.label, token.createdAt, token.digest, hashOf(token)),
      remove: (id) => remove.run(id).changes === 1,
    },
  };
}
