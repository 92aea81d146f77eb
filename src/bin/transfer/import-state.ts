/** Puts what an export holds in the place of the daemon's state: all of it or nothing, and only while no daemon runs. */
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
import { openDatabase } from '../../adapters/sqlite/database.ts';
import { placeBeside } from '../../adapters/sqlite/health.ts';
import { countState, type Imported, importDatabase } from '../../adapters/sqlite/import.ts';
import { syncDirectory } from '../../adapters/sqlite/sync-files.ts';
import { NewerExport } from '../../ports/store/export.ts';
import { findDaemon } from '../client/client.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { prepareStateDirectory, stateNames } from '../state/state-directory.ts';
import { withTemporaryPath } from '../state/temporary-path.ts';
import { faultOfRow } from './imported-row.ts';

type ImportRequest = {
  /** `-` for standard input. */
  file: string;
  stateDirectory: string;
  replace: boolean;
  trust: boolean;
  /** Only looks whether the file can be imported. */
  dryRun: boolean;
};

/** `keptAside` is where the database is that was there before; `refusal` is what the import would end with. */
export type ImportResult = Imported & { keptAside?: string; refusal?: CommandFailure };

/**
 * Throws `CommandFailure` 75 while a daemon runs, 64 for a file that is not taken and for state that is not to be
 * replaced, 78 for a file of a newer contextd, and `ContextdError` when the disk is full. Nothing has changed then.
 * Only to look is always possible.
 */
export async function importState(request: ImportRequest): Promise<ImportResult> {
  if (request.dryRun) {
    const directory = join(tmpdir(), `contextd-${randomBytes(6).toString('hex')}`);
    return withTemporaryPath(directory, async () => {
      mkdirSync(directory, { mode: 0o700 });
      const imported = await read(request, join(directory, stateNames.store));
      const refusal = await foreseeRefusal(request, directory);
      return { ...imported, refusal };
    });
  }
  // Whatever is written is for its user only.
  process.umask(0o077);
  prepareStateDirectory(request.stateDirectory);
  const lock = await claim(request.stateDirectory);
  try {
    const path = join(request.stateDirectory, stateNames.store);
    const hasState = holdsState(path, request);
    const staged = `${path}.import`;
    const imported = await read(request, staged);
    const keptAside = takePlace(staged, path, { keep: hasState });
    return { ...imported, keptAside };
  } finally {
    lock.release();
  }
}

async function foreseeRefusal(request: ImportRequest, temporary: string): Promise<CommandFailure | undefined> {
  const path = join(request.stateDirectory, stateNames.store);
  try {
    if (existsSync(join(request.stateDirectory, stateNames.lock))) (await claim(request.stateDirectory)).release();
    // To open it can move what is in its journal, so it is done in a copy.
    const copy = join(temporary, 'present.db');
    for (const suffix of ['', '-wal', '-journal'])
      if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
    holdsState(copy, request);
    return undefined;
  } catch (error) {
    if (error instanceof CommandFailure) return error;
    throw error;
  }
}

/** Whether there is anything in the database at `path`. Throws `CommandFailure` 64 where it is not to be replaced. */
function holdsState(path: string, { stateDirectory, replace }: ImportRequest): boolean {
  const hasState = existsSync(path) && Object.keys(countOf(path)).length > 0;
  if (!hasState || replace) return hasState;
  const ways = 'Keep it with "contextd export", then replace it with --replace; or name another with --state-dir';
  throw new CommandFailure(exitCodes.usage, `there is state already in ${stateDirectory}. ${ways}.`);
}

/** Throws `CommandFailure` 75 while a daemon runs. */
export async function claim(stateDirectory: string): Promise<Lock> {
  const lock = tryLock(join(stateDirectory, stateNames.lock));
  if (lock !== undefined) return lock;
  const found = await findDaemon(stateDirectory);
  const where = found.ok ? `at ${found.client.discovery.url}` : `with ${stateDirectory}`;
  throw new CommandFailure(exitCodes.alreadyRunning, `a daemon runs ${where}. Stop it first: contextd stop`);
}

/** A damaged database counts as state, so that nobody loses what could still be mended of it. */
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
    throw new CommandFailure(exitCodes.refused, `the file was written by a newer contextd (${error.message}).`);
  } finally {
    if (file !== '-') chunks.destroy();
  }
}

/** Never waits for a writer, as the opening of a pipe by name would. */
function openFile(file: string): ReturnType<typeof createReadStream> | typeof process.stdin {
  if (file === '-') return process.stdin;
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(exitCodes.usage, `${file} cannot be read (${code}).`);
  }
  if (fstatSync(descriptor).isFile()) return createReadStream(file, { fd: descriptor });
  closeSync(descriptor);
  throw new CommandFailure(exitCodes.usage, `${file} is not a file.`);
}

/**
 * The database at `staged` becomes the one at `path` in one step; that which was there keeps another name, which is
 * returned.
 */
function takePlace(staged: string, path: string, { keep }: { keep: boolean }): string | undefined {
  // What is in its journal goes into it, and what is damaged is set aside, as when a daemon starts.
  if (existsSync(path)) openDatabase(path, { heal: true }).close();
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
