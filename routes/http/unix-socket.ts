/** Which connections came on the Unix socket of the daemon (S-14). */
import type { Socket } from 'node:net';

/** Stored while the connection is open, because its addresses are gone after it is closed. */
const accepted = new WeakSet<Socket>();

export function noteUnixSocket(socket: Socket): void {
  accepted.add(socket);
}

export function isOnUnixSocket(socket: Socket): boolean {
  return accepted.has(socket);
}
