import type { DatabaseSync } from 'node:sqlite';
import type { DamagedRows } from '../../ports/store/row-hash.ts';
import { createRowReader } from '../../ports/store/row-reader.ts';
import type { StoredSupplementaryItem, SupplementaryVerbs } from '../../ports/store/supplementary.ts';
import { supplementaryColumns, supplementaryKind, supplementaryValues } from '../../ports/store/supplementary-rows.ts';
import type { Subject } from './subject.ts';

/** Supplementary context in SQLite. */
export function createSqliteSupplementary(
  database: DatabaseSync,
  damaged: DamagedRows,
): Subject<Pick<SupplementaryVerbs, 'list'>, SupplementaryVerbs> {
  const select = database.prepare(
    `SELECT ${supplementaryColumns} FROM supplementary_items WHERE mounted_directory = ? ORDER BY position`,
  );
  const find = database.prepare('SELECT mounted_directory AS mountedDirectory FROM supplementary_items WHERE id = ?');
  const insert = database.prepare(
    `INSERT OR REPLACE INTO supplementary_items (${supplementaryColumns}) VALUES (?, ?, ?, ?, ?, ?)`,
  );
  const remove = database.prepare('DELETE FROM supplementary_items WHERE id = ?');
  const clear = database.prepare('DELETE FROM supplementary_items WHERE mounted_directory = ?');
  const { readAll } = createRowReader(damaged);
  const put = (mountedDirectory: string, item: StoredSupplementaryItem): void => {
    insert.run(...supplementaryValues(mountedDirectory, item));
  };

  return {
    reads: {
      list: (mountedDirectory) => readAll(select.all(mountedDirectory), supplementaryKind),
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
