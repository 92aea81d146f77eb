/** Checks everything that the daemon needs, asks the running one, and says what would go wrong and how to fix it. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { checkSqliteVersion } from '../../adapters/sqlite/database.ts';
import { defaultPort } from '../../settings.ts';
import type { DaemonPlace } from '../client/daemon-place.ts';
import { parseContextEnvironment } from '../state/context-environment.ts';
import { parseStore } from '../state/postgres-address.ts';
import type { Surroundings } from '../state/state-directory.ts';
import { askHowItIs, moreWatches } from './ask-how-it-is.ts';
import { checkStateDirectory, statOf } from './check-state.ts';
import { megabytesOf, modelDirectoryIn } from './compose-embedder.ts';
import { parseEmbedderSettings } from './embedder-settings.ts';
import { type Finding, good } from './finding.ts';
import { holderOf } from './port-holder.ts';
import { parsePort } from './serve-settings.ts';

export type Diagnosis = { findings: Finding[]; healthy: boolean };

/** Changes nothing. `healthy`: there is no fault. A daemon that the environment names has its files elsewhere. */
export async function diagnose(place: DaemonPlace, surroundings: Surroundings): Promise<Diagnosis> {
  const { environment, home } = surroundings;
  const daemon = await askHowItIs(place);
  const ofState = typeof place === 'string' ? checkStateDirectory(place) : [];
  // A daemon warns of what is in its state directory, too.
  const isSaid = ({ mend }: Finding) => mend !== undefined && ofState.some((each) => each.mend === mend);
  const findings = [
    checkNode(),
    checkSqlite(),
    ...ofState,
    ...daemon.findings.filter((each) => !isSaid(each)),
    ...(typeof place === 'string' && !daemon.isRunning
      ? [checkModel(place, surroundings), await checkPort(environment.CONTEXTD_PORT)]
      : []),
    ...checkEnvironment(environment, home),
    ...checkStore(surroundings),
    ...checkWatches(),
  ];
  return { findings, healthy: findings.every(({ state }) => state !== 'fault') };
}

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

async function checkPort(value: string | undefined): Promise<Finding> {
  const subject = 'port';
  const isNamed = value !== undefined && value !== '';
  const port = isNamed ? parsePort(value) : defaultPort;
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
  const other = 'Choose another port: CONTEXTD_PORT=<number>, or 0 for any free port.';
  if (problem.code !== 'EADDRINUSE')
    return { subject, state: 'fault', says: `${port} cannot be used: ${problem.message}`, mend: other };
  const holder = await holderOf('127.0.0.1', port);
  return {
    subject,
    state: isNamed ? 'fault' : 'notice',
    says: `${port} is used by ${holder.says}`,
    mend: `${holder.mend}${isNamed ? '' : '"contextd start" takes a free port. '}${other}`,
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
