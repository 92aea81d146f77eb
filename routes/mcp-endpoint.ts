/**
 * MCP over streamable HTTP (MC-05). Protocol 2026-07-28 has no sessions: each request is served on its own, and
 * `subscriptions/listen` reports changes. Clients of earlier protocols begin a session with `initialize`, but need not.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
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
import type { Caller } from '../src/ports/caller.ts';
import { fixedLimits, type McpLimits } from '../src/settings.ts';
import { createShares } from '../src/tokens/shares.ts';
import { createMcpSessions } from './mcp-sessions.ts';

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

export function createMcpEndpoint(options: {
  verbs: ContextVerbs;
  version: string;
  onError(error: unknown): void;
  limits?: Partial<McpLimits>;
}): McpEndpoint {
  const { verbs, version, onError } = options;
  const limits = { ...fixedLimits.mcpEndpoint, ...options.limits };
  const changes = createContextChanges(verbs, onError);
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

  const sessions = createMcpSessions({
    limits,
    onError,
    async connect(transport, mountedDirectories) {
      const server = createServer(mountedDirectories);
      await server.connect(transport);
      followChanges(server, changes, { onError });
    },
  });

  return Object.freeze({
    async refusal({ caller, request, body }) {
      const full = open.refusal(caller, 'requests and streams');
      if (full !== undefined) return full;
      const id = await sessionOf(request, body);
      if (id === undefined) return isInitializeRequest(body) ? sessions.refusal(caller) : undefined;
      if (sessions.find(id, caller) !== undefined) return undefined;
      return new ContextdError('not_found', 'There is no such session. Begin a new one with “initialize”.');
    },
    async handle({ caller, request, response, body, mountedDirectories }) {
      const giveBack = open.take(caller);
      const stalled = destroyStalled(response);
      response.once('close', () => {
        giveBack();
        clearInterval(stalled);
      });
      acceptBoth(request);
      const known = sessions.find((await sessionOf(request, body)) ?? '', caller);
      const session =
        known ?? (isInitializeRequest(body) ? await sessions.begin(caller, mountedDirectories) : undefined);
      if (session !== undefined) return sessions.serve(session, { request, response, body });
      if (methodOf(body) === 'subscriptions/listen') {
        const directories = mountedDirectories.length > 0 ? mountedDirectories : await verbs.grantedDirectories();
        await changes.watch(directories.map(workplaceAt));
      }
      return serve(request, response, body);
    },
    get sessions() {
      return sessions.count;
    },
    endSessions: sessions.endOf,
    async close() {
      await Promise.all([handler.close(), sessions.close()]);
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
