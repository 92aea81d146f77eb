/**
 * The HTTP server below the framework: every request gets its id and the security headers and passes the guard before
 * anything is routed, so unknown paths, odd methods and broken URLs are behind it like everything else.
 */

import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Caller, theUser } from '../../src/ports/caller.ts';
import type { HttpLimits } from '../../src/settings.ts';
import { digestToken } from '../../src/tokens/access-tokens.ts';
import type { Connections } from './connections.ts';
import { createGuard, type Guard } from './guard.ts';
import { dropBody, isLingering, linger } from './linger.ts';
import { createProblem, type HttpLevelStatus, type Problem, problemContentType } from './problem.ts';
import type { Refusal } from './request-head.ts';
import type { RequestLog } from './request-log.ts';
import { createRequestId, requestIdOf, SecuredResponse, securityHeaders } from './secured-response.ts';
import { isOnUnixSocket } from './unix-socket.ts';

// An import would also load the HTTP client of Node.js, which makes the start 20 ms slower.
const { createServer, METHODS, STATUS_CODES } = process.getBuiltinModule('node:http');

/** The parser also accepts methods of RTSP if a request names that protocol. No router knows them. */
const methods = new Set(METHODS);
const notHttp = 'The request is not correct HTTP/1.1.';

const callerKey = Symbol('caller');
const lastAnswerKey = Symbol('last answer');
const guardKey = Symbol('guard');

/**
 * What is known of a request or a connection is a property of it. In a `WeakMap`, an entry for each request would keep
 * the garbage collector busy.
 */
type KnownRequest = IncomingMessage & { [callerKey]?: Caller };
/** `lastAnswerKey`: the last answer on the connection, whether it is sent or not. */
type KnownSocket = Socket & { [lastAnswerKey]?: ServerResponse; [guardKey]?: Guard };

/**
 * The owner of the token of a request. If no token was needed, and for requests injected in process, this is the user.
 */
export function callerOfRequest({ raw }: { raw: KnownRequest }): Caller {
  return raw[callerKey] ?? theUser;
}

type GuardedServerOptions = {
  /** The user's token. */
  token: string;
  /** The id of the token for agents with this digest. */
  idOfAgentToken(digest: Buffer): string | undefined;
  /** The id of the console whose token has this digest. It has the rights of the user's token. */
  idOfConsole(digest: Buffer): string | undefined;
  /** Whether requests on the Unix socket need no token. */
  isOwnerTrusted: boolean;
  allowedHosts: readonly string[];
  /** The host name of the console. */
  consoleName: string;
  limits: HttpLimits;
  connections: Connections;
  requestLog: RequestLog;
  /** True once the daemon is stopping: requests are then answered 503. */
  isClosing: () => boolean;
};

/** Of a shorter answer, the system takes most. */
const longAnswer = 64 * 1024;

/**
 * Closes the connection if the client reads nothing of a long answer for `unreadMs`: until then the daemon keeps all of
 * it. What the system takes counts as read. It takes megabytes at the beginning, and then about one at a time: a client
 * that reads nothing can take twice as long, and one that reads less than that in `unreadMs` is closed too. The returned
 * function is a listener of `prefinish`: the answer is complete then.
 */
function limitUnread(unreadMs: number): (this: ServerResponse) => void {
  let completed: ServerResponse[] = [];
  const limit = (response: ServerResponse): void => {
    const { socket } = response.req;
    if (response.writableFinished || socket.destroyed) return;
    socket.setTimeout(unreadMs);
    response.once('finish', () => {
      // Another request on this connection may take longer. Without one, Node has set the time of an idle connection.
      if (socket.timeout === unreadMs) socket.setTimeout(0);
    });
  };
  const limitAll = (): void => {
    const all = completed;
    completed = [];
    for (const response of all) limit(response);
  };
  return function () {
    // An answer that waits for an earlier one has no socket of its own yet.
    if (this.req.socket.writableLength < longAnswer) return;
    // Most answers are taken at once, and then need no time limit.
    if (completed.push(this) === 1) setImmediate(limitAll);
  };
}

/** Finds the owner of a token by its digest. Takes the same time in all cases. */
function createCallerOf({
  token,
  idOfAgentToken,
  idOfConsole,
}: GuardedServerOptions): (digest: Buffer) => Caller | undefined {
  const tokenDigest = digestToken(token);
  return (digest) => {
    const tokenId = idOfAgentToken(digest);
    const consoleId = idOfConsole(digest);
    if (timingSafeEqual(digest, tokenDigest)) return theUser;
    if (consoleId !== undefined) return { scope: 'user', consoleId };
    return tokenId === undefined ? undefined : { scope: 'agent', tokenId };
  };
}

/** A server that does not listen yet. `handler` gets only requests that the guard allows. */
export function createGuardedServer(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  options: GuardedServerOptions,
): Server {
  const { isOwnerTrusted, allowedHosts, consoleName, limits, connections, requestLog, isClosing } = options;
  const callerOf = createCallerOf(options);
  const tooManyConnections = `This agent token has ${connections.ofOneToken} connections already, which is the limit, or another caller still waits for an answer on this connection.`;
  const limitOfUnread = limitUnread(limits.unreadMs);
  const lowerCaseHosts = allowedHosts.map((host) => host.toLowerCase());

  /**
   * `isHeldBack`: the client sends the body only after it is asked for it. curl does so with large bodies, .NET with
   * all.
   */
  function listener(request: KnownRequest, response: ServerResponse, isHeldBack = false): void {
    const socket: KnownSocket = request.socket;
    socket[lastAnswerKey] = response;
    response.on('prefinish', limitOfUnread);
    socket[guardKey] ??= createGuard({
      localPort: isOnUnixSocket(socket) ? undefined : (socket.localPort ?? 0),
      socketOwner: isOwnerTrusted ? theUser : undefined,
      callerOf,
      allowedHosts: lowerCaseHosts,
      consoleName,
      urlCharacters: limits.urlCharacters,
    });
    const { method = '', url = '', rawHeaders } = request;
    const decision = socket[guardKey]({ method, url, rawHeaders });
    let refusal: Refusal | undefined;
    if (!decision.allowed) refusal = decision.refusal;
    else if (!methods.has(method)) refusal = { code: 'invalid_request', detail: notHttp, close: true };
    else if (decision.caller !== undefined && !connections.use(request.socket, decision.caller, response))
      refusal = { code: 'limit_exceeded', detail: tooManyConnections, close: true };
    else if (isClosing()) refusal = { code: 'unavailable', detail: 'The daemon is stopping.', close: true };
    if (decision.allowed && decision.caller !== undefined) request[callerKey] = decision.caller;
    if (refusal !== undefined) refuse(request, response, refusal);
    else {
      // If a body is too large for all operations, the client is not asked to send it.
      if (isHeldBack && Number(request.headers['content-length'] ?? 0) <= limits.bodyBytes) response.writeContinue();
      handler(request, response);
    }
  }

  function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const problem = createProblem(refusal.code, requestIdOf(request), refusal);
    if (refusal.code === 'unauthorized') response.setHeader('www-authenticate', 'Bearer');
    dropBody(request, response, { maxBytes: limits.bodyBytes, close: refusal.close === true });
    const body = JSON.stringify(problem);
    response.writeHead(problem.status, {
      'content-type': problemContentType,
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
    logRefusal(problem, request, requestLog);
  }

  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      requestTimeout: limits.requestTimeoutMs,
      headersTimeout: limits.headersTimeoutMs,
      connectionsCheckingInterval: limits.connectionsCheckMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      ServerResponse: SecuredResponse,
      requireHostHeader: false, // the guard refuses a missing Host itself, with a problem as its body
    },
    (request, response) => listener(request, response),
  );
  server.on('connection', connections.open);
  server.maxHeadersCount = 0; // no header line is hidden from the guard; `maxHeaderSize` bounds them
  // Without these, Node answers an Expect header itself, before the guard has seen the request.
  server.on('checkContinue', (request, response) => listener(request, response, true));
  server.on('checkExpectation', (request, response) => listener(request, response));
  // There is no listener for `upgrade`, so an Upgrade is answered like any request. CONNECT closes the socket.
  return server;
}

/** Handles input that is not a valid request: it is answered as a problem if possible, and the connection is closed. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, requestLog: RequestLog): void {
  if (error.code === 'ECONNRESET' || (!socket.writable && !isLingering(socket))) socket.destroy();
  if (!socket.writable) return;
  // If an answer is being sent, another one would stand in its middle. If a request was answered before its body was
  // complete, another one would be its second answer. An answer that has not begun gives way to this one, because its
  // own request may be the wrong one.
  const { _httpMessage: current, [lastAnswerKey]: last } = socket as KnownSocket & {
    _httpMessage?: ServerResponse | null;
  };
  if (current?.headersSent || (last?.headersSent && !last.req.complete)) {
    linger(socket);
    return;
  }
  const { detail, status } = clientErrors.get(error.code ?? '') ?? { detail: notHttp };
  const problem = createProblem('invalid_request', createRequestId(), { detail, status });
  const body = JSON.stringify(problem);
  const headers = {
    ...securityHeaders,
    'x-request-id': problem.requestId,
    'content-type': problemContentType,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`);
  linger(socket);
  logRefusal(problem, { socket }, requestLog);
}

function logRefusal(
  { requestId, status, code }: Problem,
  { socket, method = '' }: { socket: Socket; method?: string | undefined },
  requestLog: RequestLog,
): void {
  requestLog.unvouched({ requestId, method, route: null, status, durationMs: 0, peer: socket.remoteAddress, code });
}

const clientErrors = new Map<string, { detail: string; status: HttpLevelStatus }>([
  ['HPE_HEADER_OVERFLOW', { detail: 'The header is larger than the limit.', status: 431 }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { detail: 'The request did not arrive in time.', status: 408 }],
]);
