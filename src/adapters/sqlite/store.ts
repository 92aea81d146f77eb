/** `Store` in one SQLite file; each subject has its own file beside this one. */
import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Store, StoreFigures } from '../../ports/store/store.ts';
import { createSqliteAgents } from './agents.ts';
import { createSqliteApprovals } from './approvals.ts';
import { type OpenOptions, openDatabase, refusing, undoLeftover } from './database.ts';
import { createSqliteExport } from './export.ts';
import { quarantineWarnings } from './health.ts';
import { createReserve } from './reserve.ts';
import { createSqliteRoots } from './roots.ts';
import { createDamagedRows } from './row-hash.ts';
import { createSqliteSessions } from './sessions.ts';
import { createSqliteSupplementary } from './supplementary.ts';
import { createSqliteTokens } from './tokens.ts';
import { createSqliteVectors } from './vectors.ts';

/**
 * Opens or creates the database at `path`; `:memory:` for one that is forgotten. Throws `storage_full` when the disk is
 * full (S-71) and `unavailable` when the file cannot be used: in use, a symbolic link, written by a newer contextd, or
 * damaged, unless it is to be healed (S-72).
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
  /** Removes with what is kept for it. */
  const removable = <Part extends { remove(key: string): unknown }>(part: Part): Part => ({
    ...part,
    remove: (key: string) => reserve.removing(() => part.remove(key)),
  });
  const sessions = createSqliteSessions(database, damaged, reserve);
  const supplementary = removable(createSqliteSupplementary(database, damaged));
  const verbs = <Part extends object>(part: Part): Part => afterLeftovers(part, database);
  return {
    roots: verbs(removable(createSqliteRoots(database, damaged))),
    agents: verbs(removable(createSqliteAgents(database, damaged))),
    sessions: verbs(sessions),
    vectors: verbs(createSqliteVectors(database, damaged)),
    supplementary: verbs({
      ...supplementary,
      replace: (...list) =>
        list[1].length > 0 ? supplementary.replace(...list) : reserve.removing(() => supplementary.replace(...list)),
    }),
    tokens: verbs(removable(createSqliteTokens(database, damaged))),
    approvals: verbs(removable(createSqliteApprovals(database, damaged))),
    export: createSqliteExport(database, path),
    warnings: () => [...(path === ':memory:' ? [] : quarantineWarnings(path)), ...damaged.warnings()],
    figures() {
      const sizes = { databaseBytes: sizeOf(path), journalBytes: sizeOf(`${path}-wal`) };
      const { waitingWrites } = sessions;
      try {
        return { ...sizes, waitingWrites, rows: { ...rows.get() } as NonNullable<StoreFigures['rows']> };
      } catch {
        return { ...sizes, waitingWrites };
      }
    },
    close: () => database.close(),
  };
}

/** The same verbs; what a transaction has left that could not be undone is undone before each. */
function afterLeftovers<Part extends object>(part: Part, database: DatabaseSync): Part {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      // A transaction does the same itself, and answers later.
      if (typeof value !== 'function' || name === 'write') return value;
      return (...args: unknown[]) => {
        refusing(() => undoLeftover(database));
        return value(...args);
      };
    },
  });
}

/** Of a file in bytes; 0 where there is none. */
function sizeOf(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    return 0;
  }
}
