/** Where the daemon listens: at a port, and on a Unix socket in its state directory (S-14). */

import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import type { createApp } from '../../../routes/app.ts';
import { noteUnixSocket } from '../../../routes/http/unix-socket.ts';
import type { Logger } from '../../ports/ports.ts';
import { wrongSetup } from '../exit-codes.ts';
import { holderOf } from './port-holder.ts';

/** Max bytes of a socket address on each system. */
const longestSocketPath = 103;

type App = Awaited<ReturnType<typeof createApp>>;
type Place = { host: string; port: number; freePort?: boolean | undefined };

/** Listens and returns the port. With `freePort`, uses another port if `port` is taken. Throws `CommandFailure` 78. */
export async function listen(app: App, { host, port, freePort = false }: Place): Promise<number> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && freePort) return listen(app, { host, port: 0 });
    if (code === 'EADDRINUSE') throw wrongSetup(await whyTaken(host, port));
    const why =
      code === 'EADDRNOTAVAIL'
        ? `this machine has no address ${host}.${otherThan(host)}`
        : `the daemon cannot listen on ${host}, port ${port}: ${message}`;
    throw wrongSetup(why);
  }
  return (app.server.address() as AddressInfo).port;
}

async function whyTaken(host: string, port: number): Promise<string> {
  const { says, mend } = await holderOf(addressForClients(host), port);
  return `port ${port} is taken by ${says} ${mend}Choose another port with --port or CONTEXTD_PORT; 0 picks a free one.`;
}

const loopbacks = ['127.0.0.1', '::1'];

function otherThan(host: string): string {
  if (!loopbacks.includes(host)) return '';
  return ` Use the other one: --host=${loopbacks.find((each) => each !== host)}`;
}

/**
 * Lets `server` also accept connections at `path`, with all its limits. Replaces a socket that an earlier daemon left.
 * `found`: the field of the discovery file; empty if there can be no socket. Then the port still works.
 */
export async function listenOnSocket(
  server: Server,
  path: string,
  logger: Logger,
): Promise<{ found: { socket?: string }; close(): Promise<void> }> {
  const none = (why: string) => {
    logger.warn({ path }, `there is no Unix socket: ${why}`);
    return { found: {}, close: async () => {} };
  };
  if (Buffer.byteLength(path) > longestSocketPath)
    return none(`its path would be longer than ${longestSocketPath} bytes`);
  const sockets = createServer({ allowHalfOpen: true }, (socket) => {
    noteUnixSocket(socket);
    server.emit('connection', socket);
  });
  try {
    rmSync(path, { force: true });
    await once(sockets.listen(path), 'listening');
    chmodSync(path, 0o600);
  } catch (error) {
    sockets.close();
    return none((error as Error).message);
  }
  // `server.close` does not wait for connections of this socket.
  return { found: { socket: path }, close: () => new Promise((resolve) => sockets.close(() => resolve())) };
}

/** The address in the URLs of programs on this machine. */
export function addressForClients(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  // No name has a colon. Asking Node.js whether it is an address takes 11 ms the first time.
  return host.includes(':') ? `[${host}]` : host;
}
