/** Which connections came on the Unix socket of the daemon (S-14). */
import type { Socket } from 'node:net';

/** Kept for as long as the connection: its addresses are gone once it is closed, and a closed one is no other one. */
const accepted = new WeakSet<Socket>();

export function noteUnixSocket(socket: Socket): void {
  accepted.add(socket);
}

export function isOnUnixSocket(socket: Socket): boolean {
  return accepted.has(socket);
}
