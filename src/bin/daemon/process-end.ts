/** How the daemon's process ends (S-80, S-81). */
import { missingPartOf, programIsGone } from '../../pace/missing-part.ts';
import type { Logger } from '../../ports/ports.ts';
import { exitCodes } from '../exit-codes.ts';
import { endHeldProcess } from '../in-process/held-process.ts';

type Ending = {
  logger: Logger;
  /**
   * Removes the files that lead clients to the daemon. Synchronous and repeatable; runs first, and again at the very
   * end.
   */
  withdraw(): void;
  /** Finishes open requests and closes everything. */
  close(): Promise<void>;
  /** After this time the process ends even with open requests. */
  graceMs: number;
  /** Whether a thread waits for a disk that does not answer. */
  isHeld(): boolean;
};

/** `exitCode`: one of `exitCodes`, 0 by default. */
type End = (reason: string, exitCode?: number) => void;

/**
 * Ends the process with 0 on SIGTERM, SIGINT, SIGHUP and when the returned function is called: withdraw, close within
 * the grace time, exit. A second signal exits at once. An error that nobody caught is logged and ends it with 70. If a
 * part of its program is gone, it ends in order with 69, so that a service manager starts the new version.
 */
export function endProcessOrderly({ logger, withdraw, close, graceMs, isHeld }: Ending): End {
  let ending = false;
  const leave = (exitCode: number): void => {
    if (isHeld()) endHeldProcess(exitCode);
    process.exit(exitCode);
  };
  const end: End = (reason, exitCode = exitCodes.ok) => {
    if (ending) return;
    ending = true;
    logger[exitCode === exitCodes.ok ? 'info' : 'warn']({ reason }, 'stopping');
    withdraw();
    setTimeout(() => {
      logger.warn({ graceMs }, 'requests were still running when the daemon ended');
      leave(exitCode);
    }, graceMs);
    close().then(() => {
      logger.info({}, 'stopped');
      leave(exitCode);
    }, crash);
  };
  const crash = (error: unknown) => {
    logger.error({ err: error }, 'the daemon ends because of an unexpected error');
    leave(exitCodes.internal);
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => (ending ? leave(exitCodes.ok) : end(signal)));
  }
  // A rejection that nobody handles arrives here too.
  process.on('uncaughtException', (error) => {
    if (missingPartOf(error) === undefined) return crash(error);
    logger.error({ err: error }, 'a part of contextd is missing');
    end(programIsGone, exitCodes.unavailable);
  });
  process.on('exit', withdraw);
  return end;
}
