/** The composition root of the daemon: everything is made here, given to what needs it, and closed again. */

import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, realpathSync, rmSync } from 'node:fs';
import module from 'node:module';
import { type AddressInfo, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import type { createApp } from '../../../routes/app.ts';
import { decideBindAddress } from '../../../routes/http/bind-address.ts';
import { createSystemClock } from '../../adapters/clock/system-clock.ts';
import { type Lock, tryLock } from '../../adapters/files/lock-file.ts';
import { createSignInPages } from '../../adapters/files/sign-in-pages.ts';
import { formatNames, unknownFormats } from '../../context/formats/choose-formats.ts';
import type { FormatsSetting } from '../../settings.ts';
import { createConsoleName, createConsoleSessions } from '../../sign-in/console-sessions.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { printJsonLine } from '../options.ts';
import { readyMessage } from '../render/ready-message.ts';
import { writeDiscoveryFile } from '../state/discovery-file.ts';
import { packageDirectory, packageVersion } from '../state/package-info.ts';
import { readSecretKey } from '../state/secret-key.ts';
import {
  directoriesOfDaemons,
  prepareStateDirectory,
  processSurroundings,
  stateNames,
} from '../state/state-directory.ts';
import { pruneCompileCache } from './compile-cache.ts';
import { composeEmbedder } from './compose-embedder.ts';
import { giveMemoryBack, spaceOfThreads } from './give-memory-back.ts';
import { endProcessOrderly } from './process-end.ts';
import { parseServeSettings, type ServeFlags } from './serve-settings.ts';
import { watchForRemoval, watchIdleness, watchProcess } from './watchdogs.ts';

type App = Awaited<ReturnType<typeof createApp>>;

const graceMs = 5_000;
const claimMs = 30_000;
const pruneAfterMs = 10_000;
/** Under 100 requests a second there is a collection each six seconds. */
const giveBack = { everyMs: 60_000, mostMs: 30_000 };

/**
 * Runs the daemon until it is told to end, and then ends the process. Returns when it listens. Throws `CommandFailure`
 * 75 when another one runs, 78 when something about the configuration or the machine forbids to start.
 */
export async function serve(flags: ServeFlags): Promise<void> {
  const settings = parseServeSettings(flags, processSurroundings());
  if (flags.formats !== undefined) checkFormats(settings.engine.formats);
  const binding = decideBindAddress({
    host: flags.host,
    dangerouslyBind: flags.dangerouslyBind,
    allowedHosts: flags.allowedHost,
  });
  if ('problem' in binding) throw new CommandFailure(exitCodes.refused, binding.problem);
  // By default V8 collects old objects only when they are several times what is in use, and what it took once it keeps. Here
  // it collects at a fifth more, so that a daemon that runs for weeks stays as small as it is, for some percent more time.
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString(spaceOfThreads);
  giveMemoryBack(giveBack);
  // Whatever the daemon writes is for its user only.
  process.umask(0o077);
  prepareStateDirectory(settings.stateDirectory);
  const inState = (name: keyof typeof stateNames) => join(settings.stateDirectory, stateNames[name]);
  // What lies in this cache is run: only below a directory that was found safe.
  module.enableCompileCache(inState('compileCache'));
  const lock = await claim(inState('lock'), settings.stateDirectory);
  const discoveryFile = inState('discovery');
  // One that a killed daemon left behind must not be found until ours is there.
  rmSync(discoveryFile, { force: true });

  const [
    { createApp },
    { createChokidarWatcher },
    { createPinoLogger },
    { isOpenAs, openLog },
    { createSqliteStore },
    { composeEngine },
    { composeMcp },
  ] = await Promise.all([
    import('../../../routes/app.ts'),
    import('../../adapters/files/chokidar-watcher.ts'),
    import('../../adapters/log/pino-logger.ts'),
    import('../../adapters/log/pino-log-output.ts'),
    import('../../adapters/sqlite/store.ts'),
    import('../in-process/compose-engine.ts'),
    import('./compose-mcp.ts'),
  ]);
  const token = randomBytes(32).toString('base64url');
  // The one that `start` gives it; whatever else standard error is, is kept short by whom it belongs to.
  const logFile = isOpenAs(2, inState('log')) ? inState('log') : undefined;
  const output = openLog(logFile);
  process.on('exit', () => output.flush?.());
  const logger = createPinoLogger({
    level: flags.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info'),
    secret: token,
    output,
  });
  const identity = { version: packageVersion(), startedAt: new Date(), instanceId: randomUUID() };
  const engine = await composeEngine({
    settings: settings.engine,
    settingsWarnings: settings.warnings,
    grantedRoots: settings.grantedRoots,
    deniedDirectories: directoriesOfDaemons(settings.stateDirectory, processSurroundings()),
    store: attempt(() => createSqliteStore(inState('store'), { heal: true }), `${inState('store')} cannot be opened.`),
    logger,
    watcher: createChokidarWatcher(),
    embedder: composeEmbedder({ ...settings, offline: flags.offline === true }),
    secretKey: attempt(() => readSecretKey(inState('secretKey')), `${inState('secretKey')} cannot be used.`),
    mcp: composeMcp({
      stateDirectory: realpathSync(settings.stateDirectory),
      environment: process.env,
      ownPort: () => (app.server.address() as AddressInfo | null)?.port,
      logger,
    }),
  });
  const address = addressForClients(binding.host);
  const isBeyondLoopback = binding.risk !== undefined;
  const pages = createSignInPages(inState('signIn'));
  const app = await createApp({
    ...identity,
    engine,
    token,
    logger,
    logFile,
    countDescriptors,
    slowRequestMs: flags.slowRequest,
    // The CLI names the address itself; a page in a browser cannot make a name look like one.
    allowedHosts: [...(flags.allowedHost ?? []), ...(isBeyondLoopback ? [`${address}:${settings.port}`] : [])],
    console: {
      sessions: createConsoleSessions(createSystemClock()),
      pages,
      name: createConsoleName(),
      directory: join(packageDirectory(), 'dist/console'),
    },
    onShutdown: () => end('shutdown was requested'),
  });
  const end = endProcessOrderly({
    logger,
    graceMs,
    withdraw() {
      rmSync(discoveryFile, { force: true });
      pages.removeAll();
    },
    async close() {
      // A connection that was busy when closing began would otherwise stay until its keep-alive timeout.
      setInterval(() => app.server.closeIdleConnections(), 50);
      // Open requests may wait for servers, and both for the same grace time.
      await Promise.all([app.close(), engine.stopServers()]);
      await engine.dispose();
      lock.release();
    },
  });

  const url = `http://${address}:${await listen(app, { host: binding.host, port: settings.port })}`;
  const discovery = { url, token, pid: process.pid, ...identity };
  attempt(() => writeDiscoveryFile(discoveryFile, discovery), `${discoveryFile} cannot be written.`);
  watchForRemoval(discoveryFile, () => end('the discovery file was deleted'));
  if (flags.parentPid !== undefined) watchProcess(flags.parentPid, () => end('the parent process is gone'));
  if (flags.idleExit !== undefined)
    watchIdleness(app.server, flags.idleExit * 60_000, () => end('no request for long'));

  // Later: those who wait for the daemon have something else for it to do.
  setTimeout(() => pruneCompileCache(inState('compileCache')), pruneAfterMs).unref();

  if (binding.risk !== undefined) logger.warn({ host: binding.host }, binding.risk);
  for (const { code, message } of await engine.settingsWarnings()) logger.warn({ code }, message);
  const grantedRoots = (await engine.listRoots()).filter(({ origin }) => origin !== 'global').map(({ path }) => path);
  const ready = { url, ...identity, discoveryFile, grantedRoots };
  logger.info(ready, 'ready');
  // Whoever was to read it may be gone, and a disk may be full.
  process.stdout.removeAllListeners('error').on('error', () => {});
  if (flags.json === true) printJsonLine({ ...ready, pid: process.pid });
  else process.stdout.write(readyMessage(ready));
  if (flags.open === true) {
    const { openConsoleOf } = await import('../client/open-console.ts');
    const tell = process.stdout.isTTY ? console.log : undefined;
    const opened = await openConsoleOf(settings.stateDirectory, { tell, isTerminal: true });
    if (!opened) logger.warn({}, 'no browser has signed in; for an address to open: contextd open --print');
  }
}

/**
 * Takes the lock, or throws 75 with the address of the one that has it; waits for one that is starting or ending. The
 * lock is lost when the returned object is let go.
 */
async function claim(path: string, stateDirectory: string): Promise<Lock> {
  const end = performance.now() + claimMs;
  // Ever more seldom, so that many that wait do not slow down the one that starts; never in step with each other.
  for (let pauseMs = 50; ; pauseMs = Math.min(1_000, pauseMs * 1.5)) {
    const lock = attempt(() => tryLock(path), `${path} cannot be used; delete it.`);
    if (lock !== undefined) return lock;
    const { findDaemon } = await import('../client/client.ts');
    const found = await findDaemon(stateDirectory);
    if (found.ok) throw alreadyRunning(`at ${found.client.discovery.url} (process ${found.client.discovery.pid})`);
    if (performance.now() > end) throw alreadyRunning(`with ${stateDirectory}, but does not answer: ${found.reason}`);
    await delay(pauseMs * (0.5 + Math.random()));
  }
}

/** Open files and sockets of this process, where the system tells. */
function countDescriptors(): number | undefined {
  try {
    // One of them is the directory itself.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}

/** What fails here is the machine's fault, not ours: 78 with the reason. */
function attempt<Result>(work: () => Result, otherwise: string): Result {
  try {
    return work();
  } catch (error) {
    throw new CommandFailure(exitCodes.refused, `${otherwise} (${(error as Error).message})`);
  }
}

function alreadyRunning(where: string): CommandFailure {
  return new CommandFailure(exitCodes.alreadyRunning, `another one runs already ${where}`);
}

/** Listens and returns the port. */
async function listen(app: App, { host, port }: { host: string; port: number }): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EADDRINUSE'
        ? `port ${port} is taken by another program. Choose one with --port or CONTEXTD_PORT; 0 picks a free one.`
        : `it is not possible to listen on ${host}, port ${port}: ${message}`;
    throw new CommandFailure(exitCodes.refused, why);
  }
  return (app.server.address() as AddressInfo).port;
}

/** How programs on this machine name the address in a URL. */
function addressForClients(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}

function checkFormats(formats: FormatsSetting): void {
  const [unknown] = unknownFormats(formats);
  if (unknown === undefined) return;
  const known = formatNames.join(', ');
  throw new CommandFailure(exitCodes.usage, `There is no format "${unknown}". Say all, none, or some of ${known}.`);
}
