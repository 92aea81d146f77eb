/**
 * Who may talk to the port (S-01 … S-07, S-10, S-76): one pure decision on the raw request line and header
 * lines, taken before anything is routed. Values are compared as they were sent; nothing is parsed as a URL.
 */

import type { ErrorCode } from '../../src/errors.ts';
import type { Caller } from '../../src/ports/caller.ts';
import { digestToken } from '../../src/tokens/access-tokens.ts';

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

/**
 * `rawHeaders` alternates names and values as received; `localPort` is the connection's own, undefined on the Unix
 * socket; hosts are exact `Host` values.
 */
export type GuardedRequest = {
  method: string;
  url: string;
  rawHeaders: readonly string[];
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

/** Why a request is refused. `status`: if HTTP has a more exact one than the code. `close`: ends the connection. */
export type Refusal = { code: ErrorCode; detail: string; status?: 414 | 417; close?: true };
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
 * Checks host, then origin, then token, then the form of the request, then where it signs in. The first failure
 * decides.
 */
export function decideRequest(request: GuardedRequest): GuardDecision {
  const headers = collectHeaders(request.rawHeaders);
  const foreign = refuseHost(request, headers) ?? refuseOrigin(request, headers);
  if (foreign !== undefined) return { allowed: false, refusal: foreign };
  const isPublic = isPublicRequest(request.method, request.url);
  const caller = isPublic ? undefined : holderOfToken(request, headers);
  const refusal =
    isPublic || caller !== undefined ? (refuseForm(request, headers) ?? refuseSignIn(request, headers)) : unauthorized;
  return refusal === undefined ? { allowed: true, caller } : { allowed: false, refusal };
}

type Headers = ReadonlyMap<string, readonly string[]>;

const inspected = new Set([
  'host',
  'origin',
  'sec-fetch-site',
  'sec-fetch-mode',
  'sec-fetch-dest',
  'authorization',
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'expect',
  'upgrade',
]);

function collectHeaders(rawHeaders: readonly string[]): Headers {
  const headers = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!inspected.has(name)) continue;
    const value = rawHeaders[index + 1] as string;
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [value]);
    else values.push(value);
  }
  return headers;
}

/** The first `Host` value, in lower case. */
function hostOf(headers: Headers): string {
  return headers.get('host')?.[0]?.toLowerCase() ?? '';
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

type KnownHosts = Pick<GuardedRequest, 'localPort' | 'allowedHosts' | 'consoleName'>;

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

function holderOfToken(request: GuardedRequest, headers: Headers): Caller | undefined {
  const values = headers.get('authorization') ?? [];
  if (values.length === 0 && request.localPort === undefined) return request.socketOwner;
  const token = values.length === 1 ? /^Bearer ([\x21-\x7e]+)$/iu.exec(values[0] as string)?.[1] : undefined;
  return token === undefined ? undefined : request.callerOf(digestToken(token));
}

const unauthorized: Refusal = {
  code: 'unauthorized',
  detail:
    'A token of this daemon is required, from the discovery file or from "contextd token": Authorization: Bearer <token>. A daemon that was started again has another token in its discovery file. A token for agents may have been revoked.',
};

const jsonContentType = /^application\/json(?: *; *charset=(?:utf-8|"utf-8"))?$/iu;

function refuseForm(request: GuardedRequest, headers: Headers): Refusal | undefined {
  if (request.url.length > request.urlCharacters)
    return {
      code: 'invalid_request',
      status: 414,
      detail: `The request target is longer than ${request.urlCharacters} characters.`,
    };
  if (headers.get('expect')?.some((expectation) => expectation.toLowerCase() !== '100-continue'))
    return { code: 'invalid_request', status: 417, detail: 'Only the expectation “100-continue” is supported.' };
  // `h2c` is what the HTTP client of Java offers on every request; it may be ignored (RFC 9110, 7.8).
  if (headers.get('upgrade')?.some((protocol) => protocol.toLowerCase() !== 'h2c'))
    return { code: 'invalid_request', detail: 'Protocol upgrades are not supported.', close: true };
  const transferEncodings = headers.get('transfer-encoding');
  if (transferEncodings?.some((coding) => coding.toLowerCase() !== 'chunked'))
    return { code: 'invalid_request', detail: 'Only the transfer encoding “chunked” is supported.', close: true };
  if (headers.get('content-encoding')?.some((coding) => coding.toLowerCase() !== 'identity'))
    return { code: 'unsupported_media_type', detail: 'Encoded bodies are not supported.' };
  const hasBody =
    transferEncodings !== undefined || headers.get('content-length')?.some((length) => !/^0+$/u.test(length));
  const contentTypes = headers.get('content-type');
  const mayOmit =
    hasBody !== true && (contentTypes === undefined || request.method === 'GET' || request.method === 'HEAD');
  if (mayOmit || (contentTypes?.length === 1 && jsonContentType.test(contentTypes[0] as string))) return undefined;
  return { code: 'unsupported_media_type', detail: 'A body must be application/json, in UTF-8.' };
}
