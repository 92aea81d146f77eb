import type { DatabaseSync } from 'node:sqlite';
import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import type { RootStore, StoredRoot } from '../../ports/store/store.ts';
import { compareText } from '../../texts/compare-text.ts';
import type { Subject } from './subject.ts';

type Row = StoredRoot & { hash: string | null };

/** Granted roots in SQLite. */
export function createSqliteRoots(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<RootStore, 'list'>, RootStore> {
  const select = database.prepare('SELECT path, granted_at AS grantedAt, hash FROM granted_roots');
  const insert = database.prepare('INSERT OR REPLACE INTO granted_roots (path, granted_at, hash) VALUES (?, ?, ?)');
  const remove = database.prepare('DELETE FROM granted_roots WHERE path = ?');
  const hashOf = ({ path, grantedAt }: StoredRoot) => rowHash(path, grantedAt);
  const put = (root: StoredRoot) => insert.run(root.path, root.grantedAt, hashOf(root));
  const rows = () => select.all() as Row[];
  const intact = () =>
    intactRows<Row>(rows(), { subject: 'granted roots', damaged, hashOf, keyOf: ({ path }) => path }).map(
      ({ path, grantedAt }): StoredRoot => ({ path, grantedAt }),
    );

  // Old rows without a hash get one.
  for (const root of rows()) if (root.hash === null) put(root);

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
