/** Writes that arrive together share a transaction, and so the wait for the disk (S-69). */
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, refusing } from './database.ts';

type Job = { work(): unknown; resolve(value: unknown): void; reject(error: unknown): void };

/** More than these wait for the next transaction, so that none holds the event loop for long. */
const maxJobs = 200;

export type GroupCommit = (<Result>(work: () => Result) => Promise<Result>) & {
  /** How much waits for the next transaction. */
  readonly waiting: number;
};

/**
 * Runs what is given in the order in which it came, one transaction for each turn of the event loop, and answers after
 * the commit. What throws is undone alone; when the commit fails, all are refused.
 */
export function createGroupCommit(database: DatabaseSync): GroupCommit {
  const waiting: Job[] = [];

  const attempt = ({ work, resolve, reject }: Job): (() => void) => {
    database.exec('SAVEPOINT job');
    try {
      const result = refusing(() => {
        const result = work();
        database.exec('RELEASE job');
        return result;
      });
      return () => resolve(result);
    } catch (error) {
      // SQLite has undone the whole transaction by itself, for example because the disk is full.
      if (!database.isTransaction) throw error;
      database.exec('ROLLBACK TO job; RELEASE job');
      return () => reject(error);
    }
  };

  const flush = (): void => {
    const jobs = waiting.splice(0, maxJobs);
    if (waiting.length > 0) setImmediate(flush);
    try {
      const answers = inTransaction(database, () => jobs.map(attempt));
      for (const answer of answers) answer();
    } catch (error) {
      for (const { reject } of jobs) reject(error);
    }
  };

  const write = <Result>(work: () => Result) =>
    new Promise<Result>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ work, resolve: resolve as Job['resolve'], reject });
    });
  return Object.defineProperty(write, 'waiting', { get: () => waiting.length }) as GroupCommit;
}
