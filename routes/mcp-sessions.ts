/** The sessions of MCP clients with protocols before 2026-07-28 (MC-05, S-16, S-77). */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { ContextdError } from '../src/errors.ts';
import { type Caller, endableIdOf, ownerOf } from '../src/ports/caller.ts';
import type { McpLimits } from '../src/settings.ts';
import { compareText } from '../src/texts/compare-text.ts';
import { createShares } from '../src/tokens/shares.ts';

/** Only the caller who began a session can use it (S-16). `open`: the number of its open requests and streams. */
type McpSession = {
  caller: Caller;
  transport: NodeStreamableHTTPServerTransport;
  open: number;
  usedAtMs: number;
  giveBack(): void;
};

/** `body`: the parsed one. */
type Exchange = { request: IncomingMessage; response: ServerResponse; body: unknown };

type McpSessions = Readonly<{
  readonly count: number;
  /** The session with this id, if this caller began it. */
  find(id: string, caller: Caller): McpSession | undefined;
  /** Why this caller cannot begin a session, or undefined. */
  refusal(caller: Caller): ContextdError | undefined;
  /** A session that gets its id with its first request. If there are too many, ends another one. */
  begin(caller: Caller, mountedDirectories: readonly string[]): Promise<McpSession>;
  serve(session: McpSession, exchange: Exchange): Promise<void>;
  /** Ends the sessions of a token or a console. */
  endOf(endedId: string): void;
  close(): Promise<void>;
}>;

/** `connect` connects a new session with a server for these directories. */
export function createMcpSessions(options: {
  limits: McpLimits;
  connect(transport: NodeStreamableHTTPServerTransport, mountedDirectories: readonly string[]): Promise<void>;
  onError(error: unknown): void;
}): McpSessions {
  const { limits, connect, onError } = options;
  const sessions = new Map<string, McpSession>();
  const places = createShares(limits.sessions);

  const find = (id: string, caller: Caller): McpSession | undefined => {
    const session = sessions.get(id);
    return session !== undefined && ownerOf(session.caller) === ownerOf(caller) ? session : undefined;
  };
  const remove = (id: string): void => {
    sessions.get(id)?.giveBack();
    sessions.delete(id);
  };
  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    remove(id);
    await session?.transport.close().catch(onError);
  };
  const idle = setInterval(() => {
    for (const [id, { open, usedAtMs }] of sessions)
      if (open === 0 && performance.now() - usedAtMs > limits.idleMs) void end(id);
  }, 60_000).unref();
  /**
   * The id of the session that makes room for a new one: the one that was unused for longest, without open requests. An
   * agent token gives up only its own sessions. For the user, sessions of agent tokens come first.
   */
  const dispensable = (caller: Caller): string | undefined =>
    [...sessions]
      .filter(([id, session]) => session.open === 0 && (caller.scope === 'user' || find(id, caller)))
      .sort(([, a], [, b]) => compareText(a.caller.scope, b.caller.scope) || a.usedAtMs - b.usedAtMs)[0]?.[0];

  return {
    get count() {
      return sessions.size;
    },
    find,
    refusal: (caller) =>
      dispensable(caller) === undefined ? places.refusal(caller, 'sessions with open streams') : undefined,
    async begin(caller, mountedDirectories) {
      const oldest = places.isFree(caller) ? undefined : dispensable(caller);
      if (oldest !== undefined) await end(oldest);
      const transport = new NodeStreamableHTTPServerTransport({
        sessionIdGenerator: () => randomBytes(16).toString('hex'),
        onsessioninitialized(id) {
          sessions.set(id, session);
          session.giveBack = places.take(caller);
        },
        onsessionclosed: remove,
      });
      const session: McpSession = { caller, transport, open: 0, usedAtMs: performance.now(), giveBack() {} };
      await connect(transport, mountedDirectories);
      return session;
    },
    async serve(session, { request, response, body }) {
      session.open += 1;
      response.once('close', () => {
        session.open -= 1;
        session.usedAtMs = performance.now();
        // The first request was refused, so it made no session.
        if (session.transport.sessionId === undefined) session.transport.close().catch(onError);
      });
      await session.transport.handleRequest(request, response, body);
    },
    endOf(endedId) {
      for (const [id, { caller }] of [...sessions]) if (endableIdOf(caller) === endedId) void end(id);
    },
    async close() {
      clearInterval(idle);
      await Promise.all([...sessions.keys()].map(end));
    },
  };
}
