/**
 * Transactions on the one connection that there is, one after the other. Writes that arrive together share one, and so the
 * wait for the disk (S-69). A connection reads what it has not committed yet, so reads wait for the end of one that is open.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ContextdError } from '../../errors.ts';
import { inTransaction, refusalOf, refusing, undoLeftover } from './database.ts';

/**
 * What has become of a work so far. It is open until its end. A statement that `failed` fails all of it, also when the
 * work goes on.
 */
export type Scope = { isOpen: boolean; isRemoval: boolean; failed: { error: unknown } | undefined };
type Job = { work(scope: Scope): unknown; resolve(value: unknown): void; reject(error: unknown): void };

/** More than these, or what takes longer, waits for the next transaction, so that none holds the event loop for long. */
const maxJobs = 200;
const maxGroupMs = 50;

export type GroupCommit = {
  /**
   * Runs `work` after what came before it, and answers after the commit. What throws is undone alone, and so is what takes
   * longer than it may; when the transaction fails, all that ran in it are refused.
   */
  write<Result>(work: (scope: Scope) => Result | Promise<Result>): Promise<Result>;
  /** Runs `work`, which only reads, once no transaction is open. */
  read<Result>(work: () => Result): Promise<Result>;
  /** Refuses what comes from now on, and resolves when all that came before is done. */
  end(): Promise<void>;
  /** How much waits for the next transaction. */
  readonly waiting: number;
};

export function createGroupCommit(database: DatabaseSync, writeMs: number): GroupCommit {
  const waiting: Job[] = [];
  let underWay: Promise<void> | undefined;
  let isEnding = false;
  const attempt = createAttempts(database);

  const flush = async (): Promise<void> => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    underWay = promise;
    const tried: Job[] = [];
    const limit = limitTime(writeMs);
    try {
      const answers = await inTransaction(database, async () => {
        const answers: (() => void)[] = [];
        // From here on, so that there is time for one of them, however long it took to begin.
        const endMs = performance.now() + maxGroupMs;
        while (waiting.length > 0 && tried.length < maxJobs && performance.now() <= endMs) {
          const job = waiting.shift() as Job;
          tried.push(job);
          answers.push(await attempt(job, limit.within));
        }
        return answers;
      });
      for (const answer of answers) answer();
    } catch (error) {
      // What was not tried waits for the next one, unless none can begin.
      for (const { reject } of tried.length > 0 ? tried : waiting.splice(0)) reject(error);
    } finally {
      limit.end();
      underWay = undefined;
      end();
      if (waiting.length > 0) setImmediate(flush);
    }
  };

  const ended = async (): Promise<void> => {
    while (underWay !== undefined) await underWay;
  };
  const demandOpen = (): void => {
    if (isEnding) throw new ContextdError('unavailable', 'The database is closed.');
  };

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        demandOpen();
        if (waiting.length === 0 && underWay === undefined) setImmediate(flush);
        waiting.push({ work, resolve: resolve as Job['resolve'], reject });
      }),
    async read(work) {
      demandOpen();
      if (underWay !== undefined) await ended();
      return refusing(() => {
        undoLeftover(database);
        return work();
      });
    },
    async end() {
      isEnding = true;
      // What waits has a turn of the event loop coming, which comes before the next one.
      for (; waiting.length > 0 || underWay !== undefined; await ended()) await nextTurn();
    },
    get waiting() {
      return waiting.length;
    },
  };
}

/** Runs a job inside the transaction that is open, and gives what is to be answered after the commit. */
function createAttempts(database: DatabaseSync): (job: Job, within: Within) => Promise<() => void> {
  const begin = database.prepare('SAVEPOINT job');
  const keep = database.prepare('RELEASE job');
  const undo = database.prepare('ROLLBACK TO job');

  return async ({ work, resolve, reject }, within) => {
    begin.run();
    const scope: Scope = { isOpen: true, isRemoval: false, failed: undefined };
    try {
      const made = work(scope);
      const result = made instanceof Promise ? await within(made) : made;
      if (scope.failed !== undefined) throw scope.failed.error;
      keep.run();
      return () => resolve(result);
    } catch (error) {
      // SQLite has undone the whole transaction by itself, for example because the disk is full.
      if (!database.isTransaction) throw error;
      undo.run();
      keep.run();
      return () => reject(refusalOf(error));
    } finally {
      scope.isOpen = false;
    }
  };
}

/** The result; throws `unavailable` when it takes longer. */
type Within = (work: Promise<unknown>) => Promise<unknown>;

/** For works one after the other, with one timer: they are many, and hardly any needs it. */
function limitTime(ms: number): { within: Within; end(): void } {
  let refuse: ((error: Error) => void) | undefined;
  const timer = setTimeout(() => refuse?.(new ContextdError('unavailable', 'A write took too long.')), ms);
  return {
    within: (work) =>
      new Promise((resolve, reject) => {
        refuse = reject;
        timer.refresh();
        work.then(resolve, reject);
      }),
    end: () => clearTimeout(timer),
  };
}
