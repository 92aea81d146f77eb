/** Copies all state from the database of one daemon to a shared one, or back: all or nothing. */
import { join } from 'node:path';
import { presentDatabase } from '../../adapters/sqlite/replace-damaged.ts';
import type { ExportCounts } from '../../ports/store/export.ts';
import { wrongUsage } from '../exit-codes.ts';
import { openShared, usingShared } from '../state/open-shared.ts';
import type { SharedStore } from '../state/postgres-address.ts';
import { readSecretKey, writeSecretKey } from '../state/secret-key.ts';
import { prepareStateDirectory, stateNames } from '../state/state-directory.ts';
import { withTemporaryPath } from '../state/temporary-path.ts';
import { aboutExport, writeExportFile } from './export-state.ts';
import { claimState, importState } from './import-state.ts';
import { faultOfRow } from './imported-row.ts';

type Migration = {
  stateDirectory: string;
  shared: SharedStore;
  /** Replaces present state. Without it, this is refused. */
  replace: boolean;
};

/** `keptAside`: the new place of the previous state. `counts`: what was copied. */
type Migrated = { counts: ExportCounts; keptAside?: string };

/**
 * Keeps the state in the state directory. Throws `CommandFailure` 75 while a daemon uses it, 64 if there is nothing to
 * copy or the target has state, 78 if the store cannot be used, and `ContextdError`.
 */
export async function migrateToPostgres({ stateDirectory, shared, replace }: Migration): Promise<Migrated> {
  const path = join(stateDirectory, stateNames.store);
  if (presentDatabase(path) === undefined) throw wrongUsage(`there is nothing to move in ${stateDirectory}.`);
  process.umask(0o077);
  prepareStateDirectory(stateDirectory);
  const lock = await claimState(stateDirectory);
  try {
    const { readWholeDatabase } = await import('../../adapters/sqlite/export.ts');
    const { importIntoPostgres } = await import('../../adapters/postgres/import.ts');
    const key = readSecretKey(join(stateDirectory, stateNames.secretKey));
    const options = { replace, key, faultOf: faultOfRow };
    const pieces = inPieces(readWholeDatabase(path, aboutExport()));
    return { counts: await usingShared(shared, () => importIntoPostgres(shared, pieces, options)) };
  } finally {
    lock.release();
  }
}

/** Removes nothing from PostgreSQL. Keeps the granted roots of the state directory. Throws like `migrateToPostgres`. */
export async function migrateFromPostgres(migration: Migration): Promise<Migrated> {
  const { stateDirectory, replace } = migration;
  process.umask(0o077);
  prepareStateDirectory(stateDirectory);
  const file = join(stateDirectory, `${stateNames.store}.migrate`);
  return withTemporaryPath(file, async () => {
    const key = await exportPostgres(migration, file);
    const { keptAside, ...counts } = await importState({ file, stateDirectory, replace, trust: true, dryRun: false });
    writeSecretKey(join(stateDirectory, stateNames.secretKey), key);
    return { counts, keptAside };
  });
}

/** Writes an export beside the database, with the granted roots of that database. Returns the key of the store. */
async function exportPostgres({ shared, stateDirectory }: Migration, path: string): Promise<Uint8Array> {
  const lock = await claimState(stateDirectory);
  const { createSqliteStore } = await import('../../adapters/sqlite/store.ts');
  const local = createSqliteStore(join(stateDirectory, stateNames.store));
  try {
    const store = await openShared(shared, { local });
    try {
      await writeExportFile(path, bytesOf(store.export(aboutExport())), { force: true });
      return store.sharedKey as Uint8Array;
    } finally {
      await store.close();
    }
  } finally {
    await local.close().catch(() => {});
    lock.release();
  }
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}

async function* inPieces(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces;
}
