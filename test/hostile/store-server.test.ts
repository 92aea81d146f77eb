/** What stands in the place of the PostgreSQL may say anything: the daemon refuses it, soon, in bounded memory (S-89). */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { describe, it } from 'vitest';
import { spawnContextd, until } from '../support/daemon.ts';
import { temporaryDirectory } from '../support/temporary-files.ts';

const secret = 'hunter2canary';

/** A message of the server: its letter, its length, what it says. */
function message(letter: string, body: Buffer, length = body.length + 4): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter, 'latin1');
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, body]);
}
const int32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const welcome = Buffer.concat([
  message('R', int32(0)),
  message('K', Buffer.concat([int32(1), int32(2)])),
  message('Z', Buffer.from('I')),
]);
const oneColumn = message(
  'T',
  Buffer.concat([
    Buffer.from([0, 1]),
    Buffer.from('x\0'),
    Buffer.alloc(6),
    int32(25),
    Buffer.from([255, 255]),
    int32(0xffffffff),
    Buffer.alloc(2),
  ]),
);

/** Writes until the other side is gone. */
async function flood(socket: Socket, chunk: Buffer): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  while (!socket.destroyed)
    if (!socket.write(chunk))
      await Promise.race([new Promise<void>((resolve) => socket.once('drain', () => resolve())), closed]);
}

/** What a server does with a connection; `asked` is called with each piece that the client sends. */
const servers: [what: string, serve: (socket: Socket) => void][] = [
  ['says nothing', () => {}],
  ['ends at once', (socket) => socket.destroy()],
  ['speaks another protocol', (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['speaks garbage without end', (socket) => void flood(socket, Buffer.alloc(65_536, 0xa5))],
  [
    'asks for a password of no known kind',
    (socket) => void socket.once('data', () => socket.write(message('R', int32(99)))),
  ],
  [
    'says that a message is longer than memory',
    (socket) => {
      socket.once('data', () => {
        socket.write(message('R', Buffer.alloc(0), 0x7fffffff));
        void flood(socket, Buffer.alloc(65_536));
      });
    },
  ],
  ['lets everybody in and answers nothing', (socket) => void socket.once('data', () => socket.write(welcome))],
  [
    'answers with rows without end',
    (socket) => {
      socket.once('data', () => {
        socket.write(welcome);
        socket.once('data', () => {
          socket.write(Buffer.concat([message('1', Buffer.alloc(0)), message('2', Buffer.alloc(0)), oneColumn]));
          const value = Buffer.alloc(1_048_576, 'x');
          void flood(socket, message('D', Buffer.concat([Buffer.from([0, 1]), int32(value.length), value])));
        });
      });
    },
  ],
  [
    'answers with one row that is larger than memory',
    (socket) => {
      socket.once('data', () => {
        socket.write(welcome);
        socket.once('data', () => {
          socket.write(
            Buffer.concat([
              message('1', Buffer.alloc(0)),
              message('2', Buffer.alloc(0)),
              oneColumn,
              message('D', Buffer.alloc(0), 0x7ffffff0),
            ]),
          );
          void flood(socket, Buffer.alloc(65_536, 'x'));
        });
      });
    },
  ],
];

describe.concurrent('a server that is no PostgreSQL', () => {
  it.for(servers)('S-91 S-89 FT-06 is refused when it %s', async ([, serve], { expect, onTestFinished }) => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => {}));
      serve(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const home = temporaryDirectory();
    const { child, output, exited } = spawnContextd(['serve', '--port', '0', '--state-dir', `${home}/state`], {
      env: { HOME: home, CONTEXTD_STORE: `postgres://ada:${secret}@127.0.0.1:${port}/x` },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let maxMiB = 0;
    const begunMs = performance.now();
    await until(() => {
      try {
        const [, kibibytes = '0'] =
          /^VmRSS:\s*(\d+) kB$/mu.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
        maxMiB = Math.max(maxMiB, Number(kibibytes) / 1024);
      } catch {}
      return output.code !== null || child.exitCode !== null;
    }, 40_000);
    await exited;
    expect(output).toMatchObject({
      code: 69,
      stderr: expect.stringContaining(`The store postgres://127.0.0.1:${port}/x`),
    });
    expect(output.stderr).not.toContain(secret);
    expect(output.stderr).not.toContain('    at ');
    expect(performance.now() - begunMs).toBeLessThan(30_000);
    expect(maxMiB).toBeLessThan(450);
  });
});
