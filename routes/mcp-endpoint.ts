/**
 * MCP over streamable HTTP (MC-05). Protocol 2026-07-28 has no sessions: each request is served by itself, changes are
 * told on `subscriptions/listen`. Clients of earlier protocols get a session with `initialize`, and may do without one.
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
import { createContextChanges } from './mcp-changes.ts';
import { createContextServer, followChanges } from './mcp-server.ts';
import type { ContextVerbs } from './mcp-verbs.ts';

/** Numbers of connections; times in milliseconds (S-77). */
export type McpLimits = { sessions: number; streams: number; idleMs: number };
export const defaultMcpLimits: McpLimits = { sessions: 256, streams: 512, idleMs: 60 * 60_000 };

export type McpEndpoint = Readonly<{
  /** Why a request is not taken, before anything is answered. */
  refusal(exchange: Pick<Exchange, 'request' | 'body'>): Promise<ContextdError | undefined>;
  /** Answers. `mountedDirectories` are those that the address names. */
  handle(exchange: Exchange): Promise<void>;
  readonly sessions: number;
  /** Ends all sessions and streams. */
  close(): Promise<void>;
}>;
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  /** As parsed; undefined where there is none. */
  body: unknown;
  mountedDirectories: readonly string[];
};
type Session = { transport: NodeStreamableHTTPServerTransport; open: number; usedAtMs: number };

export function createMcpEndpoint(options: {
  verbs: ContextVerbs;
  version: string;
  onError(error: unknown): void;
  limits?: Partial<McpLimits>;
}): McpEndpoint {
  const { verbs, version, onError } = options;
  const limits = { ...defaultMcpLimits, ...options.limits };
  const changes = createContextChanges(verbs, onError);
  const sessions = new Map<string, Session>();
  let open = 0;

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

  const end = async (id: string): Promise<void> => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.transport.close().catch(onError);
  };
  const idle = setInterval(() => {
    for (const [id, { open: streams, usedAtMs }] of sessions)
      if (streams === 0 && performance.now() - usedAtMs > limits.idleMs) void end(id);
  }, 60_000).unref();
  /** The session unused for longest that holds no stream. */
  const dispensable = () =>
    [...sessions].filter(([, session]) => session.open === 0).sort(([, a], [, b]) => a.usedAtMs - b.usedAtMs)[0]?.[0];

  async function begin(mountedDirectories: readonly string[]): Promise<Session> {
    const oldest = sessions.size < limits.sessions ? undefined : dispensable();
    if (oldest !== undefined) await end(oldest);
    const server = createServer(mountedDirectories);
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('hex'),
      onsessioninitialized: (id) => void sessions.set(id, session),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    const session: Session = { transport, open: 0, usedAtMs: performance.now() };
    await server.connect(transport);
    const unfollow = followChanges(server, changes, { onError });
    server.onclose = unfollow;
    return session;
  }

  async function serveSession(session: Session, { request, response, body }: Exchange): Promise<void> {
    session.open += 1;
    response.once('close', () => {
      session.open -= 1;
      session.usedAtMs = performance.now();
      // A first request that was refused made no session.
      if (session.transport.sessionId === undefined) session.transport.close().catch(onError);
    });
    await session.transport.handleRequest(request, response, body);
  }

  return Object.freeze({
    async refusal({ request, body }) {
      if (open >= limits.streams)
        return new ContextdError('unavailable', `There are ${limits.streams} requests and streams at once already.`);
      const id = await sessionOf(request, body);
      if (id !== undefined && !sessions.has(id))
        return new ContextdError('not_found', 'There is no such session. Begin a new one with “initialize”.');
      if (id === undefined && isInitializeRequest(body) && sessions.size >= limits.sessions && !dispensable())
        return new ContextdError('unavailable', `There are ${limits.sessions} sessions with open streams already.`);
      return undefined;
    },
    async handle(exchange) {
      const { request, response, body, mountedDirectories } = exchange;
      open += 1;
      const stalled = destroyStalled(response);
      response.once('close', () => {
        open -= 1;
        clearInterval(stalled);
      });
      acceptBoth(request);
      const session = sessions.get((await sessionOf(request, body)) ?? '');
      if (session !== undefined) return serveSession(session, exchange);
      if (isInitializeRequest(body)) return serveSession(await begin(mountedDirectories), exchange);
      if (methodOf(body) === 'subscriptions/listen')
        await changes.watch(mountedDirectories.length > 0 ? mountedDirectories : await verbs.grantedDirectories());
      return serve(request, response, body);
    },
    get sessions() {
      return sessions.size;
    },
    async close() {
      clearInterval(idle);
      await Promise.all([handler.close(), ...[...sessions.keys()].map(end)]);
    },
  } satisfies McpEndpoint);
}

/** The session that a request names, if it is of a protocol that has sessions. */
async function sessionOf(request: IncomingMessage, body: unknown): Promise<string | undefined> {
  const id = request.headers['mcp-session-id'];
  if (typeof id !== 'string') return undefined;
  const isLegacy = body === undefined || (await isLegacyRequest(await toWebRequest(request, body), body));
  return isLegacy ? id : undefined;
}

/** A client that does not say what it accepts accepts all; the protocol wants it said. */
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

/** A client that reads nothing for long while more and more waits for it is cut off. */
function destroyStalled(response: ServerResponse): NodeJS.Timeout {
  let wasWaiting = false;
  return setInterval(() => {
    if (wasWaiting && response.writableNeedDrain) response.destroy();
    wasWaiting = response.writableNeedDrain;
  }, stallMs).unref();
}
