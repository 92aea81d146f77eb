/** `Store` in one SQLite file. Each subject has its own file in this folder. */
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { createDamagedRows } from '../../ports/store/row-hash.ts';
import type { Store, StoreFigures } from '../../ports/store/store.ts';
import { createSqliteAgents } from './agents.ts';
import { createSqliteApprovals } from './approvals.ts';
import { type OpenOptions, openDatabase, refusing } from './database.ts';
import { createSqliteExport } from './export.ts';
import { createFilePlace } from './file-place.ts';
import { createGroupCommit } from './group-commit.ts';
import { diskWarnings, fileSize, quarantineWarnings } from './health.ts';
import { createReserve } from './reserve.ts';
import { createSqliteRoots } from './roots.ts';
import { createSqliteSessions } from './sessions.ts';
import { createSubjects, type Subject } from './subject.ts';
import { createSqliteSupplementary } from './supplementary.ts';
import { createSqliteTokens } from './tokens.ts';
import { createSqliteVectors } from './vectors.ts';

/**
 * Opens or creates the database at `path`; `:memory:` for a temporary one. Throws `storage_full` if the disk is full
 * (S-71), and `unavailable` if the file cannot be used: it is in use, a symbolic link, written by a newer contextd, or
 * damaged and not to be healed (S-72).
 */
export function createSqliteStore(path: string, options: OpenOptions = {}): Store {
  const database = openDatabase(path, options);
  try {
    return refusing(() => storeOver(database, path, options));
  } catch (error) {
    database.close();
    throw error;
  }
}

function storeOver(database: DatabaseSync, path: string, options: OpenOptions): Store {
  const damaged = createDamagedRows();
  const rows = database.prepare(
    `SELECT (SELECT count(*) FROM agents) AS agents, (SELECT count(*) FROM sessions) AS sessions,
      (SELECT count(*) FROM mcp_approvals) AS approvals`,
  );
  const reserve = createReserve(database, options.heal === true && path !== ':memory:' ? `${path}.reserve` : undefined);
  const place = createFilePlace(path);
  const group = createGroupCommit(database, options.writeMs ?? 5_000, place.demand);
  const { reader, verbs, transactions } = createSubjects(group, reserve);
  /** Both its single verbs and its transactions. */
  const whole = <Reader, Writer>(subject: Subject<Reader, Writer>) => ({ ...verbs(subject), ...transactions(subject) });
  const sessions = createSqliteSessions(database, damaged, (work) => reserve.removing(() => group.write(work)));
  return {
    roots: verbs(createSqliteRoots(database, damaged)),
    agents: whole(createSqliteAgents(database, damaged)),
    sessions: { ...reader(sessions), ...transactions(sessions) },
    vectors: verbs(createSqliteVectors(database, damaged)),
    supplementary: whole(createSqliteSupplementary(database, damaged)),
    tokens: whole(createSqliteTokens(database, damaged)),
    approvals: verbs(createSqliteApprovals(database, damaged)),
    export: createSqliteExport(database, path, group.read),
    warnings: async () => [
      ...place.warnings(),
      ...(path === ':memory:' ? [] : [...quarantineWarnings(path), ...diskWarnings(dirname(path))]),
      ...damaged.warnings(),
    ],
    async figures() {
      const sizes = {
        databaseBytes: fileSize(path),
        journalBytes: fileSize(`${path}-wal`),
        waitingWrites: group.waiting,
      };
      try {
        const counted = await group.read(() => rows.get());
        return { ...sizes, rows: { ...counted } as NonNullable<StoreFigures['rows']> };
      } catch {
        return sizes;
      }
    },
    close: async () => {
      await group.end();
      database.close();
    },
  };
}
