/** Notices that the client is gone. */
import type { FastifyReply } from 'fastify';

/** Aborted when the client is gone before its answer was sent. */
export function signalOfClient({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  // The request itself is closed as soon as its body is read.
  raw.once('close', () => void (raw.writableFinished || gone.abort()));
  return gone.signal;
}
