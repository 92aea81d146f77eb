/** Remembers whether the server can be reached, so that only the first statement waits for an unreachable server. */
import type { SharedState } from '../../ports/store/store.ts';
import { LostConnection, NotWritable, refusalOf } from './refusals.ts';

type Trouble = { since: string; detail: string; lacks?: 'writes' | 'events' };

export type Reachability = {
  state(): SharedState;
  noteReached(): void;
  /** `noteDeaf`: notices of other daemons do not arrive. `noteHearing`: they arrive again. */
  noteDeaf(refusal: Error): void;
  noteHearing(): void;
  /** A write was committed. */
  noteWritten(): void;
  /** Notes a refusal. `isDeaf`: no connection was possible, or nothing was answered, so others need not try. */
  note(refusal: unknown, isDeaf: boolean): void;
  /** Throws the known trouble while a probe is running. */
  demand(): void;
  end(): void;
};

const probeMs = { first: 200, later: 1_000 };

/** Told when the server cannot be used any more, with the reason, and when it can be used again, without one. */
export type Tell = (detail: string | undefined) => void;

/** `probe` sends something to the server, whatever is known about it. */
export function createReachability(probe: () => Promise<unknown>, tell: Tell = () => {}): Reachability {
  let trouble: Trouble | undefined;
  let deaf: Trouble | undefined;
  let unwritable: Trouble | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;

  const noteReached = (): void => {
    if (trouble !== undefined) tell(undefined);
    trouble = undefined;
    clearTimeout(timer);
    timer = undefined;
  };
  /** The reason may change, for example when the server is back and has another password. */
  const noteTrouble = ({ message: detail }: Error): void => {
    if (trouble === undefined) tell(detail);
    trouble = { since: trouble?.since ?? new Date().toISOString(), detail };
  };
  const probeAfter = (ms: number): void => {
    timer = setTimeout(async () => {
      try {
        await probe();
        noteReached();
      } catch (error) {
        if (isEnded) return;
        noteTrouble(refusalOf(error) as Error);
        probeAfter(probeMs.later);
      }
    }, ms).unref();
  };
  const troubleOf = ({ message: detail }: Error): Trouble => ({ since: new Date().toISOString(), detail });
  return {
    state: () => ({ kind: 'postgres', available: trouble === undefined, ...(trouble ?? deaf ?? unwritable) }),
    noteReached,
    noteDeaf(refusal) {
      deaf ??= { ...troubleOf(refusal), lacks: 'events' };
    },
    noteHearing() {
      deaf = undefined;
    },
    noteWritten() {
      unwritable = undefined;
    },
    note(refusal, isDeaf) {
      if (refusal instanceof NotWritable) unwritable ??= { ...troubleOf(refusal), lacks: 'writes' };
      if (!(refusal instanceof LostConnection)) return;
      noteTrouble(refusal);
      if (isDeaf && timer === undefined && !isEnded) probeAfter(probeMs.first);
    },
    demand() {
      if (trouble !== undefined && timer !== undefined) throw new LostConnection('unavailable', trouble.detail);
    },
    end() {
      isEnded = true;
      clearTimeout(timer);
    },
  };
}
