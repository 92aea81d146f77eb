/** The log of requests: never a header, a body, a query string or a path as sent (S-09, S-84). */
import type { FastifyBaseLogger } from 'fastify';

/** `route`: the registered path, or null if none matched. `peer`: the address of the socket, never from a header. */
export type RequestLine = {
  requestId: string;
  method: string;
  route: string | null;
  status: number;
  durationMs: number;
  peer: string | undefined;
  /** The code of the problem in the answer. */
  code?: string;
  /** The client closed the connection before it had the whole answer. */
  aborted?: true;
  /** The answer is a stream, which lasts as long as both sides want. */
  stream?: true;
};

export type RequestLog = Readonly<{
  /** A request that carried the token. Of those that were quick, with a status below 500, only some are written. */
  answered(line: RequestLine): void;
  /** A request without a valid token (refused, public or malformed), or one that was shed. Only few are written. */
  unvouched(line: RequestLine): void;
  /** An unexpected error, with its stack, shortened. */
  failed(requestId: string, error: unknown): void;
}>;

/**
 * Max lines a second. Those left out are counted in the next line that is written. Otherwise, a busy minute would push
 * everything that happened before out of the log.
 */
const perSecond = { good: 100, refused: 100, unvouched: 10 };
/** With at most three bytes a character, a line stays below 8 KiB. */
const maxStackCharacters = 2048;

export const defaultSlowMs = 1_000;

type RequestLogOptions = {
  /** Called for each request, whether it is written or not. */
  count?(line: RequestLine): void;
  /** Slower requests are written as warnings; 0 for none. */
  slowMs?: number;
  /** A monotonic clock in milliseconds. */
  elapsedMs?(): number;
};

export function createRequestLog(logger: FastifyBaseLogger | false, options: RequestLogOptions = {}): RequestLog {
  const { count = () => {}, slowMs = defaultSlowMs, elapsedMs = () => performance.now() } = options;
  if (logger === false) return { answered: count, unvouched: count, failed() {} };
  const isSlow = ({ durationMs, stream }: RequestLine): boolean => slowMs > 0 && durationMs > slowMs && stream !== true;
  const levelOf = (line: RequestLine): 'error' | 'warn' | 'info' => {
    if (line.status >= 500 && line.status !== 503) return 'error';
    return isSlow(line) || line.status === 503 ? 'warn' : 'info';
  };
  const write = (line: RequestLine & { suppressed?: number }): void =>
    logger[levelOf(line)](line, isSlow(line) ? 'slow request' : 'request');
  const atMost = (max: number) => {
    let second = -1;
    let written = 0;
    let suppressed = 0;
    return (line: RequestLine): void => {
      const now = Math.floor(elapsedMs() / 1000);
      if (now !== second) {
        second = now;
        written = 0;
      }
      if (written === max) {
        suppressed += 1;
        return;
      }
      written += 1;
      write(suppressed === 0 ? line : { ...line, suppressed });
      suppressed = 0;
    };
  };
  const writeGood = atMost(perSecond.good);
  const writeRefused = atMost(perSecond.refused);
  const writeUnvouched = atMost(perSecond.unvouched);
  return {
    answered(line) {
      count(line);
      if (levelOf(line) !== 'info') write(line);
      else if (line.status >= 400) writeRefused(line);
      else writeGood(line);
    },
    unvouched(line) {
      count(line);
      writeUnvouched(line);
    },
    failed(requestId, error) {
      const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
      // Control characters and halves of surrogate pairs would grow sixfold when they are escaped.
      const shown = stack
        .slice(0, maxStackCharacters)
        .toWellFormed()
        .replaceAll(/[^\n\P{Cc}]/gu, '\ufffd');
      logger.error({ requestId, stack: shown }, 'unexpected error');
    },
  };
}
