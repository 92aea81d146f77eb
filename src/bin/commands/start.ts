import { spawn } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Discovery } from '../discovery-file.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { parseServeSettings, type ServeFlags, type ServeSettings } from '../serve-settings.ts';
import { prepareStateDirectory, processSurroundings, stateNames } from '../state-directory.ts';
import { addServeOptions } from './serve.ts';
import { jsonOption, printJson } from './shared.ts';

const waitMs = 10_000;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;

/** `contextd start`: the daemon in the background. One that runs already is success: it is what was wanted (SY-01). */
export function addStartCommand(program: Command): void {
  const command = program
    .command('start')
    .summary('Run the daemon in the background.')
    .description(
      'Starts the daemon in the background, waits until it answers, and says where it is. When one runs already, says ' +
        'where that one is; the options have no effect then. The log goes to <state dir>/contextd.log.',
    )
    .addOption(jsonOption());
  addServeOptions(command)
    .addHelpText(
      'after',
      '\nExit codes:\n  0 it runs   64 wrong usage   69 it does not answer   78 refused, as in serve',
    )
    .action(start);
}

async function start(flags: ServeFlags): Promise<void> {
  const settings = parseServeSettings(flags, processSurroundings());
  prepareStateDirectory(settings.stateDirectory);
  const { findDaemon } = await import('../client.ts');
  const earlier = await findDaemon(settings.stateDirectory);
  if (earlier.ok) return report(earlier.client.discovery, flags, 'runs already');

  const logFile = join(settings.stateDirectory, stateNames.log);
  const log = openSync(logFile, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW, 0o600);
  const logStart = fstatSync(log).size;
  const command = [...process.execArgv, process.argv[1] as string, ...serveArguments(flags, settings)];
  // Not from here: the daemon would keep the current directory from being unmounted or removed.
  const child = spawn(process.execPath, command, { cwd: '/', detached: true, stdio: ['ignore', log, log] });
  child.unref();
  closeSync(log);
  let exitCode: number | undefined;
  child.on('exit', (code) => {
    exitCode = code ?? exitCodes.internal;
  });
  for (const end = Date.now() + waitMs; Date.now() < end; await delay(25)) {
    const found = await findDaemon(settings.stateDirectory);
    if (found.ok) {
      const { discovery } = found.client;
      return report(discovery, flags, discovery.pid === child.pid ? 'runs' : 'runs already');
    }
    if (exitCode !== undefined) throw new CommandFailure(exitCode, lastWords(logFile, logStart));
  }
  throw new CommandFailure(
    exitCodes.unavailable,
    `the daemon does not answer after ${waitMs / 1000} s; see ${logFile}`,
  );
}

function serveArguments(flags: ServeFlags, settings: ServeSettings): string[] {
  const values: Record<string, string | number | undefined> = {
    '--port': settings.port,
    '--state-dir': settings.stateDirectory,
    '--host': flags.host,
    '--dangerously-bind': flags.dangerouslyBind,
    '--default-policy': settings.engine.defaultPolicy,
    '--client-context-path': flags.clientContextPath,
    '--global-context-path': settings.engine.globalContextPath,
    '--model-dir': settings.modelDirectory,
    '--log-level': flags.logLevel,
    '--idle-exit': flags.idleExit,
    '--parent-pid': flags.parentPid,
  };
  const args = ['serve', '--json'];
  if (flags.followSymlinks === true) args.push('--follow-symlinks');
  if (flags.offline === true) args.push('--offline');
  for (const [name, value] of Object.entries(values)) if (value !== undefined) args.push(`${name}=${value}`);
  for (const root of settings.grantedRoots) args.push(`--grant-root=${root}`);
  for (const host of flags.allowedHost ?? []) args.push(`--allowed-host=${host}`);
  return args;
}

/** The sentence with which the daemon gave up. */
function lastWords(logFile: string, start: number): string {
  const said = readFileSync(logFile).subarray(start).toString('utf8').trim();
  return said.replace(/^contextd: /u, '') || `the daemon ended while it started; see ${logFile}`;
}

function report({ url, pid, version, startedAt }: Discovery, flags: ServeFlags, how: string): void {
  if (flags.json === true) printJson({ url, pid, version, startedAt });
  else console.log(`contextd ${how} at ${url} (process ${pid})`);
}
