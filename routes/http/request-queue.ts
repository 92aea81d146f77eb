/** The requests of one operation: those that run, and those that wait for their turn. */
import type { ServerResponse } from 'node:http';
import type { Caller } from '../../src/ports/caller.ts';
import type { OverloadLimits } from '../../src/settings.ts';
import { createShares } from '../../src/tokens/shares.ts';

/** The turn of a request. It is called when the work is done. */
type Turn = () => void;

export type RequestQueue = Readonly<{
  /** How many requests run. */
  readonly running: number;
  /**
   * The turn of a request, or a promise of it if it must wait. Undefined if it cannot begin in time; a promise also
   * resolves to undefined then.
   */
  turnOf(caller: Caller, response: ServerResponse): Turn | Promise<Turn | undefined> | undefined;
}>;

type Waiting = { caller: Caller; begin(turn: Turn): void };

export function createRequestQueue(limits: OverloadLimits): RequestQueue {
  const { waitMs } = limits;
  const running = createShares(limits.underWay, 1 / 2);
  const places = createShares(limits.waiting, 1 / 2);
  const waiting: Waiting[] = [];
  const pace = createPace();

  const begin = (caller: Caller): Turn => {
    const giveBack = running.take(caller);
    return () => {
      pace.noteEnd(waiting.length > 0 || running.taken >= limits.underWay);
      giveBack();
      beginNext();
    };
  };
  /** The first waiting request that may have the free place. */
  const beginNext = (): void => {
    const at = waiting.findIndex(({ caller }) => running.isFree(caller));
    const [next] = at === -1 ? [] : waiting.splice(at, 1);
    next?.begin(begin(next.caller));
  };
  const expectedMs = (caller: Caller): number => {
    // Agents cannot get the places that are kept for the user. So waiting agents are not ahead of the user.
    const ahead = waiting.filter((each) => caller.scope === 'agent' || each.caller.scope === 'user').length;
    return (running.taken + ahead + 1) * pace.meanMs;
  };
  const wait = async (caller: Caller, response: ServerResponse): Promise<Turn | undefined> => {
    const { promise, resolve } = Promise.withResolvers<Turn | undefined>();
    const own: Waiting = { caller, begin: resolve };
    const giveUp = () => {
      const at = waiting.indexOf(own);
      if (at >= 0) waiting.splice(at, 1);
      resolve(undefined);
    };
    const timer = setTimeout(giveUp, waitMs);
    // If the connection is closed, nobody waits for the answer.
    response.once('close', giveUp);
    const leave = places.take(caller);
    waiting.push(own);
    const turn = await promise;
    clearTimeout(timer);
    response.off('close', giveUp);
    leave();
    return turn;
  };

  return {
    get running() {
      return running.taken;
    },
    turnOf(caller, response) {
      if (running.isFree(caller)) return begin(caller);
      return places.isFree(caller) && expectedMs(caller) <= waitMs ? wait(caller, response) : undefined;
    },
  };
}

/** Measures the mean time between two ends while all places are taken. It is zero while it is unknown. */
function createPace() {
  let meanMs = 0;
  let lastEndMs: number | undefined;
  return {
    get meanMs() {
      return meanMs;
    },
    noteEnd(wasFull: boolean): void {
      if (!wasFull) {
        meanMs = 0;
        lastEndMs = undefined;
        return;
      }
      const now = performance.now();
      if (lastEndMs !== undefined) meanMs += (now - lastEndMs - meanMs) / (meanMs === 0 ? 1 : 8);
      lastEndMs = now;
    },
  };
}
