import type { DatabaseSync } from 'node:sqlite';
import type { RootStore, StoredRoot } from '../store.ts';
import { refusing } from './sqlite-database.ts';

/** Granted roots in SQLite. */
export function createSqliteRoots(database: DatabaseSync): RootStore {
  const list = database.prepare('SELECT path, granted_at AS grantedAt FROM granted_roots');
  const add = database.prepare('INSERT INTO granted_roots (path, granted_at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const remove = database.prepare('DELETE FROM granted_roots WHERE path = ?');
  return {
    list: () =>
      refusing(() => list.all().map((row): StoredRoot => ({ path: `${row.path}`, grantedAt: `${row.grantedAt}` })))
        // SQLite orders by UTF-8 bytes; everything else here orders by code units.
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    add: (root) => refusing(() => add.run(root.path, root.grantedAt).changes === 1),
    remove: (path) => refusing(() => remove.run(path).changes === 1),
  };
}
