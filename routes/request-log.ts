/** What the log says of requests: never a header, a body, a query string or a path as sent (S-09, S-84). */
import type { FastifyBaseLogger } from 'fastify';

/** `route` is the registered path, or null where none matched. `peer` is the address of the socket, never a header's. */
export type RequestLine = {
  requestId: string;
  method: string;
  route: string | null;
  status: number;
  durationMs: number;
  peer: string | undefined;
  code?: string;
};

export type RequestLog = Readonly<{
  /** A request that carried the token. */
  answered(line: RequestLine): void;
  /** A request that nobody vouches for: refused, public or malformed. Anyone can send millions, so few are written. */
  unvouched(line: RequestLine): void;
  /** An error nobody foresaw, with its stack, shortened. */
  failed(requestId: string, error: unknown): void;
}>;

/** Lines a second for requests without a token; those left out are counted in the next line that is written. */
const unvouchedPerSecond = 10;
/** With at most three bytes a character, a line stays below 8 KiB. */
const maxStackCharacters = 2048;

/** `elapsedMs` is a monotonic clock in milliseconds. */
export function createRequestLog(
  logger: FastifyBaseLogger | false,
  elapsedMs: () => number = () => performance.now(),
): RequestLog {
  let second = -1;
  let written = 0;
  let suppressed = 0;
  if (logger === false) return { answered() {}, unvouched() {}, failed() {} };
  const write = (line: object, status: number) =>
    status >= 500 ? logger.error(line, 'request') : logger.info(line, 'request');
  return {
    answered: (line) => write(line, line.status),
    unvouched(line) {
      const now = Math.floor(elapsedMs() / 1000);
      if (now !== second) {
        second = now;
        written = 0;
      }
      if (written === unvouchedPerSecond) {
        suppressed += 1;
        return;
      }
      written += 1;
      write(suppressed === 0 ? line : { ...line, suppressed }, line.status);
      suppressed = 0;
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
