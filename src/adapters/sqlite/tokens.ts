import type { DatabaseSync } from 'node:sqlite';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import type { TokenVerbs } from '../../ports/store/store.ts';
import { hashOfToken, intactTokens } from '../../ports/store/token-rows.ts';
import type { Subject } from './subject.ts';

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

  return {
    reads: { list: () => intactTokens(select.all(), damaged) },
    writes: {
      add: (token) => void insert.run(token.id, token.label, token.createdAt, token.digest, hashOfToken(token)),
      remove: (id) => remove.run(id).changes === 1,
    },
  };
}
