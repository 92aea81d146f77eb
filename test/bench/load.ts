/**
 * The load generator, a process of its own. Standard input: a `Load` as JSON; standard output: a `LoadResult`.
 * It does next to nothing for an answer but compare its bytes: a generator that parses HTTP needs more time for one than
 * a bare server (autocannon: twice as much), and both sides of a comparison would show the speed of the generator.
 */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

/** Each connection sends one of `bodies` over and over; every answer must be 200 and the bytes of `expectedFile`. */
export type Load = {
  url: string;
  headers: Record<string, string>;
  bodies: string[];
  expectedFile: string;
  connections: number;
  seconds: number;
  /**
   * Requests a second of all connections together; absent, each sends its next one as soon as it has its answer. With it, the
   * time of a request counts from when it was due: one that waits for the answer before it is late already.
   */
  perSecond?: number;
};
export type LoadResult = { requests: number; perSecond: number; p99Ms: number };

const load = JSON.parse(readFileSync(0, 'utf8')) as Load;
const { host, hostname, port, pathname } = new URL(load.url);
const expected = readFileSync(load.expectedFile);
const latencies: number[] = [];
let sent = 0;
const begun = performance.now();
const end = begun + load.seconds * 1000;
await Promise.all(Array.from({ length: load.connections }, (_, n) => ask(n)));
const elapsedMs = performance.now() - begun;
const p99Ms = latencies.sort((a, b) => a - b)[Math.floor(latencies.length * 0.99)] ?? 0;
const result: LoadResult = { requests: latencies.length, perSecond: (latencies.length * 1000) / elapsedMs, p99Ms };
process.stdout.write(JSON.stringify(result));

/** One connection, one request at a time, until the time is over. Rejects at the first answer that is not right. */
function ask(n: number): Promise<void> {
  const request = requestOf(load.bodies[n % load.bodies.length] as string);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    let head = Buffer.alloc(0);
    let position = -1;
    let dueAt = 0;
    const send = (): void => {
      position = -1;
      socket.write(request);
    };
    /** Sends the next request when it is due, unless that is after the end. */
    const sendNext = (): void => {
      const now = performance.now();
      dueAt = load.perSecond === undefined ? now : begun + (sent * 1000) / load.perSecond;
      if (dueAt >= end) {
        socket.destroy();
        resolve();
        return;
      }
      sent += 1;
      if (dueAt <= now) send();
      else setTimeout(send, Math.ceil(dueAt - now));
    };
    socket.on('connect', sendNext).on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('data', (chunk) => {
      let body = chunk;
      if (position < 0) {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
        const headEnd = head.indexOf('\r\n\r\n');
        if (headEnd < 0) return;
        const text = head.toString('latin1', 0, headEnd);
        if (!text.startsWith('HTTP/1.1 200 ') || Number(/content-length: (\d+)/iu.exec(text)?.[1]) !== expected.length)
          return fail(text);
        body = head.subarray(headEnd + 4);
        head = Buffer.alloc(0);
        position = 0;
      }
      const after = position + body.length;
      if (after > expected.length || body.compare(expected, position, after) !== 0) return fail('other bytes');
      position = after;
      if (position < expected.length) return;
      latencies.push(performance.now() - dueAt);
      sendNext();
    });
    const fail = (what: string): void => {
      socket.destroy();
      reject(new Error(`an answer is not what it should be: ${what}`));
    };
  });
}

function requestOf(body: string): string {
  const headers = { host, ...load.headers, 'content-length': Buffer.byteLength(body) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
