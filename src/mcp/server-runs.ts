// Long because each start, failure and stop changes the same state of a run.
/**
 * Which servers run, and how often they may be started: one start at a time per server, few at once, seldom again when
 * they fail (MC-03, S-29, S-33). Whether one may be started is asked anew right before each start.
 */

import { ContextdError } from '../errors.ts';
import { createTurns } from '../pace/turns.ts';
import {
  type McpConnection,
  type McpConnectionHandlers,
  McpError,
  type McpFailure,
  type McpLaunch,
} from '../ports/mcp-launcher.ts';
import type { Clock } from '../ports/ports.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import { reasonOf, StartRefused, upstream } from './start-refused.ts';

const runLimits = fixedLimits.mcpServers;

export type RunState = 'stopped' | 'starting' | 'ready' | 'failed';
export type RunStatus = Readonly<{ state: RunState; reason: Reason }>;

export type ServerRuns = Readonly<{
  status(id: string): RunStatus;
  /** The connection, when there is one. */
  connection(id: string): McpConnection | undefined;
  /**
   * The connection, started where there is none. `byUser` starts also what was stopped on purpose, and does not wait until
   * a failure is forgotten. Throws `limit_exceeded`, `unavailable`, `upstream_failed`, `upstream_timeout`, and what
   * `prepare` throws.
   */
  start(id: string, options?: { byUser?: boolean }): Promise<McpConnection>;
  /** Resolves when nothing of it is left. A server that was stopped stays so until the user starts it. */
  stop(id: string, reason?: Reason): Promise<void>;
  /** Forgets how a server failed that does not run: the user has looked at it anew. */
  forgive(id: string): void;
  /** Of those that were started in this run of the daemon. */
  states(): RunState[];
  dispose(): Promise<void>;
}>;

type Run = {
  status: RunStatus;
  connection?: McpConnection | undefined;
  starting?: Promise<McpConnection> | undefined;
  /** Monotonic times of the starts that count. */
  starts: number[];
  failures: number;
  notBefore: number;
  cancelRestart?: (() => void) | undefined;
  /** Ends a start that is under way. */
  callOff?: AbortController | undefined;
  /** What happens to an earlier life of the server concerns nobody any more. */
  life: number;
  closing?: Promise<void> | undefined;
};

export const notStarted: RunStatus = { state: 'stopped', reason: { code: 'not_started' } };
const changedMeanwhile: Reason = { code: 'approval_stale', detail: 'A file of it was written while it started.' };
export const stoppedByUser: Reason = { code: 'stopped_by_user' };

export function createServerRuns(ports: {
  clock: Clock;
  /** Runs `work` after so many milliseconds, unless it is called off. */
  schedule(work: () => void, ms: number): () => void;
  /** What exactly is to be started; `moment` differs when its files were written meanwhile. Throws when it may not be. */
  prepare(id: string): Promise<{ launch: McpLaunch; moment?: string }>;
  connect(launch: McpLaunch, handlers: McpConnectionHandlers): Promise<McpConnection>;
  /** A start was made, whatever came of it. */
  onTried(id: string): Promise<void>;
  /** Called before a server counts as ready. Throws `McpError` when it cannot be used. */
  onConnected(id: string, connection: McpConnection): Promise<void>;
  onListChanged(id: string, list: 'tools' | 'resources' | 'prompts'): void;
  onStatus(id: string, status: RunStatus): void;
}): ServerRuns {
  const { clock, schedule } = ports;
  const runs = new Map<string, Run>();
  const inTurn = createTurns(runLimits.starting);
  let isDisposed = false;

  const runOf = (id: string): Run => {
    const known = runs.get(id);
    if (known) return known;
    const run: Run = { status: notStarted, starts: [], failures: 0, notBefore: 0, life: 0 };
    runs.set(id, run);
    return run;
  };
  const become = (id: string, run: Run, state: RunState, reason: Reason): void => {
    run.status = { state, reason };
    ports.onStatus(id, run.status);
  };
  const isBusy = ({ connection, starting, closing }: Run): boolean =>
    connection !== undefined || starting !== undefined || closing !== undefined;
  const recentStarts = (run: Run): number => {
    run.starts = run.starts.filter((at) => clock.elapsed() - at < runLimits.perMs);
    return run.starts.length;
  };

  const fail = (id: string, run: Run, failure: McpFailure, restart: boolean): void => {
    run.connection = undefined;
    run.failures += 1;
    const delayMs = Math.min(runLimits.maxDelayMs, runLimits.firstDelayMs * 2 ** (run.failures - 1));
    run.notBefore = clock.elapsed() + delayMs;
    const mayRestart = restart && recentStarts(run) < runLimits.starts;
    const then = mayRestart ? ` It is started again in ${delayMs / 1000} s.` : '';
    become(id, run, 'failed', { code: failure.code, detail: `${failure.detail}${then}` });
    if (mayRestart) run.cancelRestart = schedule(() => void beginAgain(id, run), delayMs);
  };

  const begin = (id: string, run: Run, restart: boolean): Promise<McpConnection> => {
    if ([...runs.values()].filter(isBusy).length >= runLimits.running)
      throw new ContextdError('limit_exceeded', `${runLimits.running} servers run already; stop one.`);
    cancelRestart(run);
    run.life += 1;
    const { life } = run;
    const callOff = new AbortController();
    run.callOff = callOff;
    const isCurrent = () => run.life === life && !isDisposed;
    become(id, run, 'starting', { code: restart ? 'restarting' : 'starting' });
    let isTried = false;
    const starting = inTurn(async () => {
      const prepare = async () => {
        if (!isCurrent()) throw stopped();
        const prepared = await ports.prepare(id);
        if (!isCurrent()) throw stopped();
        return prepared;
      };
      let confirmed = await prepare();
      run.starts.push(clock.elapsed());
      isTried = true;
      let ended: McpFailure | undefined;
      const connection = await ports.connect(confirmed.launch, {
        onEnd(failure) {
          ended = failure;
          if (isCurrent() && run.connection === connection) fail(id, run, failure, true);
        },
        onListChanged: (list) => isCurrent() && run.connection === connection && ports.onListChanged(id, list),
        async confirm() {
          confirmed = await prepare();
        },
        signal: callOff.signal,
      });
      callOff.signal.addEventListener('abort', () => void connection.close().catch(() => {}));
      try {
        // It has loaded its files by now: those that were compared, or others.
        if ((await prepare()).moment !== confirmed.moment) throw new StartRefused(changedMeanwhile);
        if (isCurrent()) await ports.onConnected(id, connection);
        if (ended !== undefined) throw new McpError(ended);
        if (!isCurrent()) throw stopped();
      } catch (error) {
        await connection.close();
        throw error;
      }
      run.connection = connection;
      run.failures = 0;
      run.starting = undefined;
      become(id, run, 'ready', { code: 'ready' });
      return connection;
    })
      .finally(() => isTried && ports.onTried(id))
      .catch((error: unknown) => {
        if (isCurrent()) {
          run.starting = undefined;
          // It is ready, or has ended since, when only its being tried could not be noted.
          cancelRestart(run);
          if (run.connection !== undefined) closing(run, [run.connection.close()]).catch(() => {});
          run.connection = undefined;
          if (error instanceof McpError) fail(id, run, error.failure, restart);
          else become(id, run, 'stopped', reasonOf(error));
        } else throw stopped();
        throw error instanceof McpError ? upstream(error.failure) : error;
      });
    run.starting = starting;
    starting.catch(() => {});
    return starting;
  };

  const beginAgain = async (id: string, run: Run): Promise<void> => {
    try {
      await begin(id, run, true);
    } catch {
      // Its status says why.
    }
  };

  return Object.freeze({
    status: (id) => runs.get(id)?.status ?? notStarted,
    connection: (id) => runs.get(id)?.connection,

    async start(id, { byUser = false } = {}) {
      if (isDisposed) throw new ContextdError('unavailable', 'The daemon is stopping.');
      const run = runOf(id);
      await run.closing;
      if (run.connection) return run.connection;
      if (run.starting) return run.starting;
      if (!byUser && run.status.reason.code === stoppedByUser.code)
        throw new ContextdError('unavailable', 'The user stopped this server. Start it with: contextd mcp start');
      const waitMs = run.notBefore - clock.elapsed();
      if (recentStarts(run) >= runLimits.starts) {
        const detail = `It was started ${runLimits.starts} times within ten minutes.`;
        become(id, run, 'failed', { code: 'too_many_starts', detail });
        throw new ContextdError('limit_exceeded', detail);
      }
      if (!byUser && waitMs > 0) {
        const why = run.status.reason.detail ?? run.status.reason.code;
        throw new ContextdError('unavailable', `It failed: ${why} Try again in ${Math.ceil(waitMs / 1000)} s.`);
      }
      return begin(id, run, false);
    },

    async stop(id, reason = stoppedByUser) {
      const run = runOf(id);
      cancelRestart(run);
      run.life += 1;
      const { connection, starting } = run;
      run.callOff?.abort();
      run.connection = undefined;
      run.starting = undefined;
      run.notBefore = 0;
      run.failures = 0;
      // What was stopped on purpose did not fail.
      if (connection !== undefined) run.starts.pop();
      become(id, run, 'stopped', reason);
      await closing(run, [connection?.close(), starting?.catch(() => {})]);
    },

    forgive(id) {
      const run = runs.get(id);
      if (run === undefined || isBusy(run)) return;
      cancelRestart(run);
      Object.assign(run, { starts: [], failures: 0, notBefore: 0 });
      if (run.status.state === 'failed') run.status = notStarted;
    },

    states: () => [...runs.values()].map(({ status }) => status.state),

    async dispose() {
      isDisposed = true;
      for (const run of runs.values()) {
        run.cancelRestart?.();
        run.callOff?.abort();
      }
      await Promise.allSettled([...runs.values()].map(({ connection }) => connection?.close()));
    },
  } satisfies ServerRuns);
}

function cancelRestart(run: Run): void {
  run.cancelRestart?.();
  run.cancelRestart = undefined;
}

/** What comes next waits for `ends`. */
function closing(run: Run, ends: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const closed = Promise.all([run.closing, ...ends])
    .then(() => {})
    .finally(() => {
      if (run.closing === closed) run.closing = undefined;
    });
  run.closing = closed;
  return closed;
}

function stopped(): ContextdError {
  return new ContextdError('unavailable', 'The server was stopped.');
}
