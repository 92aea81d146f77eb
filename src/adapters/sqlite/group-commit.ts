/**
 * Runs transactions on the one connection, one after the other. Writes that arrive together share a transaction, so
 * they wait for the disk only once (S-69). A connection can read its own uncommitted changes, so reads wait for the end
 * of an open transaction.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ContextdError } from '../../errors.ts';
import { inTransaction, refusalOf, refusing, undoLeftover } from './database.ts';

/** The state of a work. If one statement has `failed`, the whole work fails, even if it continues. */
export type Scope = { isOpen: boolean; isRemoval: boolean; failed: { error: unknown } | undefined };
type Job = { work(scope: Scope): unknown; resolve(value: unknown): void; reject(error: unknown): void };

/**
 * More writes than this, or writes that take longer, wait for the next transaction, so that none holds the event loop
 * for long.
 */
const maxJobs = 200;
const maxGroupMs = 50;

export type GroupCommit = {
  /**
   * Runs `work` after earlier writes, and resolves after the commit. A work that throws or takes too long is undone
   * alone. If the transaction fails, all its works are rejected.
   */
  write<Result>(work: (scope: Scope) => Result | Promise<Result>): Promise<Result>;
  /** Runs `work`, which only reads, when no transaction is open. */
  read<Result>(work: () => Result): Promise<Result>;
  /** Refuses new work, and resolves when all earlier work is done. */
  end(): Promise<void>;
  /** The number of writes that wait for the next transaction. */
  readonly waiting: number;
};

/** `demandPlace`: throws if what is written now would be lost. Called before each transaction. */
export function createGroupCommit(database: DatabaseSync, writeMs: number, demandPlace = () => {}): GroupCommit {
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
      demandPlace();
      const answers = await inTransaction(database, async () => {
        const answers: (() => void)[] = [];
        // Measured after the beginning, so that there is time for at least one write, however long the beginning took.
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
      // Untried writes wait for the next transaction, unless no transaction can begin.
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
      // Waiting writes start in an earlier turn of the event loop than the next one.
      for (; waiting.length > 0 || underWay !== undefined; await ended()) await nextTurn();
    },
    get waiting() {
      return waiting.length;
    },
  };
}

/** Runs a job inside the open transaction. Returns what to call after the commit. */
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
      // SQLite undid the whole transaction itself, for example because the disk is full.
      if (!database.isTransaction) throw error;
      undo.run();
      keep.run();
      return () => reject(refusalOf(error));
    } finally {
      scope.isOpen = false;
    }
  };
}

/** The result of a work. Throws `unavailable` if it takes too long. */
type Within = (work: Promise<unknown>) => Promise<unknown>;

/** Limits works that run one after the other with a single timer, because there are many and few need it. */
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
