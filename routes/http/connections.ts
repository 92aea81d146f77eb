/**
 * Who holds the connections (S-75, S-77). The caller is known only after the first request, so a new connection is
 * always accepted. If there are too many, a less useful one is closed. A token with too many connections gets no more.
 */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Caller, endableIdOf } from '../../src/ports/caller.ts';
import { shareOfOneToken } from '../../src/tokens/shares.ts';

export type Connections = Readonly<{
  /** A new connection. */
  open(socket: Socket): void;
  /**
   * A request of this caller arrived on the connection. False if its token has too many connections, or if another
   * caller still waits for an answer on it: the request must be refused and the connection closed.
   */
  use(socket: Socket, caller: Caller, response: ServerResponse): boolean;
  /**
   * Closes all connections of a minted token or a console at once, even with requests under way. `spared`: connections
   * on which this was requested, which still get the answer.
   */
  end(id: string, spared?: Socket): void;
  of(tokenId: string): number;
  /** How many one token may have. */
  ofOneToken: number;
}>;

/**
 * `caller`: the caller of the last request. Undefined before the first request with a token. `lastUse` is less than that
 * of connections that were used later.
 */
type State = { caller: Caller | undefined; underWay: number; lastUse: number };

function isSame(one: Caller, other: Caller): boolean {
  return one.scope === other.scope && endableIdOf(one) === endableIdOf(other);
}

export function createConnections(max: number): Connections {
  const ofOneToken = shareOfOneToken(max);
  const states = new Map<Socket, State>();
  let nextUse = 0;
  const held = new Map<string, Set<Socket>>();

  const assign = (socket: Socket, state: State, caller: Caller | undefined): void => {
    const before = state.caller && endableIdOf(state.caller);
    if (before !== undefined) {
      const own = held.get(before);
      own?.delete(socket);
      if (own?.size === 0) held.delete(before);
    }
    state.caller = caller;
    const id = caller && endableIdOf(caller);
    if (id !== undefined) held.set(id, (held.get(id) ?? new Set()).add(socket));
  };
  const forget = (socket: Socket): void => {
    const state = states.get(socket);
    if (state === undefined) return;
    assign(socket, state, undefined);
    states.delete(socket);
  };
  const drop = (socket: Socket): void => {
    forget(socket);
    socket.destroy();
  };
  /**
   * The order of closing: connections without a token, idle ones, then those of the token that has the most.
   * Connections on which the user waits stay.
   */
  const rankOf = ({ caller, underWay }: State): number => {
    if (caller === undefined) return Number.MAX_SAFE_INTEGER;
    if (underWay === 0) return caller.scope === 'agent' ? Number.MAX_SAFE_INTEGER - 1 : Number.MAX_SAFE_INTEGER - 2;
    return caller.scope === 'agent' ? (held.get(caller.tokenId)?.size ?? 0) : 0;
  };
  const dispensable = (): Socket | undefined => {
    let found: { socket: Socket; rank: number; lastUse: number } | undefined;
    for (const [socket, state] of states) {
      const { lastUse } = state;
      const rank = rankOf(state);
      if (rank === 0 || (found && found.rank > rank)) continue;
      if (found?.rank !== rank || lastUse < found.lastUse) found = { socket, rank, lastUse };
    }
    return found?.socket;
  };

  /** A listener of the end of an answer. */
  function release(this: ServerResponse): void {
    const state = states.get(this.req.socket);
    if (state === undefined) return;
    state.underWay -= 1;
    state.lastUse = nextUse++;
  }

  return {
    ofOneToken,
    open(socket) {
      // Not the new one, of which nothing is known yet, unless all others stay.
      const surplus = states.size < max ? undefined : (dispensable() ?? socket);
      states.set(socket, { caller: undefined, underWay: 0, lastUse: nextUse++ });
      socket.once('close', () => forget(socket));
      if (surplus !== undefined) drop(surplus);
    },
    use(socket, caller, response) {
      const state = states.get(socket);
      if (state === undefined) return true;
      if (state.underWay > 0 && state.caller !== undefined && !isSame(state.caller, caller)) return false;
      const own = caller.scope === 'agent' ? held.get(caller.tokenId) : undefined;
      if (own !== undefined && own.size >= ofOneToken && !own.has(socket)) return false;
      if (state.caller !== caller) assign(socket, state, caller);
      state.underWay += 1;
      response.on('close', release);
      return true;
    },
    end(id, spared) {
      for (const socket of [...(held.get(id) ?? [])]) if (socket !== spared) drop(socket);
    },
    of: (tokenId) => held.get(tokenId)?.size ?? 0,
  };
}
