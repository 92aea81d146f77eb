/**
 * MCP over streamable HTTP (MC-05). Protocol 2026-07-28 has no sessions: each request is served on its own, and
 * `subscriptions/listen` reports changes. Clients of earlier protocols begin a session with `initialize`, but need not.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpRequestContext,
} from '@modelcontextprotocol/server';
import { ContextdError } from '../src/errors.ts';
import { createContextChanges } from '../src/mcp-server/changes.ts';
import { createContextServer, followChanges } from '../src/mcp-server/server.ts';
import type { ContextVerbs } from '../src/mcp-server/verbs.ts';
import { workplaceAt } from '../src/mcp-server/workplace.ts';
import { type Caller, endableIdOf, ownerOf } from '../src/ports/caller.ts';
import { fixedLimits, type McpLimits } from '../src/settings.ts';
import { compareText } from '../src/texts/compare-text.ts';
import { createShares } from '../src/tokens/shares.ts';

export type McpEndpoint = Readonly<{
  /** Why a request is refused, or undefined. Call this before `handle`. */
  refusal(exchange: Pick<Exchange, 'caller' | 'request' | 'body'>): Promise<ContextdError | undefined>;
  handle(exchange: Exchange): Promise<void>;
  readonly sessions: number;
  /** Ends the sessions of a token or a console. */
  endSessions(id: string): void;
  /** Ends all sessions and streams. */
  close(): Promise<void>;
}>;
type Exchange = {
  caller: Caller;
  request: IncomingMessage;
  response: ServerResponse;
  /** The parsed body. Undefined if there is none. */
  body: unknown;
  /** The directories that the address names. */
  mountedDirectories: readonly string[];
};
/** Only the caller who began a session can use it (S-16). `open`: the number of its open requests and streams. */
type Session = {
  caller: Caller;
  transport: NodeStreamableHTTPServerTransport;
  open: number;
  usedAtMs: number;
  giveBack(): void;
};

export function createMcpEndpoint(options: {
  verbs: ContextVerbs;
  version: string;
  onError(error: unknown): void;
  limits?: Partial<McpLimits>;
}): McpEndpoint {
  const { verbs, version, onError } = options;
  const limits = { ...fixedLimits.mcpEndpoint, ...options.limits };
  const changes = createContextChanges(verbs, onError);
  const sessions = new Map<string, Session>();
  const places = createShares(limits.sessions);
  const open = createShares(limits.streams);

  const createServer = (mountedDirectories: readonly string[]) =>
    createContextServer({ verbs, changes, version, mountedDirectories, onError });
  const handler = createMcpHandler(
    ({ requestInfo }: McpRequestContext) => createServer(mountsOfUrl(requestInfo?.url)),
    {
      bus: { publish: changes.publish, subscribe: changes.subscribe },
      maxSubscriptions: limits.streams,
    },
  );
  const serve = toNodeHandler(handler, { onerror: onError });

  const remove = (id: string): void => {
    sessions.get(id)?.giveBack();
    sessions.delete(id);
  };
  /** The session with this id, if this caller began it. */
  const find = (id: string, caller: Caller): Session | undefined => {
    const session = sessions.get(id);
    return session !== undefined && ownerOf(session.caller) === ownerOf(caller) ? session : undefined;
  };
  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    remove(id);
    await session?.transport.close().catch(onError);
  };
  const idle = setInterval(() => {
    for (const [id, { open: streams, usedAtMs }] of sessions)
      if (streams === 0 && performance.now() - usedAtMs > limits.idleMs) void end(id);
  }, 60_000).unref();
  /**
   * The id of the session that makes room for a new one: the one that was unused for longest, without open requests. An
   * agent token gives up only its own sessions. For the user, sessions of agent tokens come first.
   */
  const dispensable = (caller: Caller) =>
    [...sessions]
      .filter(([id, session]) => session.open === 0 && (caller.scope === 'user' || find(id, caller)))
      .sort(([, a], [, b]) => compareText(a.caller.scope, b.caller.scope) || a.usedAtMs - b.usedAtMs)[0]?.[0];

  async function begin({ caller, mountedDirectories }: Exchange): Promise<Session> {
    const oldest = places.isFree(caller) ? undefined : dispensable(caller);
    if (oldest !== undefined) await end(oldest);
    const server = createServer(mountedDirectories);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('hex'),
      onsessioninitialized(id) {
        sessions.set(id, session);
        session.giveBack = places.take(caller);
      },
      onsessionclosed: remove,
    });
    const session: Session = { caller, transport, open: 0, usedAtMs: performance.now(), giveBack() {} };
    await server.connect(transport);
    followChanges(server, changes, { onError });
    return session;
  }

  async function serveSession(session: Session, { request, response, body }: Exchange): Promise<void> {
    session.open += 1;
    response.once('close', () => {
      session.open -= 1;
      session.usedAtMs = performance.now();
      // The first request was refused, so it made no session.
      if (session.transport.sessionId === undefined) session.transport.close().catch(onError);
    });
    await session.transport.handleRequest(request, response, body);
  }

  return Object.freeze({
    async refusal({ caller, request, body }) {
      const full = open.refusal(caller, 'requests and streams');
      if (full !== undefined) return full;
      const id = await sessionOf(request, body);
      if (id !== undefined && !find(id, caller))
        return new ContextdError('not_found', 'There is no such session. Begin a new one with “initialize”.');
      if (id === undefined && isInitializeRequest(body) && dispensable(caller) === undefined)
        return places.refusal(caller, 'sessions with open streams');
      return undefined;
    },
    async handle(exchange) {
      const { caller, request, response, body, mountedDirectories } = exchange;
      const giveBack = open.take(caller);
      const stalled = destroyStalled(response);
      response.once('close', () => {
        giveBack();
        clearInterval(stalled);
      });
      acceptBoth(request);
      const session = find((await sessionOf(request, body)) ?? '', caller);
      if (session !== undefined) return serveSession(session, exchange);
      if (isInitializeRequest(body)) return serveSession(await begin(exchange), exchange);
      if (methodOf(body) === 'subscriptions/listen') {
        const directories = mountedDirectories.length > 0 ? mountedDirectories : await verbs.grantedDirectories();
        await changes.watch(directories.map(workplaceAt));
      }
      return serve(request, response, body);
    },
    get sessions() {
      return sessions.size;
    },
    endSessions(endedId) {
      for (const [id, { caller }] of [...sessions]) if (endableIdOf(caller) === endedId) void end(id);
    },
    async close() {
      clearInterval(idle);
      await Promise.all([handler.close(), ...[...sessions.keys()].map(end)]);
    },
  } satisfies McpEndpoint);
}

/** The id of the session that a request names, if its protocol has sessions. */
async function sessionOf(request: IncomingMessage, body: unknown): Promise<string | undefined> {
  const id = request.headers['mcp-session-id'];
  if (typeof id !== 'string') return undefined;
  const isLegacy = body === undefined || (await isLegacyRequest(await toWebRequest(request, body), body));
  return isLegacy ? id : undefined;
}

/** Fills in `Accept`, which the protocol demands. A client that does not send it accepts everything. */
function acceptBoth({ headers }: IncomingMessage): void {
  if (headers.accept === undefined || headers.accept === '*/*') headers.accept = 'application/json, text/event-stream';
}

/** The directories that an address names: `/mcp?mountedDirectory=…`, which may be repeated. */
function mountsOfUrl(url: string | undefined): string[] {
  return url === undefined ? [] : new URL(url).searchParams.getAll('mountedDirectory');
}

function methodOf(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'method' in body ? body.method : undefined;
}

const stallMs = 30_000;

/** Closes the connection of a client that does not read: if its buffer was full at two checks in a row. */
function destroyStalled(response: ServerResponse): NodeJS.Timeout {
  let wasWaiting = false;
  return setInterval(() => {
    if (wasWaiting && response.writableNeedDrain) response.destroy();
    wasWaiting = response.writableNeedDrain;
  }, stallMs).unref();
}
