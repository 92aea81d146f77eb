/**
 * Talks to the running daemon. The token is sent only over a connection on which the other side has proved that it knows
 * the token: what answers on the port of a leftover discovery file may be a stranger (S-74).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Agent, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ContextdError, type ErrorCode, errorCodes, type FieldError } from '../../errors.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { type Discovery, readDiscoveryFile } from '../state/discovery-file.ts';
import { stateNames } from '../state/state-directory.ts';

// An import would load everything `node:http` can re-export, WebSocket and fetch too, which takes longer than the request.
const http = process.getBuiltinModule('node:http');

export type DaemonRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** How long an answer may take. Default: a minute. */
  timeoutMs?: number;
};

export type DaemonClient = {
  discovery: Discovery;
  /** The parsed answer (undefined for an empty one). Throws the daemon's problem as `ContextdError`. */
  request<Result>(request: DaemonRequest): Promise<Result>;
  /** A good answer that is read while it is being written, until `silenceMs` pass without a byte. Throws like `request`. */
  open(path: string, options: { headers?: Record<string, string>; silenceMs: number }): Promise<IncomingMessage>;
};

export type FoundDaemon = { ok: true; client: DaemonClient } | { ok: false; reason: string };

/** The daemon of a state directory, once it has proved to be the one that wrote the discovery file there. */
export async function findDaemon(stateDirectory: string): Promise<FoundDaemon> {
  const discovery = readDiscoveryFile(join(stateDirectory, stateNames.discovery));
  if (discovery === undefined) return { ok: false, reason: `there is no discovery file in ${stateDirectory}` };
  try {
    await overProvenConnection(discovery);
  } catch (error) {
    return { ok: false, reason: (error as Error).message };
  }
  const request = async <Result>(asked: DaemonRequest) => (await overProvenConnection(discovery, asked)) as Result;
  const open: DaemonClient['open'] = (path, options) => openStream(discovery, path, options);
  return { ok: true, client: { discovery, request, open } };
}

/** The daemon of a state directory; `CommandFailure` 69 when none runs. */
export async function requireDaemon(stateDirectory: string): Promise<DaemonClient> {
  const found = await findDaemon(stateDirectory);
  if (found.ok) return found.client;
  throw new CommandFailure(exitCodes.unavailable, `no daemon runs: ${found.reason}. Start one with: contextd start`);
}

/** Asks for the proof and then, on the same connection, for what was asked. */
async function overProvenConnection(discovery: Discovery, asked?: DaemonRequest): Promise<unknown> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const proven = await proveConnection(discovery, agent);
    if (asked === undefined) return undefined;
    const url = `${discovery.url}${asked.path}`;
    const answer = await exchange({ timeoutMs: 60_000, ...asked, url, agent, proven, token: discovery.token });
    return answer.status < 400 ? parseJson(answer.text) : fail(answer);
  } finally {
    agent.destroy();
  }
}

/** The socket, kept alive by `agent`, on which the daemon has proved that it knows the token. */
async function proveConnection(discovery: Discovery, agent: Agent): Promise<Socket> {
  const nonce = randomBytes(32).toString('hex');
  const health = await exchange({ url: `${discovery.url}/health?challenge=${nonce}`, agent, timeoutMs: 5_000 });
  const { proof } = (parseJson(health.text) ?? {}) as { proof?: unknown };
  const expected = createHmac('sha256', discovery.token).update(nonce).digest('hex');
  if (typeof proof === 'string' && sameText(proof, expected)) return health.socket;
  throw unavailable(`what answers at ${discovery.url} is not the daemon that wrote the discovery file`);
}

async function openStream(
  discovery: Discovery,
  path: string,
  { headers = {}, silenceMs }: { headers?: Record<string, string>; silenceMs: number },
): Promise<IncomingMessage> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const proven = await proveConnection(discovery, agent);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = http.request(`${discovery.url}${path}`, { agent, headers });
      request.on('error', (error) => reject(unavailable(`the stream cannot be opened (${error.message})`)));
      request.on('response', resolve);
      request.setTimeout(silenceMs, () => request.destroy(new Error('the daemon is silent')));
      request.on('socket', (socket) => {
        if (socket !== proven) {
          request.destroy(new Error('the connection was closed'));
          return;
        }
        request.setHeader('authorization', `Bearer ${discovery.token}`);
        request.end();
      });
    });
    response.once('close', () => agent.destroy());
    if ((response.statusCode ?? 0) < 400) return response;
    return fail({ status: response.statusCode ?? 0, text: await text(response) });
  } catch (error) {
    agent.destroy();
    throw error;
  }
}

type Exchange = {
  url: string;
  agent: Agent;
  timeoutMs: number;
  method?: string;
  body?: unknown;
  proven?: Socket;
  token?: string;
  headers?: Record<string, string>;
};
type Answer = { status: number; text: string; socket: Socket };

function exchange({ url, agent, timeoutMs, method, body, proven, token, headers = {} }: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, method, headers, signal: AbortSignal.timeout(timeoutMs) });
    request.on('error', (error) => reject(unavailable(`nothing answers at ${new URL(url).origin} (${error.message})`)));
    request.on('response', (response: IncomingMessage) => {
      const { socket } = response;
      text(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, text, socket }),
        (error: Error) => reject(unavailable(`the answer was cut off (${error.message})`)),
      );
    });
    request.on('socket', (socket) => {
      // Headers leave with `end`; until here the connection may still turn out to be another one than that of the proof.
      if (token !== undefined && socket !== proven) {
        request.destroy(new Error('the connection was closed'));
        return;
      }
      if (token !== undefined) request.setHeader('authorization', `Bearer ${token}`);
      if (body === undefined) {
        request.end();
        return;
      }
      const payload = Buffer.from(JSON.stringify(body));
      request.setHeader('content-type', 'application/json');
      // Without it, the body of a DELETE would be sent with nothing that says where it ends.
      request.setHeader('content-length', payload.length);
      request.end(payload);
    });
  });
}

function fail({ status, text }: Pick<Answer, 'status' | 'text'>): never {
  const problem = (parseJson(text) ?? {}) as { code?: string; detail?: string; title?: string; errors?: FieldError[] };
  const code = errorCodes.find((known) => known === problem.code) ?? ('internal' satisfies ErrorCode);
  throw new ContextdError(
    code,
    problem.detail ?? problem.title ?? `the daemon answered ${status}`,
    problem.errors ?? [],
  );
}

function unavailable(message: string): ContextdError {
  return new ContextdError('unavailable', message);
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function sameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
