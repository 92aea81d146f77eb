import type { DatabaseSync } from 'node:sqlite';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import type { StoredSupplementaryItem, SupplementaryVerbs } from '../../ports/store/supplementary.ts';
import { hashOfSupplementaryItem, intactSupplementaryItems } from '../../ports/store/supplementary-rows.ts';
import type { Subject } from './subject.ts';

/** Supplementary context in SQLite. */
export function createSqliteSupplementary(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<SupplementaryVerbs, 'list'>, SupplementaryVerbs> {
  const columns = 'id, mounted_directory AS mountedDirectory, kind, path, added_at AS addedAt, hash';
  const select = database.prepare(
    `SELECT ${columns} FROM supplementary_items WHERE mounted_directory = ? ORDER BY position`,
  );
  const find = database.prepare('SELECT mounted_directory AS mountedDirectory FROM supplementary_items WHERE id = ?');
  const insert = database.prepare(
    'INSERT OR REPLACE INTO supplementary_items (id, mounted_directory, kind, path, added_at, hash) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const remove = database.prepare('DELETE FROM supplementary_items WHERE id = ?');
  const clear = database.prepare('DELETE FROM supplementary_items WHERE mounted_directory = ?');
  const put = (mountedDirectory: string, item: StoredSupplementaryItem) => {
    const { id, kind, path, addedAt } = item;
    insert.run(id, mountedDirectory, kind, path, addedAt, hashOfSupplementaryItem({ ...item, mountedDirectory }));
  };

  return {
    reads: {
      list: (mountedDirectory) => intactSupplementaryItems(select.all(mountedDirectory), damaged),
    },
    writes: {
      append: put,
      replace(mountedDirectory, items) {
        clear.run(mountedDirectory);
        for (const item of items) put(mountedDirectory, item);
      },
      remove(id) {
        const row = find.get(id);
        if (row === undefined) return undefined;
        remove.run(id);
        return `${row.mountedDirectory}`;
      },
    },
  };
}
