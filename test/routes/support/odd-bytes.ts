/** Generated requests as bytes, whole and not, and what a client needs that sends them. */
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { requests, takersOf } from './generated-requests.ts';
import { hostileHosts, hostileOrigins, wrongTokens } from './hostile-headers.ts';
import { token } from './listening-app.ts';
import { isInterim, type RawAnswer, requestText } from './raw-http.ts';

const latin1 = (value: string) => Buffer.from(value, 'utf8').toString('latin1');

/**
 * Bytes as latin1, and where they are cut into pieces that are sent one after the other. `whole` requests share connections;
 * `odd` ones have a strange line or header and are answered too; those that are `broken` off or framed wrongly may not be.
 */
export type OddBytes = {
  kind: 'whole' | 'odd' | 'broken';
  method: string;
  target: string;
  bytes: string;
  cuts: number[];
};

const oddLine = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\0',
    'GET',
    'GET /health',
    'GET  /health HTTP/1.1',
    'GET /health  HTTP/1.1',
    'GET\t/health\tHTTP/1.1',
    'GET /health HTTP/1.1 ',
    'GET /health HTTP/1.0',
    'GET /health HTTP/0.9',
    'GET /health HTTP/1.9',
    'GET /health HTTP/2.0',
    'GET /health HTTP/11.1',
    'GET /health http/1.1',
    'get /health HTTP/1.1',
    'GET health HTTP/1.1',
    'GET //health HTTP/1.1',
    'GET /health#x HTTP/1.1',
    'GET /he\0alth HTTP/1.1',
    'GET /h\xe9alth HTTP/1.1',
    'GET ?challenge=a HTTP/1.1',
    'GET * HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'GET http://127.0.0.1/health HTTP/1.1',
    'GET 127.0.0.1:80 HTTP/1.1',
    'G\xc9T /health HTTP/1.1',
    'M-SEARCH /health HTTP/1.1',
    'PRI * HTTP/2.0',
    'SOURCE /health ICE/1.0',
    'DESCRIBE /health RTSP/1.0',
    'HTTP/1.1 200 OK',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    `GET /${'a'.repeat(9_000)} HTTP/1.1`,
    `GET /${'a'.repeat(20_000)} HTTP/1.1`,
    `${'G'.repeat(20_000)} / HTTP/1.1`,
  ),
  fc
    .tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
    .map(([at, byte]) => replacedAt('POST /v1/context/resolve HTTP/1.1', at, byte)),
  fc.string({ unit: 'binary', maxLength: 30 }).map((line) => latin1(line).replaceAll('\n', ' ')),
);

function replacedAt(line: string, at: number, byte: number): string {
  return line.slice(0, at % line.length) + String.fromCharCode(byte) + line.slice((at % line.length) + 1);
}

const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
const bytesWithoutLines = fc.string({ unit: byte, maxLength: 20 }).map((value) => value.replaceAll('\n', ' '));
const oddHeader = fc.oneof(
  fc.tuple(
    fc.constantFrom('X', 'Accept', 'Cookie', 'Range', 'Content-Type', 'If-Match', 'Mcp-Session-Id'),
    bytesWithoutLines,
  ),
  fc.tuple(bytesWithoutLines, fc.constantFrom('', 'a')),
  fc.constantFrom(
    ['Expect', '100-continue'],
    ['Connection', 'close'],
    ['Connection', 'Upgrade'],
    ['Upgrade', 'websocket'],
    ['Upgrade', 'h2c'],
    ['Content-Encoding', 'gzip'],
    ['Transfer-Encoding', 'gzip'],
    ['Content-Length', '0'],
    ['Host', 'evil.com'],
    ['Cookie', 'a'.repeat(20_000)],
    ['X', 'a\r b'],
    [' X', 'a'],
    ['X ', 'a'],
    ['__proto__', 'a'],
    ['X-Forwarded-For', '::1'],
  ),
) as fc.Arbitrary<[string, string]>;

const oddLength = fc.constantFrom(
  '-1',
  '+5',
  '0x5',
  '1e1',
  '5 5',
  '1, 2',
  '5.0',
  '99999999',
  '9'.repeat(20),
  '\xb2',
  '',
);
const oddChunk = fc.oneof(
  fc.constantFrom(
    '',
    '\r\n',
    '\n',
    '0\r\n\r\n',
    '-1\r\n',
    'zz\r\n',
    '2\n',
    ' 2\r\n',
    `${'f'.repeat(17)}\r\n`,
    '1;a=b\r\n',
  ),
  fc.constant(`1;${'a'.repeat(20_000)}\r\n`),
  fc.string({ unit: byte, maxLength: 10 }),
);

/** The parts of a chunked body, which are sizes and contents by turns. */
function chunksOf(body: string, size: number): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size);
    chunks.push(`${chunk.length.toString(16)}\r\n`, `${chunk}\r\n`);
  }
  return [...chunks, '0\r\n', '\r\n'];
}

type Lines = [name: string, value: string][];
const linesOf = (headers: Lines) => headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');

/** Generated requests as bytes. */
export function oddBytes(app: FastifyInstance, port: number): fc.Arbitrary<OddBytes> {
  const host: Lines[number] = ['Host', `127.0.0.1:${port}`];
  const authorization: Lines[number] = ['Authorization', `Bearer ${token}`];
  const json: Lines[number] = ['Content-Type', 'application/json'];
  const chunked: Lines[number] = ['Transfer-Encoding', 'chunked'];
  const vouched = fc.oneof(
    { weight: 20, arbitrary: fc.constant([host, authorization]) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileHosts(port)).map((name) => [['Host', name], authorization]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...hostileOrigins(port)).map((name) => [host, authorization, ['Origin', name]]),
    },
    { weight: 1, arbitrary: fc.constantFrom(...wrongTokens).map((headers) => [host, ...headers]) },
  ) as fc.Arbitrary<Lines>;
  const generated = requests(app).map(({ method, url, headers, payload }) => ({
    method: String(method),
    target: String(url),
    headers: Object.entries(headers ?? {}) as Lines,
    body: payload === undefined ? undefined : latin1(String(payload)),
  }));
  const cuts = fc.array(fc.nat(), { maxLength: 2 });

  const whole = fc
    .record({
      request: generated,
      first: vouched,
      chunk: fc.option(fc.integer({ min: 1, max: 100 }), { freq: 3 }),
      cuts,
    })
    .map(({ request, first, chunk, cuts }): OddBytes => {
      const { method, target, body = '' } = request;
      const headers = [...first, ...request.headers];
      const bytes =
        chunk === null
          ? requestText({ ...request, headers })
          : requestText({ method, target, headers: [...headers, chunked] }) + chunksOf(body, chunk).join('');
      return { kind: 'whole', method, target, bytes, cuts };
    });
  const strangeLine = fc.record({ line: oddLine, cuts }).map(
    ({ line, cuts }): OddBytes => ({
      kind: 'odd',
      method: '',
      target: '',
      cuts,
      bytes: `${line}\r\n${linesOf([host, authorization])}\r\n`,
    }),
  );
  const strangeHeader = fc
    .record({ request: generated, headers: fc.array(oddHeader, { minLength: 1, maxLength: 3 }), cuts })
    .map(({ request, headers, cuts }): OddBytes => {
      const { method, target } = request;
      const all = [host, authorization, ...headers, ...request.headers];
      return { kind: 'odd', method, target, bytes: requestText({ ...request, headers: all }), cuts };
    });
  const takers = takersOf(app).filter(({ path }) => path !== '/mcp');
  const broken = fc
    .record({
      taker: fc.constantFrom(...takers),
      length: fc.oneof(fc.integer({ min: -20, max: 20 }), oddLength),
      spoilt: fc.option(fc.record({ at: fc.nat(), odd: oddChunk, size: fc.integer({ min: 1, max: 40 }) })),
      end: fc.option(fc.nat()),
      cuts,
    })
    .map(({ taker, length, spoilt, end, cuts }): OddBytes => {
      const { method, url: target, example } = taker;
      const body = latin1(JSON.stringify(example));
      const start = `${method} ${target} HTTP/1.1\r\n${linesOf([host, authorization, json])}`;
      const announced = typeof length === 'number' ? Math.max(0, body.length + (length || 1)) : length;
      const chunks = spoilt === null ? [] : chunksOf(body, spoilt.size);
      if (spoilt !== null) chunks[spoilt.at % chunks.length] = spoilt.odd;
      const bytes =
        spoilt === null
          ? `${start}Content-Length: ${announced}\r\n\r\n${body}`
          : `${start}${linesOf([chunked])}\r\n${chunks.join('')}`;
      return {
        kind: 'broken',
        method,
        target,
        bytes: end === null ? bytes : bytes.slice(0, 1 + (end % bytes.length)),
        cuts,
      };
    });
  return fc.oneof(
    { weight: 12, arbitrary: whole },
    { weight: 2, arbitrary: strangeLine },
    { weight: 3, arbitrary: strangeHeader },
    { weight: 3, arbitrary: broken },
  );
}

export function piecesOf({ bytes, cuts }: OddBytes): string[] {
  const ends = [...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
  return ends.map((end, at) => bytes.slice(ends[at - 1] ?? 0, end));
}

/** Sends pieces on a connection of their own, and the end of it; answers with all that comes before the other end. */
export async function sendToTheEnd(port: number, pieces: readonly string[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk));
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  for (const piece of pieces) {
    if (!socket.writable || received.length > 0) break;
    socket.write(piece, 'latin1');
    await nextTurn();
  }
  socket.end();
  await closed;
  return Buffer.concat(received).toString('latin1');
}

/** The answers in what was received, which must be whole. */
export function wholeAnswers(received: string): RawAnswer[] {
  if (received === '') return [];
  const headerEnd = received.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = received.slice(0, headerEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /u.exec(statusLine)?.[1]);
  const headers = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split(': ');
    return [name.toLowerCase(), value.join(': ')];
  });
  const end = headerEnd + 4 + Number(headers.find(([name]) => name === 'content-length')?.[1] ?? 0);
  expect(headerEnd, received).toBeGreaterThan(0);
  expect(received.length, received).toBeGreaterThanOrEqual(end);
  const body = Buffer.from(received.slice(headerEnd + 4, end), 'latin1').toString('utf8');
  const answer = { status, headers, body };
  return [...(isInterim(answer) ? [] : [answer]), ...wholeAnswers(received.slice(end))];
}
