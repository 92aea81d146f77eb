/** Replaces the state of the daemon by an export: all or nothing, and only while no daemon runs. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Lock, tryLock } from '../../adapters/files/lock-file.ts';
import { openDatabase, refusing } from '../../adapters/sqlite/database.ts';
import { moveCompanions, placeBeside, saysDiskIsFull } from '../../adapters/sqlite/health.ts';
import { countState, type Imported, importDatabase } from '../../adapters/sqlite/import.ts';
import { finishReplacing, presentDatabase } from '../../adapters/sqlite/replace-damaged.ts';
import { syncDirectory } from '../../adapters/sqlite/sync-files.ts';
import { ContextdError } from '../../errors.ts';
import { NewerExport } from '../../ports/store/export.ts';
import { findDaemon } from '../client/client.ts';
import { CommandFailure, exitCodes, wrongSetup, wrongUsage } from '../exit-codes.ts';
import { prepareStateDirectory, stateNames } from '../state/state-directory.ts';
import { withTemporaryPath } from '../state/temporary-path.ts';
import { faultOfRow } from './imported-row.ts';

type ImportRequest = {
  /** `-` for standard input. */
  file: string;
  stateDirectory: string;
  replace: boolean;
  trust: boolean;
  /** Only checks whether the file can be imported. */
  dryRun: boolean;
};

/** `keptAside`: the new path of the previous database. `refusal`: the error with which the import would end. */
export type ImportResult = Imported & { keptAside?: string; refusal?: CommandFailure };

/**
 * Throws `CommandFailure` 75 while a daemon runs, 64 for an unsuitable file or state that must not be replaced, 78 for
 * a file of a newer contextd, and `ContextdError` if the disk is full. Then nothing has changed. A check alone is
 * always possible.
 */
export async function importState(request: ImportRequest): Promise<ImportResult> {
  if (request.dryRun) return checkImport(request);
  // Only the user may read new files.
  process.umask(0o077);
  prepareStateDirectory(request.stateDirectory);
  const lock = await claimState(request.stateDirectory);
  try {
    const path = join(request.stateDirectory, stateNames.store);
    const hasState = holdsState(path, request);
    const staged = `${path}.import`;
    const imported = await read(request, staged);
    const keptAside = refusing(() => takePlace(staged, path, { keep: hasState }));
    return { ...imported, keptAside };
  } finally {
    lock.release();
  }
}

/** Imports into a temporary directory, whose disk may be another one. */
async function checkImport(request: ImportRequest): Promise<ImportResult> {
  const directory = join(tmpdir(), `contextd-${randomBytes(6).toString('hex')}`);
  try {
    return await withTemporaryPath(directory, async () => {
      mkdirSync(directory, { mode: 0o700 });
      const imported = await read(request, join(directory, stateNames.store));
      const refusal = await foreseeRefusal(request, directory);
      return { ...imported, refusal };
    });
  } catch (error) {
    const isFull = saysDiskIsFull(error) || (error instanceof ContextdError && error.code === 'storage_full');
    if (!isFull) throw error;
    const message = `The disk of ${tmpdir()} is full. Free some space, or name another directory with TMPDIR.`;
    throw new ContextdError('storage_full', message);
  }
}

async function foreseeRefusal(request: ImportRequest, temporary: string): Promise<CommandFailure | undefined> {
  const path = join(request.stateDirectory, stateNames.store);
  try {
    if (existsSync(join(request.stateDirectory, stateNames.lock))) (await claim(request.stateDirectory)).release();
    // Opens a copy, because opening a database may change it by its journal.
    const copy = join(temporary, 'present.db');
    const present = presentDatabase(path) ?? path;
    for (const suffix of ['', '-wal', '-journal'])
      if (existsSync(present + suffix)) copyFileSync(present + suffix, copy + suffix);
    holdsState(copy, request);
    return undefined;
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
}

/** Whether the database at `path` contains state. Throws `CommandFailure` 64 if it must not be replaced. */
function holdsState(path: string, { stateDirectory, replace }: ImportRequest): boolean {
  const hasState = existsSync(path) && Object.keys(countOf(path)).length > 0;
  if (!hasState || replace) return hasState;
  const ways = 'Keep it with "contextd export", then replace it with --replace; or name another with --state-dir';
  throw wrongUsage(`there is state already in ${stateDirectory}. ${ways}.`);
}

/**
 * Takes the lock of a daemon, and ends what a killed one began with a damaged database. Otherwise a new database would
 * take the place of what could be read. Throws `CommandFailure` 75 while a daemon runs.
 */
export async function claimState(stateDirectory: string): Promise<Lock> {
  const lock = await claim(stateDirectory);
  try {
    refusing(() => finishReplacing(join(stateDirectory, stateNames.store)));
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function claim(stateDirectory: string): Promise<Lock> {
  const lock = tryLock(join(stateDirectory, stateNames.lock));
  if (lock !== undefined) return lock;
  const found = await findDaemon(stateDirectory);
  const where = found.ok ? `at ${found.client.discovery.url}` : `with ${stateDirectory}`;
  throw new CommandFailure(exitCodes.alreadyRunning, `a daemon runs ${where}. Stop it first: contextd stop`);
}

/** A damaged database counts as state, because it might be repaired. */
function countOf(path: string): Record<string, number> {
  try {
    return countState(path);
  } catch {
    return { damaged: 1 };
  }
}

async function read({ file, trust }: ImportRequest, path: string): Promise<Imported> {
  const chunks = openFile(file);
  try {
    return await importDatabase(path, chunks, { trust, faultOf: faultOfRow });
  } catch (error) {
    if (!(error instanceof NewerExport)) throw error;
    throw wrongSetup(`the file was written by a newer contextd (${error.message}).`);
  } finally {
    if (file !== '-') chunks.destroy();
  }
}

/** Does not wait for a writer if the file is a pipe. */
function openFile(file: string): ReturnType<typeof createReadStream> | typeof process.stdin {
  if (file === '-') return process.stdin;
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw wrongUsage(`${file} cannot be read (${code}).`);
  }
  if (fstatSync(descriptor).isFile()) return createReadStream(file, { fd: descriptor });
  closeSync(descriptor);
  throw wrongUsage(`${file} is not a file.`);
}

/**
 * Atomically moves the database at `staged` to `path`. Renames the previous database, and returns its new path.
 */
function takePlace(staged: string, path: string, { keep }: { keep: boolean }): string | undefined {
  // Like at the start of a daemon: applies the journal, and moves a damaged database aside.
  if (existsSync(path)) openDatabase(path, { heal: true }).close();
  // The journal of a removed database would be taken for that of the new one.
  else moveCompanions(path, placeBeside(path, 'before-import'));
  const keptAside = keep ? placeBeside(path, 'before-import') : undefined;
  if (keptAside !== undefined) linkOrCopy(path, keptAside);
  renameSync(staged, path);
  syncDirectory(dirname(path));
  return keptAside;
}

function linkOrCopy(path: string, aside: string): void {
  try {
    linkSync(path, aside);
  } catch {
    // A file system without hard links.
    copyFileSync(path, aside, constants.COPYFILE_EXCL);
  }
}
