/** The head of a request: its header lines, and whether its form is one that the daemon takes. */
import type { ErrorCode } from '../../src/errors.ts';

/** Why a request is refused. `status`: if HTTP has a more exact one than the code. `close`: ends the connection. */
export type Refusal = { code: ErrorCode; detail: string; status?: 414 | 417; close?: true };

/** Values by name in lower case, without those that nobody asks about. */
export type Headers = ReadonlyMap<string, readonly string[]>;

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

export function collectHeaders(rawHeaders: readonly string[]): Headers {
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

const jsonContentType = /^application\/json(?: *; *charset=(?:utf-8|"utf-8"))?$/iu;

/** Refuses long targets, protocols, encodings and bodies that the daemon does not take. */
export function refuseForm(
  request: { method: string; url: string; urlCharacters: number },
  headers: Headers,
): Refusal | undefined {
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
