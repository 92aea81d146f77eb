/** Ends connections so that the client can still read the reason (S-76). */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Call this before a refusal is sent. It reads and drops the rest of the body, so that the client can finish writing
 * and read the answer. If the rest may be larger than a body may be, or with `close`, the answer ends the connection
 * and says so.
 */
export function dropBody(
  request: IncomingMessage,
  response: ServerResponse,
  { maxBytes, close = false }: { maxBytes: number; close?: boolean },
): void {
  request.resume();
  const { 'content-length': length = 0, 'transfer-encoding': coding } = request.headers;
  const isBounded = request.complete || (coding === undefined && Number(length) <= maxBytes);
  if (isBounded && !close) return;
  response.setHeader('connection', 'close');
  // Node calls this after the answer was written. Its own function would reset the connection of a client that still
  // sends.
  request.socket.destroySoon = () => linger(request.socket);
}

const lingering = new WeakSet<Socket>();
/** How many bytes a client may still send after the answer that ends its connection, and for how long. */
const lingerBytes = 16 * 1024 * 1024;
const lingerMs = 2_000;

/** Ends a connection when the client ends it or has sent too much. Everything that it sends until then is ignored. */
export function linger(socket: Socket): void {
  if (lingering.has(socket)) return;
  lingering.add(socket);
  const most = socket.bytesRead + lingerBytes;
  socket.removeAllListeners('data');
  socket.on('data', () => {
    if (socket.bytesRead > most) socket.destroy();
  });
  socket.resume();
  socket.end();
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
}

export function isLingering(socket: Socket): boolean {
  return lingering.has(socket);
}
