/** Checks everything that the daemon needs, asks the running one, and says what would go wrong and how to fix it. */
import { accessSync, constants, existsSync, lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { checkSqliteVersion } from '../../adapters/sqlite/database.ts';
import { diskWarnings, listQuarantined, schemaVersionOf } from '../../adapters/sqlite/health.ts';
import { migrations } from '../../adapters/sqlite/schema.ts';
import { defaultPort } from '../../settings.ts';
import type { DaemonPlace } from '../client/daemon-place.ts';
import { parseContextEnvironment } from '../state/context-environment.ts';
import { parseStore } from '../state/postgres-address.ts';
import { requireOwnState, type Surroundings, stateNames } from '../state/state-directory.ts';
import { askHowItIs, moreWatches } from './ask-how-it-is.ts';
import { megabytesOf, modelDirectoryIn } from './compose-embedder.ts';
import { parseEmbedderSettings } from './embedder-settings.ts';
import { parsePort } from './serve-settings.ts';

/** `fault`: something does not work. `notice`: something does not work as well as it could. `mend`: what to do. */
export type Finding = { subject: string; state: 'good' | 'notice' | 'fault'; says: string; mend?: string };

export type Diagnosis = { findings: Finding[]; healthy: boolean };

/** Changes nothing. `healthy`: there is no fault. A daemon that the environment names has its files elsewhere. */
export async function diagnose(place: DaemonPlace, surroundings: Surroundings): Promise<Diagnosis> {
  const { environment, home } = surroundings;
  const daemon = await askHowItIs(place);
  const findings = [
    checkNode(),
    checkSqlite(),
    ...(typeof place === 'string' ? checkStateDirectory(place) : []),
    ...daemon.findings,
    ...(typeof place === 'string' && !daemon.isRunning
      ? [checkModel(place, surroundings), await checkPort(environment.CONTEXTD_PORT)]
      : []),
    ...checkEnvironment(environment, home),
    ...checkStore(surroundings),
    ...checkWatches(),
  ];
  return { findings, healthy: findings.every(({ state }) => state !== 'fault') };
}

const good = (subject: string, says: string): Finding => ({ subject, state: 'good', says });

function checkNode(): Finding {
  return good('Node.js', `${process.version} on ${process.platform} ${process.arch}`);
}

function checkSqlite(): Finding {
  const version = process.versions.sqlite ?? 'none';
  try {
    checkSqliteVersion(version);
    return good('SQLite', version);
  } catch {
    const says = `${version} may damage a database if it is interrupted; the daemon does not start with it.`;
    return { subject: 'SQLite', state: 'fault', says, mend: 'Use Node.js 22.23 or newer, or 24.' };
  }
}

function checkStateDirectory(path: string): Finding[] {
  const subject = 'state directory';
  const fault = (says: string, mend: string): Finding[] => [{ subject, state: 'fault', says, mend }];
  const ownOne = 'Name a directory of your own: --state-dir <dir>';
  const stat = statOf(path, lstatSync);
  if (stat === 'hidden') return fault(`You may not look into ${dirname(path)}.`, ownOne);
  if (stat === undefined) {
    const parent = nearestDirectory(path);
    if (mayWrite(parent)) return [good(subject, `${path} does not exist yet and can be made`)];
    return fault(
      `${path} cannot be made: you may not write to ${parent}.`,
      'Name another directory: --state-dir <dir>',
    );
  }
  if (!stat.isDirectory())
    return fault(`${path} is not a directory.`, 'Move it away, or name another directory: --state-dir <dir>');
  if (process.getuid !== undefined && stat.uid !== process.getuid())
    return fault(`${path} belongs to another user.`, ownOne);
  if ((stat.mode & 0o022) !== 0) return fault(`Others may write to ${path}.`, `chmod go-w '${path}'`);
  if (!mayWrite(path))
    return fault(`${path} cannot be written.`, 'Make it writable, or name another directory: --state-dir <dir>');
  try {
    requireOwnState(path);
  } catch (error) {
    return fault((error as Error).message, 'Correct it, or name another directory: --state-dir <dir>');
  }
  const database = join(path, stateNames.store);
  const others = [checkDatabase(database), checkDisk(path), checkLog(path), checkDamaged(database)];
  return [good(subject, path), ...others.flat()];
}

function checkDisk(stateDirectory: string): Finding[] {
  return diskWarnings(stateDirectory).map(({ message }) => ({
    subject: 'disk',
    state: 'fault',
    says: message,
    mend: 'Free some space.',
  }));
}

function checkLog(stateDirectory: string): Finding[] {
  const log = join(stateDirectory, stateNames.log);
  const logBytes = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
  if (logBytes <= 100 * 1024 * 1024) return [];
  const says = `${log} has grown to ${Math.round(logBytes / 1024 / 1024)} MiB.`;
  return [{ subject: 'log', state: 'notice', says, mend: 'Stop the daemon, then delete the log.' }];
}

function checkDamaged(database: string): Finding[] {
  return listQuarantined(database).map((file) => ({
    subject: 'database',
    state: 'notice',
    says: `${file} was damaged and was set aside; the sessions in it are missing since then.`,
    mend: 'Try the sqlite3 program on it (".recover"), then move it away or delete it.',
  }));
}

function checkDatabase(path: string): Finding[] {
  const fault = (says: string, mend: string): Finding[] => [{ subject: 'database', state: 'fault', says, mend }];
  if (!existsSync(path)) return [];
  if (!may(path, constants.R_OK | constants.W_OK))
    return fault(`${path} cannot be read and written.`, `chmod u+rw '${path}'`);
  if ((schemaVersionOf(path) ?? 0) <= migrations.length) return [];
  return fault(
    `${path} was written by a newer contextd.`,
    'Use the newer contextd. "contextd serve" says how to go back to the copy from before the update.',
  );
}

/** A daemon may use a model in another directory. It reports itself if it cannot use that model. */
function checkModel(stateDirectory: string, surroundings: Surroundings): Finding {
  const subject = 'model';
  let chosen: ReturnType<typeof parseEmbedderSettings>;
  try {
    chosen = parseEmbedderSettings({}, surroundings);
  } catch (error) {
    const mend = 'Correct CONTEXTD_MODEL, CONTEXTD_EMBEDDER or CONTEXTD_EMBEDDER_KEY, or unset it.';
    return { subject, state: 'fault', says: (error as Error).message, mend };
  }
  if ('url' in chosen) return good(subject, `${chosen.model} of ${chosen.url.origin}, which gets all searched text`);
  const { model } = chosen;
  const directory = modelDirectoryIn(stateDirectory, model);
  const missing = model.files.filter(({ path, size }) => {
    const stat = statOf(join(directory, path));
    return typeof stat !== 'object' || stat.size !== size;
  });
  if (missing.length === 0) return good(subject, directory);
  const says = `${model.id} is not in ${directory}; search compares only words.`;
  return {
    subject,
    state: 'notice',
    says,
    mend: `contextd warm (downloads ${megabytesOf(model)}), or: contextd serve --model-dir <dir>`,
  };
}

/** `hidden`: in a directory that the user may not enter. */
function statOf(path: string, read: typeof statSync = statSync): Stats | 'hidden' | undefined {
  try {
    return read(path, { throwIfNoEntry: false });
  } catch {
    return 'hidden';
  }
}

function nearestDirectory(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : nearestDirectory(parent);
}

function mayWrite(path: string): boolean {
  return may(path, constants.W_OK);
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

async function checkPort(value: string | undefined): Promise<Finding> {
  const subject = 'port';
  const port = value === undefined || value === '' ? defaultPort : parsePort(value);
  if (port === undefined)
    return {
      subject,
      state: 'fault',
      says: 'CONTEXTD_PORT is not a port.',
      mend: 'Set it to a number from 0 to 65535.',
    };
  const problem = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(undefined)));
  });
  if (problem === undefined) return good(subject, port === 0 ? 'any free one' : `${port} is free`);
  if (problem.code === 'EADDRNOTAVAIL')
    return {
      subject,
      state: 'fault',
      says: 'This machine has no address 127.0.0.1.',
      mend: 'contextd start --host=::1',
    };
  const says =
    problem.code === 'EADDRINUSE'
      ? `${port} is used by another program.`
      : `${port} cannot be used: ${problem.message}`;
  return {
    subject,
    state: 'fault',
    says,
    mend: 'Choose another port: CONTEXTD_PORT=<number>, or 0 for any free port.',
  };
}

function checkEnvironment(environment: Surroundings['environment'], home: string): Finding[] {
  const { warnings, clientContextPath, globalContextPath } = parseContextEnvironment(environment, home);
  const faults = warnings.map(
    ({ message }): Finding => ({
      subject: 'environment',
      state: 'fault',
      says: message,
      mend: 'Correct the variable, or unset it.',
    }),
  );
  const base = globalContextPath ?? home;
  const global = base.endsWith(`/${clientContextPath}`) ? base : join(base, clientContextPath);
  const says = existsSync(global) ? global : `${global} does not exist, so there is no global context`;
  return [...faults, good('global context', says)];
}

/** The store that the environment names. The daemon says at its start, and while it runs, whether it can be reached. */
function checkStore(surroundings: Surroundings): Finding[] {
  const subject = 'store';
  try {
    const store = parseStore({}, surroundings);
    return store === undefined ? [] : [good(subject, store.shown)];
  } catch (error) {
    const mend = 'Correct CONTEXTD_STORE or CONTEXTD_STORE_DIRECT, or unset it.';
    return [{ subject, state: 'fault', says: (error as Error).message, mend }];
  }
}

/** With fewer, an editor and a few tools can use up all watches. */
const fewWatches = 8_192;

function checkWatches(): Finding[] {
  const path = '/proc/sys/fs/inotify/max_user_watches';
  if (!existsSync(path)) return [];
  const watches = Number(readFileSync(path, 'utf8'));
  if (watches >= fewWatches) return [good('file watches', `${watches.toLocaleString('en-US')} per user`)];
  const says = `Only ${watches} per user. When they run out, the daemon looks for changes every few seconds.`;
  return [{ subject: 'file watches', state: 'notice', says, mend: moreWatches }];
}
