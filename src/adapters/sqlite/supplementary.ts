import type { DatabaseSync } from 'node:sqlite';
import { type DamagedRows, intactRows, rowHash } from '../../ports/store/row-hash.ts';
import type { StoredSupplementaryItem, SupplementaryVerbs } from '../../ports/store/supplementary.ts';
import type { Subject } from './subject.ts';

type Row = StoredSupplementaryItem & { mountedDirectory: string; hash: string };

/**
 * Supplementary context in SQLite. The hash of a row does not include its position, because a wrong order does no harm.
 */
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
  const put = (mountedDirectory: string, { id, kind, path, addedAt }: StoredSupplementaryItem) =>
    insert.run(id, mountedDirectory, kind, path, addedAt, rowHash(id, mountedDirectory, kind, path, addedAt));

  return {
    reads: {
      list: (mountedDirectory) =>
        intactRows<Row>(select.all(mountedDirectory) as Row[], {
          subject: 'supplementary context',
          damaged,
          hashOf: (row) => rowHash(row.id, row.mountedDirectory, row.kind, row.path, row.addedAt),
          keyOf: ({ id }) => id,
        }).map(({ id, kind, path, addedAt }) => ({ id, kind, path, addedAt })),
    },
    writes: {
      append: (mountedDirectory, item) => void put(mountedDirectory, item),
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
