/** `fetch` for MCP servers (S-27). Only to allowed addresses, without redirects, with limited answers. */
import { type LookupAddress, lookup } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable, Transform } from 'node:stream';
import { McpError, type McpFailure } from '../../ports/mcp-launcher.ts';
import { objectionToAddress } from './address.ts';
import { createAllowance, createMessageScanner, type Framing } from './flood-guard.ts';

type GuardedFetch = Readonly<{
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  dispose(): void;
}>;

type FetchOptions = {
  /** Headers of every request. */
  headers: Readonly<Record<string, string>>;
  ownPort(): number | undefined;
  /**
   * Called for every failure, even if the SDK does not report it. `isOfCall`: the failure of a request, not of the open
   * stream.
   */
  onFailure(failure: McpFailure, isOfCall: boolean): void;
  /** The time limit for the answer to a request. */
  answerMs: number;
  /** Whether the server has accepted the credentials. Then the status 403 is about one request. */
  isAccepted(): boolean;
};

type Family = number | 'IPv4' | 'IPv6' | undefined;

export function createGuardedFetch(options: FetchOptions): GuardedFetch {
  const { headers, ownPort, onFailure, answerMs, isAccepted } = options;
  const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

  const receive = (answer: http.IncomingMessage, url: URL, isCall: boolean): Response => {
    if (answer.statusCode === 401 || (answer.statusCode === 403 && !isAccepted())) throw notLoggedIn(answer.statusCode);
    return responseOf(answer, url, (error, framing) => {
      const { failure } = asMcpError(error, url);
      // A single answer that is too long concerns only its caller, who gets the error from reading it.
      if (failure.code !== 'limit_exceeded' || framing !== 'single' || !isCall) onFailure(failure, isCall);
    });
  };
  const request = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const { url, port } = targetOf(input, ownPort());
    const [{ request: send }, agent] = url.protocol === 'https:' ? [https, agents.https] : [http, agents.http];
    const body = typeof init.body === 'string' ? Buffer.from(init.body) : undefined;
    const sent = {
      ...Object.fromEntries(new Headers(init.headers)),
      ...lowerCased(headers),
      'accept-encoding': 'identity',
      ...(body && { 'content-length': String(body.length) }),
    };
    const isCall = isOfCall(init);
    const limit = isCall ? AbortSignal.timeout(answerMs) : undefined;
    const signal = AbortSignal.any([init.signal, limit].filter((each) => each instanceof AbortSignal));
    const options = {
      method: init.method ?? 'GET',
      headers: sent,
      agent,
      lookup: guardedLookup(port, ownPort),
      signal,
    };
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    const call = send(url, options);
    call.on('error', (error) => reject(asMcpError(error, url)));
    call.on('response', (answer) => {
      try {
        resolve(receive(answer, url, isCall));
      } catch (error) {
        answer.destroy();
        reject(error);
      }
    });
    call.end(body);
    return promise;
  };

  return Object.freeze({
    async fetch(url, init) {
      try {
        return await request(url, init);
      } catch (error) {
        const isOurs = init?.signal?.aborted === true;
        if (!isOurs) onFailure(asMcpError(error, new URL(url)).failure, isOfCall(init));
        throw error;
      }
    },
    dispose() {
      agents.http.destroy();
      agents.https.destroy();
    },
  } satisfies GuardedFetch);
}

/** Where a request goes. Throws `McpError` for an address that is not allowed. */
function targetOf(input: string | URL, ownPort: number | undefined): { url: URL; port: number } {
  const url = new URL(input);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw refused(`${url.protocol} is not a protocol of MCP.`);
  if (url.username !== '' || url.password !== '') throw refused('Credentials belong in "headers", not in the URL.');
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  const host = url.hostname.replace(/^\[|\]$/gu, '');
  if (isIP(host) !== 0) refuseAddress(host, port, ownPort);
  return { url, port };
}

/** False for the stream of changes, which a GET opens, or a call in the newest revision of the protocol. */
function isOfCall({ method = 'GET', headers }: RequestInit = {}): boolean {
  return method !== 'GET' && new Headers(headers).get('mcp-method') !== 'subscriptions/listen';
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function refused(detail: string): McpError {
  return new McpError({ code: 'refused', detail });
}

function notLoggedIn(status: number): McpError {
  return refused(
    `It requires authentication (HTTP status ${status}). contextd does not log in: put the credentials into "headers".`,
  );
}

function refuseAddress(address: string, port: number, ownPort: number | undefined): void {
  const objection = objectionToAddress(address, port, ownPort);
  if (objection !== undefined) throw refused(objection);
}

/** All addresses of a name must be allowed, because contextd does not choose which one is used. */
function guardedLookup(port: number, ownPort: () => number | undefined): LookupFunction {
  return (hostname, options, callback) => {
    const family = options.family as Family;
    lookup(hostname, { ...options, family, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '');
      try {
        for (const { address } of found) refuseAddress(address, port, ownPort());
      } catch (refusal) {
        return callback(refusal as Error, '');
      }
      const first = found[0];
      if (options.all) callback(null, found);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

/** Throws `McpError` for an answer that cannot be used. */
function responseOf(
  answer: http.IncomingMessage,
  url: URL,
  onError: (error: Error, framing: Framing) => void,
): Response {
  const status = answer.statusCode ?? 500;
  if (status >= 300 && status < 400 && status !== 304)
    throw refused(`It redirects to ${originOf(answer, url)}; redirects are not followed.`);
  const encoding = answer.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw refused('It compresses its answer, although contextd did not ask for it.');
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  // The SDK would try to log in.
  headers.delete('www-authenticate');
  const isEmpty = status === 204 || status === 205 || status === 304;
  if (isEmpty) answer.resume();
  const framing = headers.get('content-type')?.includes('text/event-stream') ? 'events' : 'single';
  const bounded = isEmpty ? null : answer.pipe(boundedBody(framing));
  bounded?.on('error', (error) => {
    answer.destroy();
    onError(error, framing);
  });
  answer.on('error', (error) => bounded?.destroy(error));
  const body = bounded && (Readable.toWeb(bounded) as unknown as ReadableStream<Uint8Array>);
  const response = new Response(body, { status: status < 200 ? 500 : status, headers });
  // The parser of events needs the address of the stream.
  Object.defineProperty(response, 'url', { value: url.href });
  return response;
}

function boundedBody(framing: Framing): Transform {
  const scanner = createMessageScanner(framing);
  const allowance = createAllowance();
  return new Transform({
    // Few bytes at a time, so that a flood waits outside.
    highWaterMark: 64 * 1024,
    transform(chunk: Buffer, _encoding, done) {
      try {
        const pauseMs = allowance.take(scanner.feed(chunk) + chunk.length / 16_384);
        if (pauseMs === 0) done(null, chunk);
        else setTimeout(() => done(null, chunk), pauseMs);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

function originOf(answer: http.IncomingMessage, url: URL): string {
  const location = answer.headers.location ?? '';
  return URL.canParse(location, url.href) ? new URL(location, url).origin : 'an invalid address';
}

function asMcpError(error: unknown, url: URL): McpError {
  if (error instanceof McpError) return error;
  const { code, name, message, cause } = error as NodeJS.ErrnoException;
  if (name === 'TimeoutError' || (name === 'AbortError' && (cause as Error | undefined)?.name === 'TimeoutError'))
    return new McpError({ code: 'timeout', detail: 'It does not end its answer.' });
  if (name === 'AbortError') return new McpError({ code: 'cancelled', detail: 'The request was cancelled.' });
  return new McpError({ code: 'unreachable', detail: `${url.origin} cannot be reached (${code ?? message}).` });
}
