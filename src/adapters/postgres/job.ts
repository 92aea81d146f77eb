/** One write of a group. If it fails, only its own changes are undone. */
import { ContextdError } from '../../errors.ts';
import { demandWithin } from '../../pace/within.ts';
import type { RemoteChange } from '../../ports/store/remote-change.ts';
import type { Lease, Run } from './connections.ts';
import { LostConnection, Passing } from './refusals.ts';
import type { CountedUses } from './uses.ts';

/** The state of a work. If one statement has `failed`, the whole work fails. */
export type Job = {
  isOpen: boolean;
  failed: { error: unknown } | undefined;
  run: Run;
  /** Runs a statement whose answer the verb does not need. */
  send(...statement: Parameters<Run>): void;
  /** Changes that other daemons are told after the commit. */
  changes: RemoteChange[];
  /** Written at the very end, because many writes raise the same counters. */
  counted: CountedUses[];
  /** Called after the commit. */
  after: (() => void)[];
};

/** A requested write. `endsMs`: its deadline on the clock of `performance.now()`. */
export type Work = {
  work(job: Job): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  endsMs: number;
};
export type Kept = { job: Job; answer(): void };

/** How long writes after the first wait for another daemon. */
const laterLockMs = 25;

type Outcome = Kept | { answer(): void } | { putOff: unknown };

/** Runs a work inside the open transaction. Throws if the connection is lost. */
export async function attempt(
  entry: Work,
  lease: Lease,
  { writeMs, isFirst }: { writeMs: number; isFirst: boolean },
): Promise<Outcome> {
  const sent: Promise<unknown>[] = [];
  const job = createJob(lease.run, sent);
  sent.push(lease.simple('SAVEPOINT job').catch(noteFailure(job)));
  let thrown: { error: unknown } | undefined;
  let result: unknown;
  try {
    const limitMs = Math.max(1, Math.min(writeMs, entry.endsMs - performance.now()));
    result = await demandWithin(limitMs, entry.work(job), tooLate);
  } catch (error) {
    thrown = { error };
  }
  job.isOpen = false;
  await Promise.all(sent);
  const { failed } = job;
  if (failed === undefined && thrown === undefined) {
    // If this fails, the commit fails too.
    lease.simple(`RELEASE SAVEPOINT job${isFirst ? `; SET LOCAL lock_timeout = ${laterLockMs}` : ''}`).catch(() => {});
    return { job, answer: () => entry.resolve(result) };
  }
  if (failed?.error instanceof LostConnection) throw failed.error;
  await lease.simple('ROLLBACK TO SAVEPOINT job; RELEASE SAVEPOINT job');
  if (failed?.error instanceof Passing) return { putOff: failed.error };
  // After a failed statement all later ones fail too. The first error is the reason.
  const { error } = failed ?? (thrown as { error: unknown });
  return { answer: () => entry.reject(error) };
}

function noteFailure(job: Job): (error: unknown) => void {
  return (error) => {
    job.failed ??= { error };
  };
}

function createJob(run: Run, sent: Promise<unknown>[]): Job {
  const job: Job = {
    isOpen: true,
    failed: undefined,
    run(...statement) {
      demandOpen(job);
      const asking = run(...statement);
      sent.push(asking.catch(noteFailure(job)));
      return asking;
    },
    send(...statement) {
      demandOpen(job);
      sent.push(run(...statement).catch(noteFailure(job)));
    },
    changes: [],
    counted: [],
    after: [],
  };
  return job;
}

/** A work that took too long was undone. Its later statements would run in the transaction of another work. */
function demandOpen({ isOpen }: Job): void {
  if (!isOpen) throw tooLate();
}

function tooLate(): ContextdError {
  return new ContextdError('unavailable', 'A write took too long.');
}
