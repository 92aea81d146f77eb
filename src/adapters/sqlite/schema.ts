/**
 * The tables. Each migration is applied once, in order; `user_version` counts the applied ones. Migrations are only
 * ever added.
 */
export const migrations = [
  'CREATE TABLE granted_roots (path TEXT PRIMARY KEY, granted_at TEXT NOT NULL) STRICT, WITHOUT ROWID',
  'ALTER TABLE granted_roots ADD COLUMN hash TEXT',
  `CREATE TABLE sessions (position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, agent_id TEXT NOT NULL,
     parent_session_id TEXT, created_at TEXT NOT NULL, last_sync_id INTEGER NOT NULL, messages INTEGER NOT NULL,
     state TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
   CREATE TABLE session_changes (session_id TEXT NOT NULL, sync_id INTEGER NOT NULL, type TEXT NOT NULL,
     at TEXT NOT NULL, data TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (session_id, sync_id)) STRICT;
   CREATE TABLE session_requests (position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
     session_id TEXT NOT NULL, agent_id TEXT NOT NULL, sync_id INTEGER NOT NULL, reply_sync_id INTEGER,
     created_at TEXT NOT NULL, data TEXT NOT NULL, hash TEXT NOT NULL) STRICT;
   CREATE INDEX session_requests_by_session ON session_requests (session_id, position);
   CREATE TABLE texts (key TEXT PRIMARY KEY, json TEXT NOT NULL) STRICT;
   CREATE TABLE session_texts (session_id TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (session_id, key))
     STRICT, WITHOUT ROWID;
   CREATE INDEX session_texts_by_key ON session_texts (key);
   CREATE TABLE agent_requests (agent_id TEXT PRIMARY KEY, requests INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE item_uses (agent_id TEXT NOT NULL, type TEXT NOT NULL, server_name TEXT NOT NULL, name TEXT NOT NULL,
     mode TEXT NOT NULL, requests INTEGER NOT NULL, tokens INTEGER NOT NULL, scores INTEGER NOT NULL,
     score_sum REAL NOT NULL, score_min REAL NOT NULL, score_max REAL NOT NULL, last_at TEXT NOT NULL,
     PRIMARY KEY (agent_id, type, server_name, name, mode)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE agents (id TEXT PRIMARY KEY, summary TEXT NOT NULL, version TEXT NOT NULL, created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL, hash TEXT NOT NULL, document TEXT NOT NULL) STRICT`,
  `CREATE TABLE vectors (identity TEXT NOT NULL, key TEXT NOT NULL, used_at INTEGER NOT NULL, hash TEXT NOT NULL,
     vector BLOB NOT NULL, PRIMARY KEY (identity, key)) STRICT;
   CREATE INDEX vectors_by_use ON vectors (used_at)`,
  `CREATE TABLE supplementary_items (position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,
     mounted_directory TEXT NOT NULL, kind TEXT NOT NULL, path TEXT NOT NULL, added_at TEXT NOT NULL,
     hash TEXT NOT NULL, UNIQUE (mounted_directory, kind, path)) STRICT`,
  'CREATE TABLE deleted_sessions (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID',
  `CREATE TABLE tokens (position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, label TEXT NOT NULL,
     created_at TEXT NOT NULL, digest TEXT NOT NULL, hash TEXT NOT NULL) STRICT`,
  `CREATE TABLE mcp_approvals (id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, definition TEXT NOT NULL,
     approved_at TEXT NOT NULL, tools TEXT, hash TEXT NOT NULL) STRICT`,
  'CREATE INDEX session_requests_by_agent ON session_requests (agent_id, position)',
  `ALTER TABLE sessions ADD COLUMN owner_id TEXT;
   ALTER TABLE sessions ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
   CREATE INDEX sessions_by_owner ON sessions (owner_id, position, bytes)`,
  `CREATE TABLE agent_items (agent_id TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL,
     item TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (agent_id, kind, name)) STRICT;
   ALTER TABLE agents ADD COLUMN items TEXT`,
];
