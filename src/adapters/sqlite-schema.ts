/** The tables. Each migration is applied once, in order; `user_version` counts those applied. Append only. */
export const migrations = [
  'CREATE TABLE granted_roots (path TEXT PRIMARY KEY, granted_at TEXT NOT NULL) STRICT, WITHOUT ROWID',
  'ALTER TABLE granted_roots ADD COLUMN hash TEXT',
];
