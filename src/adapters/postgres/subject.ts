/** Verbs over statements, alone and several of them as one. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ContextdError } from '../../errors.ts';
import type { Transactions } from '../../ports/store/transactions.ts';
import type { Connections, Run } from './connections.ts';
import type { GroupCommit } from './group-commit.ts';
import type { Job } from './job.ts';
import type { OneWait } from './one-wait.ts';

/** Where a verb that only reads runs. Inside of a write, what is read is about to be changed. */
export type Reading = { run: Run; job?: Job };

/** The verbs of a port as they run on a connection. */
type On<Where, Verbs> = {
  [Name in keyof Verbs]: Verbs[Name] extends (...args: infer Args) => infer Result
    ? (on: Where, ...args: Args) => Result
    : never;
};

/** One subject of the store: what only reads, and the rest of its verbs. */
export type Subject<Reader, Writer = Reader> = {
  reads: On<Reading, Reader>;
  writes: On<Job, Omit<Writer, keyof Reader>>;
  /** Names what `write` keeps for itself: other daemons wait for the end of one. Absent where rows are locked instead. */
  lock?: string;
  /** Who asks again and again has a limit of its own. */
  isBoundedElsewhere?: true;
};

type Verb = (...args: unknown[]) => Promise<unknown>;

export type Subjects = {
  reader<Reader, Writer>(subject: Subject<Reader, Writer>): Reader;
  /** Those that write are a transaction each. */
  verbs<Reader, Writer>(subject: Subject<Reader, Writer>): Reader & Writer;
  transactions<Reader, Writer>(subject: Subject<Reader, Writer>): Transactions<Reader & Writer>;
};

type Parts = {
  group: GroupCommit;
  connections: Connections;
  wait: OneWait;
  /** Runs what is asked from outside of a write, and refuses it when the store is closed. */
  guard<Result>(work: () => Promise<Result>): Promise<Result>;
};

export function createSubjects({ group, connections, wait, guard }: Parts): Subjects {
  /** Inside of which write the code runs that asks; it would not see what that has written. */
  const inside = new AsyncLocalStorage<Job>();
  const demandOutside = (): void => {
    if (inside.getStore()?.isOpen === true)
      throw new ContextdError('unavailable', 'The store was asked inside of a write.');
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
          // Ahead of all that the work asks.
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

/** What fails fails the whole work, also when the work goes on. */
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
