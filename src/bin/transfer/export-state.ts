/** Writes all state to one file: through the running daemon, or from its database if none runs. */
import { randomBytes } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  createReadStream,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { syncDirectory } from '../../adapters/sqlite/sync-files.ts';
import { type ExportCounts, readExport } from '../../ports/store/export.ts';
import { findDaemon } from '../client/client.ts';
import { CommandFailure, exitCodes, wrongSetup, wrongUsage } from '../exit-codes.ts';
import { packageVersion } from '../state/package-info.ts';
import { prepareStateDirectory, stateNames } from '../state/state-directory.ts';
import { withTemporaryPath } from '../state/temporary-path.ts';

const silenceMs = 120_000;

/**
 * The text of an export, in pieces. With `isShared` only a running daemon has it: the state directory holds older state
 * or none. Throws `ContextdError` and `CommandFailure`.
 */
export async function* openExport(stateDirectory: string, isShared: boolean): AsyncGenerator<Uint8Array> {
  const found = await findDaemon(stateDirectory);
  if (found.ok) {
    yield* withoutBreak(await found.client.open('/v1/export', { silenceMs }));
    return;
  }
  if (isShared)
    throw new CommandFailure(
      exitCodes.unavailable,
      `no daemon runs: ${found.reason}. Start the one of the PostgreSQL that CONTEXTD_STORE names, or use the tools of PostgreSQL. For what is in the state directory: CONTEXTD_STORE=sqlite contextd export`,
    );
  const path = join(stateDirectory, stateNames.store);
  const { finishReplacing, presentDatabase } = await import('../../adapters/sqlite/replace-damaged.ts');
  if (presentDatabase(path) === undefined) throw wrongUsage(`there is nothing to export in ${stateDirectory}.`);
  requireWritable(stateDirectory);
  process.umask(0o077);
  prepareStateDirectory(stateDirectory);
  const { tryLock } = await import('../../adapters/files/lock-file.ts');
  const lock = tryLock(join(stateDirectory, stateNames.lock));
  if (lock === undefined)
    throw new CommandFailure(exitCodes.unavailable, `the daemon does not answer: ${found.reason}. Try again.`);
  try {
    const { readWholeDatabase } = await import('../../adapters/sqlite/export.ts');
    const { refusing } = await import('../../adapters/sqlite/database.ts');
    refusing(() => finishReplacing(path));
    yield* readWholeDatabase(path, aboutExport());
  } finally {
    lock.release();
  }
}

/** Who writes an export, and when. */
export function aboutExport(): { writtenBy: string; createdAt: string } {
  return { writtenBy: `contextd ${packageVersion()}`, createdAt: new Date().toISOString() };
}

/** Opening a database takes over its journal. */
function requireWritable(stateDirectory: string): void {
  try {
    accessSync(stateDirectory, constants.W_OK);
  } catch {
    const mend = 'Copy the directory to another disk, and name the copy: --state-dir <dir>';
    throw wrongSetup(`${stateDirectory} cannot be written, as reading it needs. ${mend}`);
  }
}

async function* withoutBreak(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch (error) {
    throw new CommandFailure(exitCodes.unavailable, `the daemon ended the export early (${(error as Error).message}).`);
  }
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

/**
 * Writes the file atomically, readable only by its owner, after all of it was written to disk and read back. Throws
 * `CommandFailure` 64 if something at `path` must not be overwritten.
 */
export async function writeExportFile(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  { force }: { force: boolean },
): Promise<ExportCounts & { bytes: number }> {
  const present = lstatSync(path, { throwIfNoEntry: false });
  if (present !== undefined && (!force || !present.isFile())) throw refuseToOverwrite(path, present.isFile());
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  return withTemporaryPath(temporary, async () => {
    const descriptor = atPath(path, () => openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600));
    let bytes = 0;
    try {
      for await (const chunk of chunks) {
        for (let written = 0; written < chunk.length; ) written += write(descriptor, chunk.subarray(written), path);
        bytes += chunk.length;
        // Reading a database never waits, so signals would not be handled without this.
        await turn();
      }
      atPath(path, () => fsyncSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
    const counts = await readExport(createReadStream(temporary), { header() {}, row() {} });
    if (force) atPath(path, () => renameSync(temporary, path));
    else linkWhereNothingLies(temporary, path);
    syncDirectory(dirname(path));
    return { ...counts, bytes };
  });
}

function write(descriptor: number, bytes: Uint8Array, path: string): number {
  return atPath(path, () => writeSync(descriptor, bytes));
}

function linkWhereNothingLies(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw refuseToOverwrite(path, true);
    // A file system without hard links.
    if (existsSync(path)) throw refuseToOverwrite(path, true);
    atPath(path, () => renameSync(temporary, path));
  }
}

function atPath<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw wrongUsage(`${path} cannot be written (${code}).`);
  }
}

function refuseToOverwrite(path: string, isFile: boolean): CommandFailure {
  const why = isFile ? 'exists already. Name another file, or overwrite it with --force.' : 'is not a file.';
  return wrongUsage(`${path} ${why}`);
}
