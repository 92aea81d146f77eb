/**
 * Who may talk to the port (S-01 … S-07, S-10, S-76): one decision on the raw request line and header
 * lines, taken before anything is routed. Values are compared as they were sent; nothing is parsed as a URL.
 */

import type { Caller } from '../../src/ports/caller.ts';
import { digestToken } from '../../src/tokens/access-tokens.ts';
import { collectHeaders, type Headers, type Refusal, refuseForm } from './request-head.ts';

/** Paths that answer GET and HEAD without the token, compared exactly; they hold no data of the user. */
export const publicPaths: ReadonlySet<string> = new Set([
  '/',
  '/health',
  '/openapi.json',
  '/docs',
  '/docs/',
  '/docs/page.js',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
]);

/** Files of the console, which are public too. The guard does not know which of them exist. */
const consoleFile = /^\/console\/[\w-]+(?:\.[\w-]+)+$/u;

/** Sign-in of the console with a code: the only POST without a token (S-10). */
export const signInPath = '/v1/console/sessions';

/** `rawHeaders` alternates names and values as received. */
export type RequestHead = { method: string; url: string; rawHeaders: readonly string[] };

/** `localPort` is the connection's own, undefined on the Unix socket; hosts are exact `Host` values. */
export type GuardedConnection = {
  localPort: number | undefined;
  /** The caller of a request without a token on the Unix socket, if its owner is trusted. */
  socketOwner?: Caller | undefined;
  /** The owner of the token with this digest. Undefined if there is no such token. Takes the same time in all cases. */
  callerOf(digest: Buffer): Caller | undefined;
  allowedHosts: readonly string[];
  /** The host name of the console, in lower case. It is new at each start of the daemon. */
  consoleName: string;
  urlCharacters: number;
};

type GuardedRequest = RequestHead & GuardedConnection;

/** `caller`: the owner of the token. Undefined if no token was needed. */
type GuardDecision = { allowed: true; caller: Caller | undefined } | { allowed: false; refusal: Refusal };

/**
 * True for GET and HEAD of one of `publicPaths` and of files of the console, with or without a query, and for POST to
 * `signInPath`. No other spelling of a path is public.
 */
export function isPublicRequest(method: string, url: string): boolean {
  if (method === 'POST') return url === signInPath;
  if (method !== 'GET' && method !== 'HEAD') return false;
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return publicPaths.has(path) || consoleFile.test(path);
}

/**
 * Who a head says that it comes from: the owner of the token with a digest, or of the Unix socket. `anyone` is enough
 * for a public path.
 */
type Sender = Buffer | 'socket owner' | 'anyone' | undefined;
/** What only the head decides. `foreign`: why it is refused whoever sends it; `wrong`: why those who may send it. */
type Inspection = Readonly<{ foreign: Refusal | undefined; sender: Sender; wrong: Refusal | undefined }>;

/** Checks host, then origin, then token, then the form of the request, then where it signs in. */
function inspectHead(request: GuardedRequest): Inspection {
  const headers = collectHeaders(request.rawHeaders);
  return {
    foreign: refuseHost(request, headers) ?? refuseOrigin(request, headers),
    sender: isPublicRequest(request.method, request.url) ? 'anyone' : senderOf(request, headers),
    wrong: refuseForm(request, headers) ?? refuseSignIn(request, headers),
  };
}

export type Guard = (head: RequestHead) => GuardDecision;

/**
 * Decides about the requests of a connection. The first failure decides. A client sends the same head again and again,
 * so a head that is equal to the last one is not inspected again: the time of the comparison tells a client nothing about
 * tokens that were not sent on its connection (S-07). Whether the token is valid is asked each time.
 */
export function createGuard(connection: GuardedConnection): Guard {
  let last: { head: RequestHead; inspection: Inspection } | undefined;
  return (head) => {
    if (last === undefined || !isSameHead(last.head, head))
      last = { head, inspection: inspectHead({ ...connection, ...head }) };
    const { foreign, sender, wrong } = last.inspection;
    if (foreign !== undefined) return { allowed: false, refusal: foreign };
    const caller = callerIn(sender, connection);
    const refusal = sender === 'anyone' || caller !== undefined ? wrong : unauthorized;
    return refusal === undefined ? { allowed: true, caller } : { allowed: false, refusal };
  };
}

function isSameHead(one: RequestHead, other: RequestHead): boolean {
  return (
    one.method === other.method &&
    one.url === other.url &&
    one.rawHeaders.length === other.rawHeaders.length &&
    one.rawHeaders.every((text, index) => text === other.rawHeaders[index])
  );
}

function callerIn(sender: Sender, { socketOwner, callerOf }: GuardedConnection): Caller | undefined {
  if (sender === 'socket owner') return socketOwner;
  return typeof sender === 'object' ? callerOf(sender) : undefined;
}

/** The first `Host` value, in lower case. */
function hostOf(headers: Headers): string {
  return headers.get('host')?.[0]?.toLowerCase() ?? '';
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

type KnownHosts = Pick<GuardedConnection, 'localPort' | 'allowedHosts' | 'consoleName'>;

/** A browser leaves out port 80. The Unix socket has no port, so any port is valid there. */
function names(host: string, name: string, localPort: number | undefined): boolean {
  if (localPort === undefined)
    return host === name || (host.startsWith(name) && /^:\d{1,5}$/u.test(host.slice(name.length)));
  return host === `${name}:${localPort}` || (localPort === 80 && host === name);
}

/** `host` must already be in lower case. */
function isOwnHost(host: string, { localPort, allowedHosts }: KnownHosts): boolean {
  return loopbackNames.some((name) => names(host, name, localPort)) || allowedHosts.includes(host);
}

function isConsoleHost(host: string, { localPort, consoleName }: KnownHosts): boolean {
  return names(host, consoleName, localPort);
}

/**
 * Whether the console may sign in at this `Host`: its own name, or a host that the user named, beyond loopback. At a
 * fixed name, an earlier program on the port may have left a service worker or a cached page (S-10).
 */
export function isSignInHost(host: string, known: KnownHosts): boolean {
  const lowerCase = host.toLowerCase();
  if (isConsoleHost(lowerCase, known)) return true;
  return known.allowedHosts.includes(lowerCase) && !isOwnHost(lowerCase, { ...known, allowedHosts: [] });
}

/** Requests of the page of the console and its links. */
function isForConsole({ method, url }: GuardedRequest): boolean {
  return url.startsWith('/v1/') || isPublicRequest(method, url);
}

function refuseHost(request: GuardedRequest, headers: Headers): Refusal | undefined {
  const hosts = headers.get('host') ?? [];
  if (hosts.length !== 1) return { code: 'invalid_request', detail: 'Exactly one Host header is required.' };
  if (!request.url.startsWith('/') && request.url !== '*')
    return { code: 'forbidden_host', detail: 'The request target must be a path.' };
  const host = hostOf(headers);
  const isConsole = isConsoleHost(host, request);
  if (!isConsole && !isOwnHost(host, request)) {
    const right =
      request.localPort === undefined
        ? 'Send "localhost" through the socket.'
        : 'Send the host and port of its address. To open its console: contextd open.';
    return { code: 'forbidden_host', detail: `The Host header does not name this daemon. ${right}` };
  }
  if (isConsole && !isForConsole(request))
    return { code: 'forbidden_host', detail: 'This host name is for the console only.' };
  return undefined;
}

function refuseSignIn(request: GuardedRequest, headers: Headers): Refusal | undefined {
  const isSignIn = request.method === 'POST' && request.url === signInPath;
  if (!isSignIn || isSignInHost(hostOf(headers), request)) return undefined;
  return { code: 'forbidden_host', detail: 'The console signs in only at its own address. To open it: contextd open.' };
}

function refuseOrigin(request: GuardedRequest, headers: Headers): Refusal | undefined {
  const origins = headers.get('origin') ?? [];
  const sites = headers.get('sec-fetch-site') ?? [];
  const isOwnOrigin =
    origins.length === 0 || (origins.length === 1 && isOriginFor(origins[0] as string, request, headers));
  const isOwnSite = sites.every((site) => site === 'same-origin' || site === 'none');
  if (isOwnOrigin && (isOwnSite || opensConsole(request, headers))) return undefined;
  return { code: 'forbidden_origin', detail: 'Requests of other web pages are refused.' };
}

/** Only the console sends requests to its own host. */
function isOriginFor(origin: string, request: GuardedRequest, headers: Headers): boolean {
  if (!origin.startsWith('http://')) return false;
  const from = origin.slice('http://'.length);
  return isConsoleHost(hostOf(headers), request) ? isConsoleHost(from, request) : isOwnHost(from, request);
}

/**
 * A page load that opens the console: the file of `contextd open` leads there, and the browser marks the request as
 * coming from another site. The answer is the page that anybody gets.
 */
function opensConsole(request: GuardedRequest, headers: Headers): boolean {
  const is = (name: string, value: string) => headers.get(name)?.length === 1 && headers.get(name)?.[0] === value;
  return (
    request.method === 'GET' &&
    request.url === '/' &&
    isConsoleHost(hostOf(headers), request) &&
    !headers.has('origin') &&
    is('sec-fetch-site', 'cross-site') &&
    is('sec-fetch-mode', 'navigate') &&
    is('sec-fetch-dest', 'document')
  );
}

function senderOf({ localPort }: GuardedRequest, headers: Headers): Sender {
  const values = headers.get('authorization') ?? [];
  if (values.length === 0 && localPort === undefined) return 'socket owner';
  const token = values.length === 1 ? /^Bearer ([\x21-\x7e]+)$/iu.exec(values[0] as string)?.[1] : undefined;
  return token === undefined ? undefined : digestToken(token);
}

const unauthorized: Refusal = {
  code: 'unauthorized',
  detail:
    'A token of this daemon is required, from the discovery file or from "contextd token": Authorization: Bearer <token>. A daemon that was started again has another token in its discovery file. A token for agents may have been revoked.',
};
