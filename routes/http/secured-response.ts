/** Answers with the headers that each answer has, whatever code writes it: those of security, and the id of the request. */
import { randomFillSync } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';

// An import would also load the HTTP client of Node.js, which makes the start 20 ms slower.
const { ServerResponse } = process.getBuiltinModule('node:http');

/** Sent with every answer, whatever code writes it (S-11). No cookie and no CORS header is ever set (S-03, S-10). */
export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const securityLines = Object.entries(securityHeaders);

const idBytes = 16;
const randomPool = Buffer.alloc(4096 * idBytes);
let randomUsed = randomPool.length;

/**
 * 128 random bits in hexadecimal (S-16). Drawn for many requests at once, because each draw is a call of the system.
 */
export function createRequestId(): string {
  if (randomUsed === randomPool.length) {
    randomFillSync(randomPool);
    randomUsed = 0;
  }
  const start = randomUsed;
  randomUsed += idBytes;
  return randomPool.toString('hex', start, randomUsed);
}

const idKey = Symbol('id');

/** The id of a request. A request that did not arrive through our server gets its id now. */
export function requestIdOf(request: IncomingMessage & { [idKey]?: string }): string {
  request[idKey] ??= createRequestId();
  return request[idKey];
}

function isWhole(given: unknown): given is OutgoingHttpHeaders {
  return typeof given === 'object' && given !== null && !Array.isArray(given);
}

/**
 * Adds the headers when the head is written. To set each of them before, and then those of the framework, would cost
 * three times as much. A header that was set otherwise stays.
 */
export class SecuredResponse extends ServerResponse {
  override writeHead(status: number, ...rest: unknown[]): this {
    const [given] = rest;
    const id = requestIdOf(this.req);
    // The framework gives all headers at once, with names in lower case.
    if (rest.length === 1 && isWhole(given) && this.getHeaderNames().length === 0) {
      const lines: OutgoingHttpHeader[] = 'x-request-id' in given ? [] : ['x-request-id', id];
      for (const [name, value] of securityLines) if (!(name in given)) lines.push(name, value);
      for (const name of Object.keys(given)) lines.push(name, given[name] as OutgoingHttpHeader);
      return super.writeHead(status, lines);
    }
    for (const [name, value] of [...securityLines, ['x-request-id', id] as const])
      if (!this.hasHeader(name)) this.setHeader(name, value);
    return super.writeHead(status, ...(rest as [string]));
  }
}
