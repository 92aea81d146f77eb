/** Who has a port that is taken (SY-04). */
import { createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { holderOf } from '../../../src/bin/daemon/port-holder.ts';
import { listenOnLoopback } from '../../support/loopback.ts';

it.each([
  ['says nothing', undefined],
  ['does not end its answer', 'HTTP/1.1 200 OK\r\n\r\n{'],
])('SY-04 keeps no process waiting for a program that %s', async (_what, answer) => {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => {});
    socket.resume();
    if (answer !== undefined) socket.write(answer);
  });
  const port = await listenOnLoopback(server);
  expect(await holderOf('127.0.0.1', port)).toMatchObject({ says: 'another program.' });
  await expect.poll(() => open.size).toBe(0);
  server.close();
});
