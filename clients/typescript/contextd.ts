/**
 * Asks contextd which context a model should see. Node.js 22.18 or newer and nothing else: copy this file and `types.ts`.
 *
 *     const { items } = await new Contextd().context({ mountedDirectory: '/home/ada/shop', query: 'rounding' });
 */
import { execFile } from 'node:child_process';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { ContextRequest, ContextResult, Event, Problem } from './types.js';

/** What the daemon refused (RFC 9457). `errors` of the problem have JSON pointers into the request. */
export class RefusedRequest extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    const detail = problem.detail ?? problem.title;
    // The detail can be the message of the only mistake.
    const places = problem.errors?.map(
      (each) => `\n  ${each.pointer}${each.message === detail ? '' : `: ${each.message}`}`,
    );
    super(`${problem.code}: ${detail}${places?.join('') ?? ''}`);
    this.problem = problem;
  }
}

type Daemon = { url: string; socket?: string | undefined; token?: string | undefined };
type Sent = { body?: unknown; headers?: Record<string, string>; silenceMs?: number };
type Asked = Sent & { method: string; path: string };

/** Finds the daemon, starts it where none runs, and asks it. CONTEXTD_URL and CONTEXTD_TOKEN name another one. */
export class Contextd {
  #daemon: Daemon | undefined;

  /** All context of a prompt. With `grant` the daemon may read a directory that it may not read yet: ask your user before. */
  async context(body: ContextRequest, { grant = false } = {}): Promise<ContextResult> {
    try {
      return await this.request<ContextResult>('POST', '/v1/context', body);
    } catch (error) {
      if (!grant || !(error instanceof RefusedRequest) || error.problem.code !== 'path_outside_roots') throw error;
    }
    await this.request('POST', '/v1/roots', { path: body.mountedDirectory });
    return this.request<ContextResult>('POST', '/v1/context', body);
  }

  /** One request; the JSON of its answer, of which `types.ts` has the type. */
  async request<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return JSON.parse((await text(await this.open(method, path, { body }))) || 'null');
  }

  /** What changes, without end: a stream that ends is opened again where it ended. Throws where the first cannot be. */
  async *events(): AsyncGenerator<Event, never> {
    let wasOpen = false;
    for (let lastId = ''; ; await delay(1000)) {
      try {
        // The daemon says something every 15 seconds.
        const sent = { headers: { 'last-event-id': lastId }, silenceMs: 40_000 };
        const stream = await this.open('GET', '/v1/events', sent);
        wasOpen = true;
        let rest = '';
        for await (const part of stream.setEncoding('utf8')) {
          const lines: string[] = (rest + part).split('\n');
          rest = lines.pop() ?? '';
          for (const line of lines) {
            if (line.startsWith('id: ')) lastId = line.slice('id: '.length);
            if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as Event;
          }
        }
      } catch (error) {
        // The daemon is gone: the next turn finds or starts one.
        if (!wasOpen || (error instanceof RefusedRequest && [401, 403].includes(error.problem.status))) throw error;
      }
    }
  }

  /** A good answer, to be read: its headers, and a body that need not be JSON. Sends `headers`, such as `If-Match`. */
  open(method: string, path: string, sent: Sent = {}): Promise<IncomingMessage> {
    return this.#open({ ...sent, method, path });
  }

  /** Asks once more where the daemon is gone, or another one has its place. */
  async #open(asked: Asked, isLast = false): Promise<IncomingMessage> {
    const { method, path, body, silenceMs = 60_000 } = asked;
    this.#daemon ??= await find();
    const { url, socket, token } = this.#daemon;
    // A port is not kept: other programs can take it.
    if (socket === undefined) this.#daemon = undefined;
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      ...asked.headers,
      ...(token && { authorization: `Bearer ${token}` }),
      ...(payload && { 'content-type': 'application/json', 'content-length': payload.length }),
    };
    const answer = await new Promise<IncomingMessage | undefined>((resolve, reject) => {
      const options = { method, headers, agent: false, timeout: silenceMs, socketPath: socket };
      const request = httpRequest(url + path, options, resolve);
      request.on('timeout', () => request.destroy(new Error('the daemon is silent')));
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isGone = error.code === 'ECONNREFUSED' || error.code === 'ENOENT';
        if (isGone && !isLast) resolve(undefined);
        else reject(error);
      });
      request.end(payload);
    });
    if (answer?.statusCode !== undefined && answer.statusCode < 400) return answer;
    if (answer === undefined || (answer.statusCode === 401 && !isLast)) {
      answer?.resume();
      this.#daemon = undefined;
      return this.#open(asked, true);
    }
    throw new RefusedRequest(JSON.parse(await text(answer)) as Problem);
  }
}

/** What CONTEXTD_URL names, or what `contextd ensure` says. */
async function find(): Promise<Daemon> {
  const { CONTEXTD_URL: url, CONTEXTD_TOKEN: token } = process.env;
  if (url?.startsWith('unix:')) return { url: 'http://localhost', socket: url.slice('unix:'.length), token };
  if (url) return { url: url.replace(/\/$/, ''), token };
  return JSON.parse((await promisify(execFile)('contextd', ['ensure', '--json'])).stdout);
}
