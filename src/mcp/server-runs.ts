/**
 * The running servers, and limits of their starts: one start at a time for each server, few at once, and growing delays
 * after failures (MC-03, S-29, S-33). Right before each start, contextd checks again whether the server may be started.
 */

import { ContextdError, NotYetError } from '../errors.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import { createTurns } from '../pace/turns.ts';
import { type McpConnection, McpError, type McpFailure, type McpListName } from '../ports/mcp-launcher.ts';
import type { Clock } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import { startCommand } from './definition.ts';
import { type StartPorts, startServer, stopped } from './server-start.ts';
import { asSentence, reasonOf, upstream } from './start-refused.ts';

const runLimits = fixedLimits.mcpServers;

export type RunState = 'stopped' | 'starting' | 'ready' | 'failed';
export type RunStatus = Readonly<{ state: RunState; reason: Reason }>;

export type ServerRuns = Readonly<{
  status(id: string): RunStatus;
  connection(id: string): McpConnection | undefined;
  /**
   * Returns the connection. Starts the server if there is none. `byUser`: also starts a server that the user stopped,
   * and does not wait after a failure. Throws `limit_exceeded`, `unavailable`, `upstream_failed`, `upstream_timeout`,
   * and errors of the preparation.
   */
  start(id: string, options?: { byUser?: boolean }): Promise<McpConnection>;
  /**
   * Resolves when the server has ended completely. A server that was stopped stays stopped until the user starts it.
   */
  stop(id: string, reason?: Reason): Promise<void>;
  /** Forgets the failures of a server that is not running: the user has approved it again. */
  forgive(id: string): void;
  /** The states of all servers that were started since the start of the daemon. */
  states(): RunState[];
  dispose(): Promise<void>;
}>;

type RunPorts = StartPorts & {
  clock: Clock;
  /** Runs `work` after `ms` milliseconds. Returns a function that cancels it. */
  schedule(work: () => void, ms: number): () => void;
  onListChanged(id: string, list: McpListName): void;
  onStatus(id: string, status: RunStatus): void;
};

type Run = {
  readonly id: string;
  status: RunStatus;
  connection?: McpConnection | undefined;
  starting?: Promise<McpConnection> | undefined;
  /** Monotonic times of the recent starts. */
  starts: number[];
  failures: number;
  notBefore: number;
  cancelRestart?: (() => void) | undefined;
  /** Aborted when the server is stopped. Then events of what was started do not count. */
  callOff?: AbortController | undefined;
  closing?: Promise<void> | undefined;
};

/** All runs, and their shared state. */
type Shared = {
  readonly ports: RunPorts;
  readonly runs: Map<string, Run>;
  /** Limits how many starts run at once. */
  readonly inTurn: ReturnType<typeof createTurns>;
  isDisposed: boolean;
};

export const notStarted: RunStatus = { state: 'stopped', reason: { code: 'not_started' } };
export const stoppedByUser: Reason = { code: 'stopped_by_user' };

export function createServerRuns(ports: RunPorts): ServerRuns {
  const runs = new Map<string, Run>();
  const shared: Shared = { ports, runs, inTurn: createTurns(runLimits.starting), isDisposed: false };
  const create = (id: string): Run => ({ id, status: notStarted, starts: [], failures: 0, notBefore: 0 });
  const runOf = onceForEach(create, runs);
  return Object.freeze({
    status: (id) => runs.get(id)?.status ?? notStarted,
    connection: (id) => runs.get(id)?.connection,
    async start(id, { byUser = false } = {}) {
      const run = runOf(id);
      await run.closing;
      if (shared.isDisposed) throw new ContextdError('unavailable', 'The daemon is stopping.');
      if (run.connection) return run.connection;
      if (run.starting) return run.starting;
      demandStart(run, byUser, shared);
      return begin(run, false, shared);
    },
    stop: (id, reason = stoppedByUser) => stop(runOf(id), reason, shared),
    forgive(id) {
      const run = runs.get(id);
      if (run === undefined || isBusy(run)) return;
      cancelRestart(run);
      Object.assign(run, { starts: [], failures: 0, notBefore: 0 });
      if (run.status.state === 'failed') run.status = notStarted;
    },
    states: () => [...runs.values()].map(({ status }) => status.state),
    async dispose() {
      shared.isDisposed = true;
      for (const run of runs.values()) {
        run.cancelRestart?.();
        run.callOff?.abort();
      }
      await Promise.allSettled([...runs.values()].map(({ connection }) => connection?.close()));
    },
  } satisfies ServerRuns);
}

/** Throws if the server was started too often, must wait after a failure, or was stopped by the user. */
function demandStart(run: Run, byUser: boolean, shared: Shared): void {
  if (!byUser && run.status.reason.code === stoppedByUser.code)
    throw new ContextdError('unavailable', `The user stopped this server. Start it with: ${startCommand(run.id)}`);
  const { clock } = shared.ports;
  const waitMs = run.notBefore - clock.elapsed();
  if (recentStarts(run, clock) >= runLimits.starts) {
    const detail = `It was started ${runLimits.starts} times within ${runLimits.perMs / 60_000} minutes.`;
    become(run, { state: 'failed', reason: { code: 'too_many_starts', detail } }, shared);
    throw new ContextdError('limit_exceeded', detail);
  }
  if (!byUser && waitMs > 0) {
    const why = run.status.reason.detail ?? run.status.reason.code;
    const waitS = Math.ceil(waitMs / 1000);
    throw new NotYetError(`It failed: ${asSentence(why)} Try again in ${waitS} s.`, waitS);
  }
}

async function begin(run: Run, restart: boolean, shared: Shared): Promise<McpConnection> {
  const { ports } = shared;
  if ([...shared.runs.values()].filter(isBusy).length >= runLimits.running)
    throw new ContextdError('limit_exceeded', `${runLimits.running} servers run already. Stop one of them.`);
  cancelRestart(run);
  const { id } = run;
  const callOff = new AbortController();
  const { signal } = callOff;
  run.callOff = callOff;
  const isOfUse = (connection: McpConnection) => !signal.aborted && run.connection === connection;
  become(run, { state: 'starting', reason: { code: restart ? 'restarting' : 'starting' } }, shared);
  const start = () =>
    startServer(id, ports, {
      signal,
      onTry: () => void run.starts.push(ports.clock.elapsed()),
      onReady(connection) {
        run.connection = connection;
        run.failures = 0;
        run.starting = undefined;
        become(run, { state: 'ready', reason: { code: 'ready' } }, shared);
      },
      onEnd(connection, failure) {
        if (isOfUse(connection)) fail(run, { failure, restart: true }, shared);
      },
      onListChanged(connection, list) {
        if (isOfUse(connection)) ports.onListChanged(id, list);
      },
    });
  const starting = shared.inTurn(start).catch((error: unknown) => {
    if (signal.aborted) throw stopped();
    run.starting = undefined;
    if (!(error instanceof McpError)) become(run, { state: 'stopped', reason: reasonOf(error) }, shared);
    else fail(run, { failure: error.failure, restart }, shared);
    throw error instanceof McpError ? upstream(error.failure) : error;
  });
  run.starting = starting;
  starting.catch(() => {});
  return starting;
}

async function stop(run: Run, reason: Reason, shared: Shared): Promise<void> {
  cancelRestart(run);
  const { connection, starting } = run;
  run.callOff?.abort();
  run.connection = undefined;
  run.starting = undefined;
  run.notBefore = 0;
  run.failures = 0;
  // A server that was stopped on purpose did not fail, so its start does not count.
  if (connection !== undefined) run.starts.pop();
  become(run, { state: 'stopped', reason }, shared);
  await closeAll(run, [connection?.close(), starting?.catch(() => {})]);
}

/** `restart`: whether it is started again, if that did not happen too often. */
function fail(run: Run, { failure, restart }: { failure: McpFailure; restart: boolean }, shared: Shared): void {
  const { clock, schedule } = shared.ports;
  run.connection = undefined;
  run.failures += 1;
  const growing = Math.min(runLimits.maxDelayMs, runLimits.firstDelayMs * 2 ** (run.failures - 1));
  // A server that has forgotten a session expects a new one.
  const delayMs = failure.isUnprocessed ? 0 : growing;
  run.notBefore = clock.elapsed() + delayMs;
  const mayRestart = restart && recentStarts(run, clock) < runLimits.starts;
  const wait = delayMs === 0 ? '' : ` in ${delayMs / 1000} s`;
  const then = mayRestart ? ` It is started again${wait}.` : '';
  become(run, { state: 'failed', reason: { code: failure.code, detail: `${failure.detail}${then}` } }, shared);
  // The status reports what happens.
  const beginAgain = () => void begin(run, true, shared).catch(() => {});
  if (mayRestart) run.cancelRestart = schedule(beginAgain, delayMs);
}

function become(run: Run, status: RunStatus, { ports }: Shared): void {
  run.status = status;
  ports.onStatus(run.id, status);
}

function isBusy({ connection, starting, closing }: Run): boolean {
  return connection !== undefined || starting !== undefined || closing !== undefined;
}

function recentStarts(run: Run, clock: Clock): number {
  run.starts = run.starts.filter((at) => clock.elapsed() - at < runLimits.perMs);
  return run.starts.length;
}

function cancelRestart(run: Run): void {
  run.cancelRestart?.();
  run.cancelRestart = undefined;
}

/** The next start waits for `ends`. */
function closeAll(run: Run, ends: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const closed = Promise.all([run.closing, ...ends])
    .then(() => {})
    .finally(() => {
      if (run.closing === closed) run.closing = undefined;
    });
  run.closing = closed;
  return closed;
}
