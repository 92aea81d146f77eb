import type { DatabaseSync } from 'node:sqlite';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { columnsOf, createRowReader, type RowKind, withHash } from '../../ports/store/row-reader.ts';
import type { RootStore, StoredRoot } from '../../ports/store/store.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Subject } from './subject.ts';

const rootKind: RowKind<StoredRoot> = {
  table: 'granted_roots',
  subject: 'granted roots',
  key: ({ path }) => String(path),
  read: ([path, grantedAt]) => ({ path, grantedAt }) as StoredRoot,
};

/** Granted roots in SQLite. */
export function createSqliteRoots(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<RootStore, 'list'>, RootStore> {
  const columns = columnsOf('granted_roots');
  const select = database.prepare(`SELECT ${columns} FROM granted_roots`);
  const insert = database.prepare(`INSERT OR REPLACE INTO granted_roots (${columns}) VALUES (?, ?, ?)`);
  const remove = database.prepare('DELETE FROM granted_roots WHERE path = ?');
  const { readAll } = createRowReader(damaged);
  const put = ({ path, grantedAt }: StoredRoot) => insert.run(...withHash(path, grantedAt));
  const intact = () => readAll(select.all(), rootKind);

  // Old rows without a hash get one.
  for (const { path, granted_at: grantedAt, hash } of select.all())
    if (hash === null) put({ path, grantedAt } as StoredRoot);

  return {
    reads: {
      // SQLite sorts by UTF-8 bytes; everything else sorts by code units.
      list: () => intact().sort((a, b) => compareText(a.path, b.path)),
    },
    writes: {
      add(root) {
        if (intact().some(({ path }) => path === root.path)) return false;
        put(root);
        return true;
      },
      remove: (path) => remove.run(path).changes === 1,
    },
  };
}
