import type { DatabaseSync } from 'node:sqlite';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { createRowReader } from '../../ports/store/row-reader.ts';
import type { TokenVerbs } from '../../ports/store/store.ts';
import { tokenColumns, tokenKind, tokenValues } from '../../ports/store/token-rows.ts';
import type { Subject } from './subject.ts';

/** Minted tokens in SQLite. */
export function createSqliteTokens(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<TokenVerbs, 'list'>, TokenVerbs> {
  const select = database.prepare(`SELECT ${tokenColumns} FROM tokens ORDER BY position`);
  const insert = database.prepare(`INSERT INTO tokens (${tokenColumns}) VALUES (?, ?, ?, ?, ?)`);
  const remove = database.prepare('DELETE FROM tokens WHERE id = ?');
  const { readAll } = createRowReader(damaged);

  return {
    reads: { list: () => readAll(select.all(), tokenKind) },
    writes: {
      add: (token) => void insert.run(...tokenValues(token)),
      remove: (id) => remove.run(id).changes === 1,
    },
  };
}
