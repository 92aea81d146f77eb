import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { isInside, relativePath } from '../../access/paths.ts';
import type { ResolveRequest } from '../../context/resolve-request.ts';
import type { ResolveResult } from '../../context/resolve-result.ts';
import { ContextdError } from '../../errors.ts';
import type { ContextChanged, Resync } from '../../events/event.ts';
import { visibleText } from '../../texts/visible-text.ts';
import type { DaemonClient } from '../client/client.ts';
import { type DaemonPlace, daemonPlace } from '../client/daemon-place.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { printJsonLine } from '../render/json.ts';
import { parseContextEnvironment } from '../state/context-environment.ts';
import { processSurroundings, type Surroundings } from '../state/state-directory.ts';
import { type CommonFlags, projectArgument, refuseBeside, stateDirOption } from './shared/options.ts';

type Flags = CommonFlags & { workingDirectory?: string; all?: boolean };

/** `contextd watch`: what happens to the context of a directory, as it happens. */
export function addWatchCommand(program: Command): void {
  program
    .command('watch')
    .summary('Show changes of the context as they happen.')
    .description('Shows changes of the context of a directory as they happen. Needs a running daemon.')
    .addArgument(projectArgument())
    .option('-w, --working-directory <dir>', 'The directory you work in, relative to <dir>. Default: <dir>.')
    .option('--all', 'Show all events, including those of lists, agents, sessions, servers, model and index.')
    .option('--json', 'Print one line of JSON for each change.')
    .addOption(stateDirOption())
    .addHelpText('after', watchHelp)
    .action(watch);
}

const watchHelp = `
It watches the context directories from <dir> to the working directory, the global one,
and policies. It does not watch files that a configuration includes from elsewhere. When
the daemon restarts, the command connects again. --all watches no directory by itself; it
shows what the daemon tells its other listeners.

Examples:
  contextd watch
  contextd watch ~/code/shop --working-directory src/cart
  contextd watch --all
  contextd watch --json | while read -r line; do contextd resolve; done

Exit codes:
  0 ended with Ctrl-C   64 wrong usage or directory   69 no daemon runs
  78 the state directory or the discovery file cannot be trusted`;

async function watch(directory: string, flags: Flags, { args }: Command): Promise<void> {
  if (flags.all === true)
    refuseBeside('--all', { 'A directory': args.length > 0, '-w': flags.workingDirectory !== undefined });
  const surroundings = processSurroundings();
  const place = daemonPlace(flags.stateDir, surroundings);
  const isJson = flags.json === true;
  const printEvent = await createEventPrinter(isJson);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(exitCodes.ok));
  await followEvents(place, {
    request: flags.all === true ? undefined : requestOf(directory, flags, surroundings),
    printEvent,
    say: isJson ? () => {} : console.error,
  });
}

/** The request whose answer the daemon watches. */
function requestOf(directory: string, flags: Flags, { environment, home }: Surroundings): ResolveRequest {
  const { clientContextPath, globalContextPath } = parseContextEnvironment(environment, home);
  return {
    mountedDirectory: resolve(directory),
    workingDirectory: flags.workingDirectory,
    content: false,
    clientContextPath: environment.CLIENT_CONTEXT_PATH === undefined ? undefined : clientContextPath,
    globalContextPath,
  };
}

/** With a `mountedDirectory`, prints only what is about it. */
type PrintEvent = (event: string, data: object, mountedDirectory: string | undefined) => void;

async function createEventPrinter(isJson: boolean): Promise<PrintEvent> {
  const { renderEvent } = await import('../render/event.ts');
  const print = isJson ? printJsonLine : printLine;
  return (event, data, mountedDirectory) => {
    const time = new Date();
    if (mountedDirectory !== undefined)
      for (const line of linesOf(event, data, mountedDirectory)) print(line, mountedDirectory);
    else if (isJson) printJsonLine({ time: time.toISOString(), event, ...data });
    else console.log(`${clockOf(time)}  ${renderEvent(event, data)}`);
  };
}

/** `say`: prints what only people read. */
type Following = { request: ResolveRequest | undefined; printEvent: PrintEvent; say(text: string): void };

/** Connects again when the daemon comes back. Throws if there is none at first, and for problems that stay. */
async function followEvents(place: DaemonPlace, { request, printEvent, say }: Following): Promise<never> {
  const [{ requireDaemon }, { openEvents, readServerSentEvents, retryMs }] = await Promise.all([
    import('../client/client.ts'),
    import('../client/server-sent-events.ts'),
  ]);
  let lastId: string | undefined;
  let isFirst = true;
  let waitMs = retryMs.first;
  for (;;) {
    try {
      const client = await requireDaemon(place);
      const stream = await openEvents(client, { lastId });
      // Asked after the stream was opened, so that no change is missed.
      const mountedDirectory = request && (await askOnce(client, request)).mountedDirectory;
      const what = mountedDirectory === undefined ? 'everything that happens' : visibleText(mountedDirectory);
      say(isFirst ? `Watching ${what}. Ctrl-C ends.` : 'Connected again.');
      isFirst = false;
      waitMs = retryMs.first;
      for await (const { id, event, data } of readServerSentEvents(untilItBreaks(stream))) {
        lastId = id ?? lastId;
        if (data !== undefined) printEvent(event, JSON.parse(data), mountedDirectory);
      }
    } catch (error) {
      // Wait only for a daemon that ran before: it may come back.
      if (isFirst || !isAway(error)) throw error;
    }
    if (waitMs === retryMs.first) say('The daemon is gone; waiting for it.');
    await delay(waitMs);
    waitMs = Math.min(2 * waitMs, retryMs.max);
  }
}

async function* untilItBreaks(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* stream;
  } catch {
    // The daemon ended, or sends nothing.
  }
}

function isAway(error: unknown): boolean {
  return error instanceof CommandFailure
    ? error.exitCode === exitCodes.unavailable
    : error instanceof ContextdError && error.code === 'unavailable';
}

function askOnce(client: DaemonClient, body: ResolveRequest): Promise<ResolveResult> {
  return client.request<ResolveResult>({ method: 'POST', path: '/v1/context/resolve', body });
}

type Line = { time: string; event: string; change?: string; path?: string; reason?: string };

/** The part of an event about the mounted directory. The daemon may also watch others. */
function linesOf(event: string, data: unknown, mountedDirectory: string): Line[] {
  const time = new Date().toISOString();
  if (event === 'resync') return [{ time, event, reason: (data as Resync).reason }];
  if (event !== 'context-changed' && event !== 'policy-changed') return [];
  const { mountedDirectories, changes } = data as ContextChanged;
  if (!mountedDirectories.includes(mountedDirectory)) return [];
  const others = mountedDirectories.filter((other) => !isInside(other, mountedDirectory));
  return changes
    .filter(({ path }) => isInside(mountedDirectory, path) || !others.some((other) => isInside(other, path)))
    .map(({ path, change }) => ({ time, event, change, path }));
}

function clockOf(time: Date): string {
  return time.toTimeString().slice(0, 8);
}

function printLine({ time, change, path, reason }: Line, mountedDirectory: string): void {
  const clock = clockOf(new Date(time));
  if (path === undefined) {
    console.log(`${clock}  resync   something may have been missed (${reason})`);
    return;
  }
  const shown = isInside(mountedDirectory, path) ? relativePath(mountedDirectory, path) : path;
  console.log(`${clock}  ${change?.padEnd(7)}  ${visibleText(shown)}`);
}
