/**
 * One request to an embedding server (SS-09). Its answer is not trusted: it is limited in size and never shown to
 * anybody.
 */
import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { EmbeddingFailure } from '../../ports/ports.ts';

type EndpointRequest = {
  url: URL;
  key?: string | undefined;
  agent: Agent;
  signal: AbortSignal;
  /** Max bytes of the answer. */
  maxBytes: number;
};

/**
 * `mayPass`: the same request may succeed soon, but not before `afterMs`, if the server names a time. `isOfTexts`: the
 * server refuses these texts, and may accept others.
 */
export class EndpointFailure extends EmbeddingFailure {
  readonly mayPass: boolean;
  readonly afterMs: number;
  readonly isOfTexts: boolean;

  constructor(message: string, { mayPass = false, afterMs = 0, isOfTexts = false } = {}) {
    super(message);
    this.mayPass = mayPass;
    this.afterMs = afterMs;
    this.isOfTexts = isOfTexts;
  }
}

/** Codes of broken connections. An unknown name or a bad certificate stays, so it is not among them. */
const passing = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/**
 * Sends a JSON body and returns the text of the answer. Follows no redirection, because the texts are for the named
 * server only.
 */
export function postJson(body: object, { url, key, agent, signal, maxBytes }: EndpointRequest): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const payload = Buffer.from(JSON.stringify(body));
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const headers: Record<string, string | number> = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/json',
    'content-length': payload.length,
    'user-agent': 'contextd',
  };
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  const fail = (error: NodeJS.ErrnoException): void => {
    const code = error.code ?? 'no code';
    const failure = new EndpointFailure(`${url.host} cannot be asked (${code}).`, { mayPass: passing.includes(code) });
    reject(signal.aborted ? error : failure);
  };
  // Certificates are always checked, whatever the environment says.
  const request = send(url, { method: 'POST', agent, signal, headers, rejectUnauthorized: true });
  const lost = (): void => fail(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
  // An answer that switches protocols causes no other event.
  request.on('error', fail).on('close', lost);
  const refuse = (failure: EndpointFailure): void => {
    reject(failure);
    request.destroy();
  };
  request.on('response', (response) => {
    request.off('close', lost);
    response.on('error', fail);
    const refusal = refusalOf(response, url.host);
    if (refusal !== undefined) return refuse(refusal);
    const pieces: Buffer[] = [];
    let bytes = 0;
    response.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxBytes)
        return refuse(new EndpointFailure(`${url.host} answers with more data than the vectors can have.`));
      pieces.push(piece);
    });
    response.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    response.on('close', lost);
  });
  request.end(payload);
  return promise;
}

/** The failure that an answer means before its text is read. */
function refusalOf({ statusCode: status = 0, headers }: IncomingMessage, host: string): EndpointFailure | undefined {
  const { 'retry-after': after, 'content-encoding': encoding = 'identity' } = headers;
  if (status === 200 && encoding === 'identity') return undefined;
  if (status === 200) return new EndpointFailure(`${host} answers in an encoding that contextd did not ask for.`);
  if (status >= 300 && status < 400)
    return new EndpointFailure(`${host} answers with a redirection (${status}), which is not followed.`);
  if (status === 401 || status === 403) return new EndpointFailure(`${host} refuses the key (${status}).`);
  if (status === 404)
    return new EndpointFailure(`${host} knows no such model, or no embeddings at this address (404).`);
  const mayPass = status === 429 || status === 502 || status === 503 || status === 504;
  const isOfTexts = status === 400 || status === 413 || status === 422 || status === 500;
  const seconds = /^\d{1,3}$/u.test(after ?? '') ? Number(after) : 0;
  return new EndpointFailure(`${host} answered ${status}.`, { mayPass, isOfTexts, afterMs: 1_000 * seconds });
}
