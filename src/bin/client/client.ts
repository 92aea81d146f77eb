/**
 * Talks to the running daemon. The token of a discovery file is sent only over a connection on which the other side has
 * proved that it knows the token: what answers on the port of a leftover file may be a stranger (S-74). What the user
 * names in the environment is the user's word.
 */
import { existsSync } from 'node:fs';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { ContextdError, type ErrorCode, errorCodes, type FieldError } from '../../errors.ts';
import { parseJson } from '../../texts/parse-json.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { type Discovery, originalOf, readDiscoveryFile } from '../state/discovery-file.ts';
import { stateNames } from '../state/state-directory.ts';
import type { DaemonPlace, NamedDaemon } from './daemon-place.ts';

// An import would also load everything that `node:http` re-exports, which takes longer than the request.
const http = process.getBuiltinModule('node:http');
// Without web cryptography, for the same reason.
const { createHmac, randomBytes, timingSafeEqual } = process.getBuiltinModule('node:crypto');

export type DaemonRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Time limit of the answer. Default: a minute. */
  timeoutMs?: number;
};

export type DaemonClient = {
  url: string;
  /** Returns the parsed answer (`undefined` if it is empty). Throws the daemon's problem as `ContextdError`. */
  request<Result>(request: DaemonRequest): Promise<Result>;
  /** The answer as a stream, which ends after `silenceMs` without data. Throws like `request`. */
  open(path: string, options: Opening): Promise<IncomingMessage>;
};

type Opening = Pick<DaemonRequest, 'body' | 'headers'> & { method?: DaemonRequest['method']; silenceMs: number };

/** The daemon's problem, with the body that it answered. */
export class RefusedAnswer extends ContextdError {
  readonly body: string;

  constructor(body: string, status: number) {
    const problem = (parseJson(body) ?? {}) as {
      code?: string;
      detail?: string;
      title?: string;
      errors?: FieldError[];
    };
    const code = errorCodes.find((known) => known === problem.code) ?? ('internal' satisfies ErrorCode);
    super(code, problem.detail ?? problem.title ?? `the daemon answered ${status}`, problem.errors ?? []);
    this.body = body;
  }
}

type FoundDaemon<Client = DaemonClient> = { ok: true; client: Client } | { ok: false; reason: string };
export type DiscoveredDaemon = DaemonClient & { discovery: Discovery };

/** Address and token. `isFound`: from a discovery file, so that the daemon has to prove that it wrote the file. */
type Address = NamedDaemon & { isFound: boolean };

/** The daemon of a state directory must prove that it wrote the discovery file; a named daemon need not. */
export async function findDaemon(place: string): Promise<FoundDaemon<DiscoveredDaemon>>;
export async function findDaemon(place: DaemonPlace): Promise<FoundDaemon>;
export async function findDaemon(place: DaemonPlace): Promise<FoundDaemon> {
  if (typeof place !== 'string') return connect({ ...place, isFound: false });
  const path = join(place, stateNames.discovery);
  const discovery = readDiscoveryFile(path);
  if (discovery === undefined)
    return {
      ok: false,
      reason: existsSync(path) ? `the discovery file in ${place} is damaged` : `there is no discovery file in ${place}`,
    };
  const original = originalOf(path, discovery);
  if (original !== undefined)
    return { ok: false, reason: `the discovery file in ${place} is a copy of that in ${dirname(original)}` };
  const { url, token } = discovery;
  const found = await connect({ url, token, isFound: true });
  return found.ok ? { ok: true, client: { ...found.client, discovery } as DiscoveredDaemon } : found;
}

async function connect(address: Address): Promise<FoundDaemon> {
  let connection: Connection;
  try {
    connection = await proveConnection(address);
  } catch (error) {
    return { ok: false, reason: (error as Error).message };
  }
  const provenAt = performance.now();
  // Requests within `usableMs` use the proven connection. An idle connection keeps no process alive.
  const isUsable = (): boolean => !connection.proven.destroyed && performance.now() - provenAt < usableMs;
  const request = async <Result>(asked: DaemonRequest) =>
    (await (isUsable() ? askOver(connection, asked) : ask(address, asked))) as Result;
  const open: DaemonClient['open'] = (path, options) => openStream(address, path, options);
  const { url, socket } = address;
  return { ok: true, client: { url: socket === undefined ? url : `unix:${socket}`, request, open } };
}

/** Much shorter than the daemon keeps idle connections. */
const usableMs = 1_000;

/** The daemon of a state directory, if one runs. A named daemon must run: throws like `requireDaemon`. */
export async function findOwnOrNamed(place: DaemonPlace): Promise<FoundDaemon> {
  return typeof place === 'string' ? findDaemon(place) : { ok: true, client: await requireDaemon(place) };
}

/** Throws `CommandFailure` 69 if no daemon runs. */
export async function requireDaemon(place: DaemonPlace): Promise<DaemonClient> {
  const found = await findDaemon(place);
  if (found.ok) return found.client;
  const mend = typeof place === 'string' ? 'Start one with: contextd start' : 'CONTEXTD_URL says where it should be.';
  throw new CommandFailure(exitCodes.unavailable, `no daemon runs: ${found.reason}. ${mend}`);
}

/** Proves the daemon, then sends the request on the same connection. */
async function ask(address: Address, asked: DaemonRequest): Promise<unknown> {
  const connection = await proveConnection(address);
  try {
    return await askOver(connection, asked);
  } finally {
    connection.agent.destroy();
  }
}

async function askOver(connection: Connection, asked: DaemonRequest): Promise<unknown> {
  const answer = await exchange({ ...asked, ...connection });
  if (answer.status >= 400) throw new RefusedAnswer(answer.text, answer.status);
  return parseJson(answer.text);
}

/** `proven`: a socket, kept alive by `agent`, on which the daemon proved that it knows the token, if `isFound`. */
type Connection = { address: Address; agent: Agent; proven: Socket };

async function proveConnection(address: Address): Promise<Connection> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    return { address, agent, proven: await proveDaemon(address, agent) };
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

async function proveDaemon(address: Address, agent: Agent): Promise<Socket> {
  const { url, socket, token, isFound, proofMs = 5_000 } = address;
  const nonce = randomBytes(32).toString('hex');
  const path = `/health?challenge=${nonce}`;
  const health = await exchange({ method: 'GET', path, address, agent, timeoutMs: proofMs });
  const { proof } = (parseJson(health.text) ?? {}) as { proof?: unknown };
  if (typeof proof !== 'string') throw unavailable(`what answers at ${socket ?? url} is not contextd`);
  if (!isFound) return health.socket;
  const expected = createHmac('sha256', token ?? '')
    .update(nonce)
    .digest('hex');
  if (sameText(proof, expected)) return health.socket;
  throw unavailable(`what answers at ${url} is not the daemon that wrote the discovery file`);
}

async function openStream(
  address: Address,
  path: string,
  { method = 'GET', body, headers = {}, silenceMs }: Opening,
): Promise<IncomingMessage> {
  const { agent, proven } = await proveConnection(address);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = http.request(`${address.url}${path}`, { agent, method, headers, socketPath: address.socket });
      request.on('error', (error) => reject(unavailable(`the stream cannot be opened (${error.message})`)));
      request.on('response', resolve);
      request.setTimeout(silenceMs, () => request.destroy(new Error('the daemon is silent')));
      sendOver(request, { address, proven, body });
    });
    response.once('close', () => agent.destroy());
    if ((response.statusCode ?? 0) < 400) return response;
    throw new RefusedAnswer(await textOf(response), response.statusCode ?? 0);
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

/** Without `proven`, the daemon gets no token. */
type Exchange = DaemonRequest & Omit<Connection, 'proven'> & { proven?: Socket };
type Answer = { status: number; text: string; socket: Socket };

function exchange(asked: Exchange): Promise<Answer> {
  const { address, path, agent, timeoutMs = 60_000, method, headers = {} } = asked;
  const { url, socket: socketPath } = address;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const request = http.request(`${url}${path}`, { socketPath, agent, method, headers, signal });
    const where = socketPath ?? new URL(url).origin;
    request.on('error', (error) => reject(unavailable(`nothing answers at ${where} (${error.message})`)));
    request.on('response', (response: IncomingMessage) => {
      const { socket } = response;
      textOf(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, text, socket }),
        (error: Error) => reject(unavailable(`the answer was cut off (${error.message})`)),
      );
    });
    sendOver(request, asked);
  });
}

/** Headers are sent with `end`: only then is it certain that the request uses the proven connection. */
function sendOver(
  request: ClientRequest,
  { address, proven, body }: Pick<Exchange, 'address' | 'proven' | 'body'>,
): void {
  request.on('socket', (socket) => {
    if (proven !== undefined && socket !== proven) {
      request.destroy(new Error('the connection was closed'));
      return;
    }
    const { token } = address;
    if (proven !== undefined && token !== undefined) request.setHeader('authorization', `Bearer ${token}`);
    if (body === undefined) {
      request.end();
      return;
    }
    const payload = Buffer.from(JSON.stringify(body));
    request.setHeader('content-type', 'application/json');
    // Without it, Node.js would send the body of a DELETE without its length.
    request.setHeader('content-length', payload.length);
    request.end(payload);
  });
}

/** Like `text` of `node:stream/consumers`, which would also load web streams. */
async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of response.setEncoding('utf8')) text += part;
  return text;
}

function unavailable(message: string): ContextdError {
  return new ContextdError('unavailable', message);
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
