/** When nobody waits for an answer any more. */
import type { FastifyReply } from 'fastify';

/** Aborted once the client is gone before its answer was sent. */
export function signalOfClient({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const gone = new AbortController();
  // The request itself is closed as soon as its body is read.
  raw.once('close', () => void (raw.writableFinished || gone.abort()));
  return gone.signal;
}
