/** Turns synchronous statements into the asynchronous verbs of a port. */
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

/** One subject of the store: its reading verbs and its other verbs. */
export type Subject<Reader, Writer = Reader> = {
  reads: OnConnection<Reader>;
  writes: OnConnection<Omit<Writer, keyof Reader>>;
};

type Verb = (...args: unknown[]) => unknown;

type Subjects = {
  /** Each verb waits until no transaction is open. */
  reader<Reader, Writer>(subject: Subject<Reader, Writer>): Reader;
  /** Each writing verb is a transaction. */
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
          const { scope } = this as { scope: Scope };
          if (!scope.isOpen) throw new ContextdError('unavailable', 'The write has ended.');
          if (scope.failed !== undefined) throw scope.failed.error;
          scope.isRemoval ||= makesRoom(name, args);
          try {
            return verb(...args);
          } catch (thrown) {
            const error = refusalOf(thrown);
            scope.failed = { error };
            throw error;
          }
        };
      });
      return {
        write(work) {
          let scope: Scope | undefined;
          const attempt = () =>
            group.write((given) => {
              scope = given;
              return work(Object.assign(Object.create(prototype), { scope }));
            });
          return reserve.removing(attempt, () => scope?.isRemoval === true);
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

/** Whether a verb only removes something, so that it may use the reserve. */
function makesRoom(name: string, args: readonly unknown[]): boolean {
  return name === 'remove' || name === 'deleteSession' || (name === 'replace' && (args[1] as []).length === 0);
}
