/** A client that writes the bytes it is told to, so that a test can send what no HTTP library would. */
import { connect, type Socket } from 'node:net';

export type RawAnswer = { status: number; headers: [name: string, value: string][]; body: string };

export function headerOf(answer: RawAnswer, name: string): string | undefined {
  return answer.headers.find(([key]) => key === name)?.[1];
}

export type RawConnection = {
  /** Sends one request (a latin1 string) and waits for its answer. `withoutBody` for answers to HEAD. */
  exchange(request: string, withoutBody?: boolean): Promise<RawAnswer>;
  write(bytes: string | Buffer): void;
  /** All answers received so far that were not taken by `exchange`, once the other side has closed the connection. */
  closed(): Promise<RawAnswer[]>;
  /** Sends no more, and goes on reading. */
  end(): void;
  destroy(): void;
};

export async function openRawConnection(port: number): Promise<RawConnection> {
  const socket: Socket = connect({ port, host: '127.0.0.1' });
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  socket.setNoDelay(true);
  let received = Buffer.alloc(0);
  let isClosed = false;
  let wake = () => {};
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  const change = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });

  function take(withoutBody: boolean): RawAnswer | undefined {
    const parsed = parseAnswer(received, withoutBody);
    if (parsed === undefined) return undefined;
    received = received.subarray(parsed.length);
    return isInterim(parsed.answer) ? take(withoutBody) : parsed.answer;
  }

  return {
    async exchange(request, withoutBody = false) {
      socket.write(request, 'latin1');
      for (;;) {
        const answer = take(withoutBody);
        if (answer !== undefined) return answer;
        if (isClosed) throw new Error(`closed without an answer to ${JSON.stringify(request.slice(0, 200))}`);
        await change();
      }
    },
    write: (bytes) => void (typeof bytes === 'string' ? socket.write(bytes, 'latin1') : socket.write(bytes)),
    async closed() {
      while (!isClosed) await change();
      const answers: RawAnswer[] = [];
      for (let answer = take(false); answer !== undefined; answer = take(false)) answers.push(answer);
      return answers;
    },
    end: () => void socket.end(),
    destroy: () => socket.destroy(),
  };
}

/** `100 Continue`, which the answer follows. */
export function isInterim({ status }: { status: number }): boolean {
  return status === 100;
}

function parseAnswer(bytes: Buffer, withoutBody: boolean): { answer: RawAnswer; length: number } | undefined {
  const headerEnd = bytes.indexOf('\r\n\r\n');
  if (headerEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headerEnd).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const status = Number(statusLine.split(' ')[1]);
  const start = headerEnd + 4;
  if (!withoutBody && headers.some(([key, value]) => key === 'transfer-encoding' && value === 'chunked')) {
    const body = parseChunks(bytes.subarray(start));
    return body && { answer: { status, headers, body: body.text }, length: start + body.length };
  }
  const bodyLength = withoutBody ? 0 : Number(headers.find(([name]) => name === 'content-length')?.[1] ?? 0);
  if (bytes.length < start + bodyLength) return undefined;
  return {
    answer: { status, headers, body: bytes.toString('utf8', start, start + bodyLength) },
    length: start + bodyLength,
  };
}

function parseChunks(bytes: Buffer): { text: string; length: number } | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return undefined;
    if (size === 0) return { text: Buffer.concat(chunks).toString('utf8'), length: end + 2 };
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}

/** The text of one request: the headers as given, and a Content-Length where there is a body. */
export function requestText(request: {
  method: string;
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body?: string | undefined;
}): string {
  const { method, target, headers, body } = request;
  const length: [string, string][] =
    body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body, 'latin1'))]];
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`;
}
