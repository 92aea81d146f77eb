/** The composition root of the daemon: creates all parts, connects them, and closes them again. */

import { randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, realpathSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { createApp } from '../../../routes/app.ts';
import { decideBindAddress } from '../../../routes/http/bind-address.ts';
import { createSystemClock } from '../../adapters/clock/system-clock.ts';
import { createSignInPages } from '../../adapters/files/sign-in-pages.ts';
import type { Engine } from '../../engine.ts';
import { programIsGone } from '../../pace/missing-part.ts';
import type { Logger } from '../../ports/ports.ts';
import { fixedLimits, protocol } from '../../settings.ts';
import { createConsoleName, createConsoleSessions } from '../../sign-in/console-sessions.ts';
import { exitCodes, wrongSetup } from '../exit-codes.ts';
import { writeDiscoveryFile } from '../state/discovery-file.ts';
import { packageDirectory, packageVersion } from '../state/package-info.ts';
import { readSecretKey } from '../state/secret-key.ts';
import { directoriesOfDaemons, processSurroundings, stateNames } from '../state/state-directory.ts';
import { pruneCompileCache } from './compile-cache.ts';
import { composeEmbedder } from './compose-embedder.ts';
import { addressForClients, listen, listenOnSocket } from './listen.ts';
import { keepMemorySmall } from './memory.ts';
import { namedSettings } from './named-settings.ts';
import { openStore } from './open-store.ts';
import { endProcessOrderly } from './process-end.ts';
import type { ServeFlags, ServeSettings } from './serve-settings.ts';
import { attempt, type InState, takeState } from './take-state.ts';
import { tellReady } from './tell-ready.ts';
import { watchForRemoval, watchIdleness, watchProcess } from './watchdogs.ts';

type App = Awaited<ReturnType<typeof createApp>>;
type Binding = Exclude<ReturnType<typeof decideBindAddress>, { problem: string }>;

const pruneAfterMs = 10_000;

/**
 * Runs the daemon until it is told to end, then ends the process. Returns when it listens. Throws `CommandFailure` 75
 * if another daemon runs, 78 if the configuration or the machine prevents the start.
 */
export async function serve(flags: ServeFlags): Promise<void> {
  const settings = namedSettings(flags);
  // Processes that the daemon starts must not get the key.
  delete process.env.CONTEXTD_EMBEDDER_KEY;
  const binding = decideBinding(flags);
  keepMemorySmall();
  const inState: InState = (name) => join(settings.stateDirectory, stateNames[name]);
  const lock = await takeState(settings.stateDirectory, inState);
  const discoveryFile = inState('discovery');

  const parts = await loadParts();
  const token = randomBytes(32).toString('base64url');
  // The daemon keeps only this log short. Another target of standard error belongs to whoever started the daemon.
  const logFile = parts.isOpenAs(2, inState('log')) ? inState('log') : undefined;
  const output = logFile === undefined ? parts.writeLines(2) : parts.openLogFile(logFile);
  const level = flags.logLevel ?? (process.stderr.isTTY ? 'warn' : 'info');
  const secrets = [token, ...secretsOf(settings)];
  const logger = parts.createPinoLogger({ level, secrets, output });
  const identity = { version: packageVersion(), startedAt: new Date(), instanceId: randomUUID() };
  const ownPort = () => (app.server.address() as AddressInfo | null)?.port;
  const engine = await startEngine(parts, { settings, flags, inState, logger, ownPort });
  const address = addressForClients(binding.host);
  const pages = createSignInPages(inState('signIn'));
  const app = await parts.createApp({
    ...identity,
    engine,
    answerHook: parts.createHookAnswers({ engine, directory: inState('hooks') }),
    token,
    logger,
    logFile,
    countDescriptors,
    slowRequestMs: flags.slowRequest,
    allowedHosts: allowedHosts(flags, binding, settings),
    console: composeConsole(pages),
    isOwnerTrusted: flags.socketTrust === 'owner',
    onShutdown: () => end('shutdown was requested'),
  });
  let closeSocket = async (): Promise<void> => {};
  const end = endProcessOrderly({
    logger,
    graceMs: fixedLimits.stopping.graceMs,
    isHeld: engine.files.holdThreads,
    withdraw() {
      rmSync(discoveryFile, { force: true });
      pages.removeAll();
    },
    async close() {
      // A connection that was busy when closing began would stay until its keep-alive timeout.
      setInterval(() => app.server.closeIdleConnections(), 50);
      // All at once, because open requests may wait for servers, and all of this shares one grace time.
      await Promise.all([app.close(), closeSocket(), engine.stopServers()]);
      await engine.dispose();
      lock.release();
    },
  });

  const url = `http://${address}:${await listen(app, { ...binding, port: settings.port, freePort: flags.freePort })}`;
  const socket = await listenOnSocket(app.server, inState('socket'), logger);
  closeSocket = socket.close;
  // One of them shows later that a file is a copy.
  const place = 'socket' in socket.found ? socket.found : { discoveryFile };
  const discovery = { url, ...place, token, pid: process.pid, ...identity, ...protocol };
  attempt(() => writeDiscoveryFile(discoveryFile, discovery), `${discoveryFile} cannot be written.`);
  watchForReasonsToEnd(app, { discoveryFile, flags, end });
  // Not now, because clients that waited for the start come first.
  setTimeout(() => pruneCompileCache(inState('compileCache')), pruneAfterMs).unref();

  const { token: _token, pid: _pid, ...where } = discovery;
  const embedder = 'url' in settings.embedder ? settings.embedder : undefined;
  await tellReady(engine, { ...where, discoveryFile }, { flags, binding, logger, embedder });
  if (flags.open === true) await openConsole(settings.stateDirectory, logger);
}

type EngineParts = { settings: ServeSettings; flags: ServeFlags; inState: InState; logger: Logger };

/** The engine of the daemon, with the database and the watcher that only it has. */
async function startEngine(
  parts: Parts,
  { settings, flags, inState, logger, ownPort }: EngineParts & { ownPort(): number | undefined },
): Promise<Engine> {
  const local = attempt(
    () => parts.createSqliteStore(inState('store'), { heal: true }),
    `${inState('store')} cannot be opened.`,
  );
  const store = await openStore(local, settings.store, logger);
  return parts.composeEngine({
    settings: settings.engine,
    settingsWarnings: settings.warnings,
    grantedRoots: settings.grantedRoots,
    deniedDirectories: [
      ...directoriesOfDaemons(settings.stateDirectory, processSurroundings()),
      ...(settings.store?.secretFiles ?? []),
    ],
    store,
    logger,
    watcher: parts.createChokidarWatcher(),
    embedder: await composeEmbedder({ ...settings, offline: flags.offline === true }),
    // Daemons that share a store compare hashes that they made with the key, so it is the same for all.
    secretKey: store.sharedKey ?? ownKey(inState('secretKey')),
    mcp: parts.composeMcp({
      stateDirectory: realpathSync(settings.stateDirectory),
      environment: process.env,
      ownPort,
      logger,
    }),
  });
}

function ownKey(path: string): Uint8Array {
  return attempt(() => readSecretKey(path), `${path} cannot be used.`);
}

function decideBinding({ host, dangerouslyBind, allowedHost }: ServeFlags): Binding {
  const binding = decideBindAddress({ host, dangerouslyBind, allowedHosts: allowedHost });
  if ('problem' in binding) throw wrongSetup(binding.problem);
  return binding;
}

/** The bound address counts as a host, too: a page in a browser can fake a name (DNS rebinding), but no address. */
function allowedHosts({ allowedHost = [] }: ServeFlags, { host, risk }: Binding, { port }: ServeSettings): string[] {
  return risk === undefined ? allowedHost : [...allowedHost, `${addressForClients(host)}:${port}`];
}

function composeConsole(pages: ReturnType<typeof createSignInPages>) {
  return {
    sessions: createConsoleSessions(createSystemClock()),
    pages,
    name: createConsoleName(),
    directory: join(packageDirectory(), 'dist/console'),
  };
}

function watchForReasonsToEnd(
  app: App,
  {
    discoveryFile,
    flags,
    end,
  }: { discoveryFile: string; flags: ServeFlags; end: ReturnType<typeof endProcessOrderly> },
): void {
  watchForRemoval(discoveryFile, () => end('the discovery file was deleted'));
  // A build gives this file another name in each version, so after an update it is gone. Programs and workers have the
  // same names in all versions: this daemon would start those of the new version.
  watchForRemoval(import.meta.filename, () => end(programIsGone, exitCodes.unavailable));
  if (flags.parentPid !== undefined) watchProcess(flags.parentPid, () => end('the parent process is gone'));
  if (flags.idleExit !== undefined)
    watchIdleness(app.server, flags.idleExit * 60_000, () => end('there was no request for a long time'));
}

type Parts = Awaited<ReturnType<typeof loadParts>>;

/** The parts of the daemon are loaded only when it is certain to start. */
async function loadParts() {
  const modules = await Promise.all([
    import('../../../routes/app.ts'),
    import('../../adapters/files/chokidar-watcher.ts'),
    import('../../adapters/log/pino-logger.ts'),
    import('../../adapters/log/pino-log-output.ts'),
    import('../../adapters/sqlite/store.ts'),
    import('../hooks/serve-hooks.ts'),
    import('../in-process/compose-engine.ts'),
    import('./compose-mcp.ts'),
  ]);
  const [app, watcher, logger, logOutput, store, hooks, engine, mcp] = modules;
  return { ...app, ...watcher, ...logger, ...logOutput, ...store, ...hooks, ...engine, ...mcp };
}

/**
 * The key as it is written in a line of the log. A key of fewer than 8 characters is a placeholder for servers without
 * keys, and masking it would mask other words.
 */
function secretsOf({ embedder }: ServeSettings): string[] {
  if (!('url' in embedder) || embedder.key === undefined || embedder.key.length < 8) return [];
  return [JSON.stringify(embedder.key).slice(1, -1)];
}

async function openConsole(stateDirectory: string, logger: Logger): Promise<void> {
  const { openConsoleOf } = await import('../client/open-console.ts');
  const tell = process.stdout.isTTY ? console.log : undefined;
  const opened = await openConsoleOf(stateDirectory, { tell, isTerminal: true });
  if (!opened) logger.warn({}, 'no browser has signed in; to get an address to open: contextd open --print');
}

/** Open files and sockets of this process, if the system shows them. */
function countDescriptors(): number | undefined {
  try {
    // One of them is for reading this directory.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}
