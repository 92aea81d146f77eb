/** Starts the daemon as its own process, which continues after the starting process ends (SY-01). */

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { grantedPaths } from '../../access/granted-paths.ts';
import { defaultModel } from '../../ports/embedding-model.ts';
import type { DiscoveredDaemon } from '../client/client.ts';
import type { DaemonPlace } from '../client/daemon-place.ts';
import { grantedRootsOf } from '../client/granted-roots.ts';
import type { Connect } from '../client/steady-daemon.ts';
import { CommandFailure, exitCodes, wrongSetup } from '../exit-codes.ts';
import type { Discovery } from '../state/discovery-file.ts';
import { realPathOf } from '../state/paths-on-disk.ts';
import { prepareStateDirectory, processSurroundings, stateNames } from '../state/state-directory.ts';
import { daemonEnvironment, ownCommand } from './node-options.ts';
import { parseServeSettings, type ServeFlags, type ServeSettings } from './serve-settings.ts';

const waitMs = 10_000;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;

type Started = { isNew: boolean; discovery: Discovery; request: DiscoveredDaemon['request'] };

/**
 * Waits until the daemon answers. `isNew` is false if one ran already, which then gets the roots granted. Throws
 * `CommandFailure` with the reason of the daemon.
 */
export async function startDaemon(flags: ServeFlags): Promise<Started> {
  const settings = parseServeSettings(flags, processSurroundings());
  const { stateDirectory } = settings;
  prepareStateDirectory(stateDirectory);
  const { findDaemon } = await import('../client/client.ts');
  const earlier = await findDaemon(stateDirectory);
  if (earlier.ok) return grantMore(earlier.client, settings);

  const logFile = join(stateDirectory, stateNames.log);
  const log = openLog(logFile);
  const logStart = fstatSync(log).size;
  const child = spawnDaemon(flags, settings, log);
  closeSync(log);
  let exitCode: number | undefined;
  child.on('exit', (code) => {
    exitCode = code ?? exitCodes.internal;
  });
  for (const end = performance.now() + waitMs; performance.now() < end; await delay(25)) {
    const found = await findDaemon(stateDirectory);
    if (found.ok) {
      const { discovery, request } = found.client;
      if (discovery.pid === child.pid) return { isNew: true, discovery, request };
      // Another daemon was faster. The own one waits for the lock, and would run as soon as the other one stops.
      child.kill('SIGKILL');
      return grantMore(found.client, settings);
    }
    if (exitCode !== undefined) throw new CommandFailure(exitCode, await lastWords(logFile, logStart));
  }
  throw new CommandFailure(
    exitCodes.unavailable,
    `the daemon does not answer after ${waitMs / 1000} s and may still be starting; see ${logFile}`,
  );
}

/** Grants the roots of the settings to a daemon that ran already, for good. */
async function grantMore(daemon: DiscoveredDaemon, { grantedRoots }: ServeSettings): Promise<Started> {
  const { request, discovery } = daemon;
  const roots = await grantedRootsOf(daemon);
  const granted = new Set(grantedPaths(roots));
  const others = grantedRoots.filter((path) => !granted.has(path));
  // What holds until the daemon stops is not granted for good, whatever its name is.
  const passing = others.length === 0 ? [] : roots.filter(({ origin }) => origin === 'start');
  const places = new Set(passing.map(({ path }) => realPathOf(path)));
  for (const path of others)
    if (!places.has(realPathOf(path))) await request({ method: 'POST', path: '/v1/roots', body: { path } });
  return { isNew: false, discovery, request };
}

/** `log`: the descriptor of the file for its output. */
function spawnDaemon(flags: ServeFlags, settings: ServeSettings, log: number): ChildProcess {
  // If the user names no port and the default one is taken, any free one will do: the answer says which.
  const isNamed = flags.dangerouslyBind !== undefined || flags.allowedHost !== undefined;
  const isAnyPort = flags.port === undefined && !process.env.CONTEXTD_PORT && !isNamed;
  const { program, args } = ownCommand();
  const command = [...args, ...serveArguments(flags, settings), ...(isAnyPort ? ['--free-port'] : []), '--json'];
  const env = { ...daemonEnvironment, ...process.env };
  // Addresses may hold a password, which a command line would show to every user of the machine.
  if (flags.store !== undefined) env.CONTEXTD_STORE = flags.store;
  if (flags.storeDirect !== undefined) env.CONTEXTD_STORE_DIRECT = flags.storeDirect;
  // In `/`, because a process keeps its directory from being unmounted.
  const child = spawn(program, command, { cwd: '/', env, detached: true, stdio: ['ignore', 'ignore', log] });
  child.unref();
  return child;
}

/** Starts the daemon of a state directory if none runs. A daemon that the user named is not started. */
export function connectTo(place: DaemonPlace): Connect {
  return async ({ mayStart }) => {
    if (mayStart && typeof place === 'string') await startDaemon({ stateDir: place });
    const { requireDaemon } = await import('../client/client.ts');
    return requireDaemon(place);
  };
}

/** The command line of a daemon with these settings, independent of directory and environment. */
export function serveArguments(flags: ServeFlags, settings: ServeSettings): string[] {
  const { embedder } = settings;
  const values: Record<string, string | number | undefined> = {
    '--port': settings.port,
    '--state-dir': settings.stateDirectory,
    '--host': flags.host,
    '--dangerously-bind': flags.dangerouslyBind,
    '--default-policy': settings.engine.defaultPolicy,
    '--formats': flags.formats,
    '--socket-trust': flags.socketTrust,
    '--ignore-files': settings.engine.ignoreFiles.toString() || 'all',
    '--client-context-path': flags.clientContextPath,
    '--global-context-path': settings.engine.globalContextPath,
    ...('url' in embedder
      ? { '--embedder': embedder.url.href, '--model': embedder.model, '--embedder-key-file': embedder.keyFile }
      : {
          '--model': embedder.model === defaultModel ? undefined : embedder.model.id,
          '--model-dir': embedder.directory,
        }),
    '--log-level': flags.logLevel,
    '--slow-request': flags.slowRequest,
    '--agent-quota': flags.agentQuota,
    '--store-password-file': settings.store?.passwordFile,
    '--tenant': flags.tenant,
    '--idle-exit': flags.idleExit,
    '--parent-pid': flags.parentPid,
  };
  const args = ['serve'];
  if (flags.followSymlinks === true) args.push('--follow-symlinks');
  if (flags.maskSecrets === true) args.push('--mask-secrets');
  if (flags.offline === true) args.push('--offline');
  for (const [name, value] of Object.entries(values)) if (value !== undefined) args.push(`${name}=${value}`);
  for (const root of settings.grantedRoots) args.push(`--grant-root=${root}`);
  for (const host of flags.allowedHost ?? []) args.push(`--allowed-host=${host}`);
  return args;
}

function openLog(path: string): number {
  try {
    return openSync(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw wrongSetup(`${path} cannot be opened: ${(error as Error).message}`);
  }
}

/** The sentence with which the daemon ended. */
async function lastWords(logFile: string, start: number): Promise<string> {
  const said = readFileSync(logFile).subarray(start).toString('utf8');
  const sentence = /^contextd: (.+)$/mu.exec(said)?.[1];
  if (sentence !== undefined) return sentence;
  if (said !== '') return `the daemon ended while it started; see ${logFile}`;
  const { diskWarnings } = await import('../../adapters/sqlite/health.ts');
  const [full] = diskWarnings(dirname(logFile));
  return full?.message ?? 'the daemon ended while it started; "contextd serve" says why';
}
