/** Turns statements into verbs, single or several in one transaction. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ContextdError } from '../../errors.ts';
import type { Transactions } from '../../ports/store/transactions.ts';
import type { Connections, Run } from './connections.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Job } from './job.ts';
import type { OneWait } from './one-wait.ts';

/** Where a reading verb runs. Inside a write (`job`), the rows that it reads are about to change. */
type Reading = { run: Run; job?: Job };

/** The verbs of a port with the connection as first parameter. */
type On<Where, Verbs> = {
  [Name in keyof Verbs]: Verbs[Name] extends (...args: infer Args) => infer Result
    ? (on: Where, ...args: Args) => Result
    : never;
};

/** One subject of the store: its reading verbs and its other verbs. */
export type Subject<Reader, Writer = Reader> = {
  reads: On<Reading, Reader>;
  writes: On<Job, Omit<Writer, keyof Reader>>;
  /** The name of a lock. Only one daemon at a time can write with this lock. Absent if rows are locked instead. */
  lock?: string;
  /** Its callers have a time limit of their own. */
  isBoundedElsewhere?: true;
};

type Verb = (...args: unknown[]) => Promise<unknown>;

type Subjects = {
  reader<Reader, Writer>(subject: Subject<Reader, Writer>): Reader;
  /** Each writing verb is a transaction. */
  verbs<Reader, Writer>(subject: Subject<Reader, Writer>): Reader & Writer;
  transactions<Reader, Writer>(subject: Subject<Reader, Writer>): Transactions<Reader & Writer>;
};

type Parts = {
  group: GroupCommit;
  connections: Connections;
  wait: OneWait;
  /** Runs work from outside a write. Refuses it if the store is closed. */
  guard<Result>(work: () => Promise<Result>): Promise<Result>;
};

export function createSubjects({ group, connections, wait, guard }: Parts): Subjects {
  /**
   * The write in which the code runs. Other calls to the store inside a write are refused, because they would not see
   * its changes.
   */
  const inside = new AsyncLocalStorage<Job>();
  const demandOutside = (): void => {
    if (inside.getStore()?.isOpen === true)
      throw new ContextdError('unavailable', 'The store cannot be used directly inside of a write.');
  };
  const writing = async <Result>(work: (job: Job) => Promise<Result>, isBoundedElsewhere = false): Promise<Result> => {
    demandOutside();
    const write = (leftMs?: number) => guard(() => group.write(work, leftMs));
    return isBoundedElsewhere ? write() : wait.ask(write, unclear);
  };
  const reader = <Reader, Writer>({ reads, isBoundedElsewhere }: Subject<Reader, Writer>): Reader =>
    mapVerbs(reads, (verb) => async (...args) => {
      demandOutside();
      const read = () => guard(async () => verb({ run: connections.read }, ...args));
      return isBoundedElsewhere ? read() : wait.ask(read);
    }) as Reader;
  return {
    reader,
    verbs: <Reader, Writer>(subject: Subject<Reader, Writer>) => {
      const writes = mapVerbs(
        subject.writes,
        (verb) =>
          (...args) =>
            writing(async (job) => verb(job, ...args), subject.isBoundedElsewhere),
      );
      return { ...reader(subject), ...writes } as Reader & Writer;
    },
    transactions: <Reader, Writer>({ reads, writes, lock }: Subject<Reader, Writer>) => ({
      write<Result>(work: (writer: Reader & Writer) => Promise<Result>) {
        return writing((job) => {
          // The lock comes before the statements of the work.
          if (lock !== undefined) job.send(`SELECT pg_advisory_xact_lock(hashtextextended($1 || $2, 1))`, ` ${lock}`);
          const bound = {
            ...mapVerbs(reads, (verb) => insideOnly(job, (...args) => verb({ run: job.run, job }, ...args))),
            ...mapVerbs(writes, (verb) => insideOnly(job, (...args) => verb(job, ...args))),
          };
          return inside.run(job, () => work(bound as Reader & Writer));
        });
      },
    }),
  };
}

export const unclear = 'PostgreSQL took too long during the write. Check whether the change was stored.';

/** A verb that fails makes the whole work fail, even if the work continues. */
function insideOnly(job: Job, verb: Verb): Verb {
  return async (...args) => {
    if (!job.isOpen) throw new ContextdError('unavailable', 'The write has ended.');
    if (job.failed !== undefined) throw job.failed.error;
    try {
      return await verb(...args);
    } catch (error) {
      job.failed ??= { error };
      throw error;
    }
  };
}

function mapVerbs(verbs: object, map: (verb: Verb) => Verb): Record<string, Verb> {
  return Object.fromEntries(Object.entries(verbs).map(([name, verb]) => [name, map(verb as Verb)]));
}
