/**
 * Transactions on the one connection that there is, one after the other. Writes that arrive together share one, and so the
 * wait for the disk (S-69). A connection reads what it has not committed yet, so reads wait for the end of one that is open.
 */
import type { DatabaseSync } from 'node:sqlite';
import { ContextdError } from '../../errors.ts';
import { inTransaction, refusalOf, refusing, undoLeftover } from './database.ts';

/** `isOpen` until the end of the work that it was given to. */
export type Scope = { isOpen: boolean };
type Job = { work(scope: Scope): unknown; resolve(value: unknown): void; reject(error: unknown): void };

/** More than these, or what takes longer, waits for the next transaction, so that none holds the event loop for long. */
const maxJobs = 200;
const maxGroupMs = 50;

export type GroupCommit = {
  /**
   * Runs `work` after what came before it, and answers after the commit. What throws is undone alone, and so is what takes
   * longer than it may; when the commit fails, all of the transaction are refused.
   */
  write<Result>(work: (scope: Scope) => Result | Promise<Result>): Promise<Result>;
  /** Runs `work`, which only reads, once no transaction is open. */
  read<Result>(work: () => Result): Promise<Result>;
  /** Resolves when no transaction is open. */
  ended(): Promise<void>;
  /** How much waits for the next transaction. */
  readonly waiting: number;
};

export function createGroupCommit(database: DatabaseSync, writeMs: number): GroupCommit {
  const waiting: Job[] = [];
  let underWay: Promise<void> | undefined;
  const begin = database.prepare('SAVEPOINT job');
  const keep = database.prepare('RELEASE job');
  const undo = database.prepare('ROLLBACK TO job');

  const attempt = async ({ work, resolve, reject }: Job, within: Within): Promise<() => void> => {
    begin.run();
    const scope = { isOpen: true };
    try {
      const made = work(scope);
      const result = made instanceof Promise ? await within(made) : made;
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

  const flush = async (): Promise<void> => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    underWay = promise;
    let jobs = waiting.splice(0, maxJobs);
    const endMs = performance.now() + maxGroupMs;
    const limit = limitTime(writeMs);
    try {
      const answers = await inTransaction(database, async () => {
        const answers: (() => void)[] = [];
        for (const job of jobs) {
          answers.push(await attempt(job, limit.within));
          if (performance.now() > endMs) break;
        }
        waiting.unshift(...jobs.slice(answers.length));
        jobs = jobs.slice(0, answers.length);
        return answers;
      });
      for (const answer of answers) answer();
    } catch (error) {
      for (const { reject } of jobs) reject(error);
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

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0 && underWay === undefined) setImmediate(flush);
        waiting.push({ work, resolve: resolve as Job['resolve'], reject });
      }),
    ended,
    async read(work) {
      if (underWay !== undefined) await ended();
      return refusing(() => {
        undoLeftover(database);
        return work();
      });
    },
    get waiting() {
      return waiting.length;
    },
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
