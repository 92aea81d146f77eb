/**
 * Runs the writes of this daemon one after the other. Writes that arrive together share a transaction, so they wait for
 * the server's disk only once. If a write would wait for another daemon while earlier writes of its transaction hold
 * locks, it is put off to the beginning of the next transaction, where it may wait. So daemons never wait for each
 * other in a circle.
 */
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { ContextdError } from '../../errors.ts';
import type { Connections, Lease } from './connections.ts';
import { attempt, type Job, type Kept, type Work } from './job.ts';
import type { Notices } from './notices.ts';
import { LostConnection, Passing, refusalOf } from './refusals.ts';
import { writeUses } from './uses.ts';

type Waiting = Work & { attempts: number; timer: NodeJS.Timeout };

type GroupOptions = {
  /** Max time for the work of one write. */
  writeMs: number;
  /** Max time for a write with all its tries, until its commit. */
  patienceMs: number;
  /** How long the first write of a transaction waits for another daemon. */
  lockMs: number;
  /** Whether each commit must ask the server for durability. */
  demandsDurability: boolean;
  schema: string;
};

/**
 * More writes than this, or writes that take longer, wait for the next transaction, so that none holds its locks for
 * long.
 */
const maxJobs = 200;
const maxGroupMs = 50;
const maxAttempts = 8;

export type GroupCommit = {
  /**
   * Runs `work` after earlier writes, and resolves after the commit. `work` may run more than once. Waits at most
   * `leftMs`.
   */
  write<Result>(work: (job: Job) => Promise<Result>, leftMs?: number): Promise<Result>;
  /** Resolves when all earlier writes are done. */
  end(): Promise<void>;
  readonly waiting: number;
};

export function createGroupCommit(connections: Connections, notices: Notices, options: GroupOptions): GroupCommit {
  const { patienceMs } = options;
  const waiting: Waiting[] = [];
  let underWay: Promise<void> | undefined;

  /** Puts writes back at the head of the queue, in order, as far as they may be tried again. */
  const putBack = (entries: readonly Waiting[], error: unknown): void => {
    for (const entry of entries.toReversed()) {
      entry.attempts += 1;
      if (entry.attempts >= maxAttempts || performance.now() >= entry.endsMs) settle(entry, () => entry.reject(error));
      else waiting.unshift(entry);
    }
  };
  const flush = async (): Promise<void> => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    underWay = promise;
    let lease: Lease | undefined;
    let isBroken = false;
    try {
      lease = await connections.take();
      await transact(lease, { connections, notices, options, waiting, putBack });
    } catch (error) {
      isBroken = !(error instanceof Passing);
      // Nothing can begin, because there is no connection.
      if (lease === undefined) for (const entry of waiting.splice(0)) settle(entry, () => entry.reject(error));
      else if (error instanceof LostConnection) await delay(20);
    } finally {
      lease?.release(isBroken);
      underWay = undefined;
      end();
      if (waiting.length > 0) setImmediate(flush);
    }
  };

  return {
    write: (work, leftMs = Number.POSITIVE_INFINITY) =>
      new Promise((resolve, reject) => {
        // The rest of the time is for the commit.
        const workMs = Math.min(patienceMs, 0.6 * leftMs);
        if (waiting.length === 0 && underWay === undefined) setImmediate(flush);
        const refuse = (): void => {
          const index = waiting.indexOf(entry);
          if (index === -1) return;
          waiting.splice(index, 1);
          reject(new ContextdError('unavailable', 'PostgreSQL took too long.'));
        };
        const timer = setTimeout(refuse, workMs);
        const endsMs = performance.now() + workMs;
        const entry = { work, resolve: resolve as Waiting['resolve'], reject, endsMs, attempts: 0, timer };
        waiting.push(entry);
      }),
    async end() {
      for (; waiting.length > 0 || underWay !== undefined; await underWay) await nextTurn();
    },
    get waiting() {
      return waiting.length;
    },
  };
}

function settle(entry: Waiting, answer: () => void): void {
  clearTimeout(entry.timer);
  answer();
}

type Parts = {
  connections: Connections;
  notices: Notices;
  options: GroupOptions;
  waiting: Waiting[];
  putBack(entries: readonly Waiting[], error: unknown): void;
};

/** Runs waiting writes, as many as one transaction may have. Throws if this connection is lost. */
async function transact(lease: Lease, parts: Parts): Promise<void> {
  const { connections, options, waiting, putBack } = parts;
  const tried: Waiting[] = [];
  const kept: Kept[] = [];
  let answers: (() => void)[] = [];
  try {
    const begin = lease.simple(beginning(options));
    begin.catch(() => {});
    const endMs = performance.now() + maxGroupMs;
    while (waiting.length > 0 && tried.length < maxJobs && performance.now() <= endMs) {
      const entry = waiting.shift() as Waiting;
      tried.push(entry);
      const outcome = await attempt(entry, lease, { ...options, isFirst: kept.length === 0 });
      if ('putOff' in outcome) {
        putBack([tried.pop() as Waiting], outcome.putOff);
        break;
      }
      if ('job' in outcome) kept.push(outcome);
      answers.push(() => settle(entry, outcome.answer));
    }
    await begin;
  } catch (error) {
    answers = [];
    putBack(tried, refusalOf(error));
    throw error;
  }
  try {
    await commit(lease, kept, parts);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal instanceof Passing) putBack(tried, refusal);
    else for (const entry of tried) settle(entry, () => entry.reject(unclear(refusal)));
    throw error;
  }
  if (kept.length > 0) connections.reachability.noteWritten();
  for (const answer of answers) answer();
  for (const { job } of kept) for (const work of job.after) work();
}

function beginning({ lockMs, writeMs, demandsDurability }: GroupOptions): string {
  const settings = [
    `SET LOCAL lock_timeout = ${lockMs}`,
    // If a daemon is cut off in the middle, its locks are released.
    `SET LOCAL idle_in_transaction_session_timeout = ${Math.max(1_000, 2 * writeMs)}`,
    ...(demandsDurability ? ['SET LOCAL synchronous_commit = on'] : []),
  ];
  return ['BEGIN', ...settings].join('; ');
}

async function commit(lease: Lease, kept: readonly Kept[], { notices, options }: Parts): Promise<void> {
  const { schema, lockMs } = options;
  const changes = kept.flatMap(({ job }) => job.changes);
  const counted = kept.flatMap(({ job }) => job.counted);
  // Notices about access must not be lost with this process. Other notices need not delay the commits of others.
  const isUrgent = changes.some(({ type }) => type === 'tokens-changed' || type === 'approvals-changed');
  const last: Promise<unknown>[] = [];
  // A transaction that holds a counter waits only for the disk.
  if (counted.length > 0)
    last.push(lease.simple(`SET LOCAL lock_timeout = ${lockMs}`), ...writeUses(lease.run, schema, counted));
  if (isUrgent) last.push(...notices.send(lease.run, changes));
  for (const each of last) each.catch(() => {});
  const committing = lease.simple('COMMIT');
  committing.catch(() => {});
  await Promise.all(last);
  if ((await committing) !== 'COMMIT') throw new ContextdError('unavailable', 'PostgreSQL has undone the write.');
  if (!isUrgent) for (const each of notices.send(lease.run, changes)) each.catch(() => {});
}

/** The error if the connection was lost during the commit. */
function unclear(error: unknown): unknown {
  if (!(error instanceof LostConnection)) return error;
  const message = 'The connection to PostgreSQL was lost during the write. Check whether the change was stored.';
  return new ContextdError('unavailable', message);
}
