/** Verbs over statements, which answer at once, as the verbs of a port, which answer later. */
import { ContextdError } from '../../errors.ts';
import type { Transactions } from '../../ports/store/transactions.ts';
import { refusalOf } from './database.ts';
import type { GroupCommit, Scope } from './group-commit.ts';
import type { Reserve } from './reserve.ts';

/** The verbs of a port as they run on a connection. */
export type OnConnection<Verbs> = {
  [Name in keyof Verbs]: Verbs[Name] extends (...args: infer Args) => Promise<infer Result>
    ? (...args: Args) => Result
    : never;
};

/** One subject of the store: what only reads, and the rest of its verbs. */
export type Subject<Reader, Writer = Reader> = {
  reads: OnConnection<Reader>;
  writes: OnConnection<Omit<Writer, keyof Reader>>;
};

/** What has become of a write so far. A verb that failed fails all of it, also when the work goes on. */
type Course = { scope: Scope; isRemoval: boolean; failed: { error: unknown } | undefined };

type Verb = (...args: unknown[]) => unknown;

export type Subjects = {
  /** Each waits until no transaction is open. */
  reader<Reader, Writer>(subject: Subject<Reader, Writer>): Reader;
  /** Those that write are a transaction each. */
  verbs<Reader, Writer>(subject: Subject<Reader, Writer>): Reader & Writer;
  transactions<Reader, Writer>(subject: Subject<Reader, Writer>): Transactions<Reader & Writer>;
};

export function createSubjects(group: GroupCommit, reserve: Reserve): Subjects {
  const reader = <Reader, Writer>({ reads }: Subject<Reader, Writer>) =>
    mapVerbs(
      reads,
      (_name, verb) =>
        (...args) =>
          group.read(() => verb(...args)),
    ) as Reader;

  return {
    reader,
    verbs: <Reader, Writer>(subject: Subject<Reader, Writer>) => {
      const writes = mapVerbs(subject.writes, (name, verb) => (...args) => {
        const write = () => group.write(() => verb(...args));
        return makesRoom(name, args) ? reserve.removing(write) : write();
      });
      return { ...reader(subject), ...writes } as Reader & Writer;
    },
    transactions: <Reader, Writer>({ reads, writes }: Subject<Reader, Writer>) => {
      const prototype = mapVerbs({ ...reads, ...writes }, (name, verb) => {
        return async function (this: unknown, ...args) {
          const { course } = this as { course: Course };
          if (!course.scope.isOpen) throw new ContextdError('unavailable', 'The write has ended.');
          if (course.failed !== undefined) throw course.failed.error;
          course.isRemoval ||= makesRoom(name, args);
          try {
            return verb(...args);
          } catch (thrown) {
            const error = refusalOf(thrown);
            course.failed = { error };
            throw error;
          }
        };
      });
      return {
        write(work) {
          let isRemoval = false;
          const attempt = () =>
            group.write(async (scope) => {
              const course: Course = { scope, isRemoval: false, failed: undefined };
              try {
                const result = await work(Object.create(prototype, { course: { value: course } }));
                if (course.failed !== undefined) throw (course.failed as { error: unknown }).error;
                return result;
              } finally {
                isRemoval = course.isRemoval;
              }
            });
          return reserve.removing(attempt, () => isRemoval);
        },
      };
    },
  };
}

function mapVerbs(verbs: object, map: (name: string, verb: Verb) => Verb): Record<string, Verb> {
  const mapped: Record<string, Verb> = {};
  for (const [name, verb] of Object.entries(verbs)) mapped[name] = map(name, verb as Verb);
  return mapped;
}

/** Whether a verb only removes something, so that it may use the room that is kept for that. */
function makesRoom(name: string, args: readonly unknown[]): boolean {
  return name === 'remove' || name === 'deleteSession' || (name === 'replace' && (args[1] as []).length === 0);
}
