import { type LevelWithSilent, type Logger, pino } from 'pino';

/** More than this does not wait for a disk that takes nothing; what is said then is lost. */
const maxWaitingBytes = 1024 * 1024;

/**
 * JSON lines on standard error, written before the call returns, so that nothing is lost in a crash. `secret` never
 * reaches a line, wherever it came from (S-09): the last line of defence behind not logging headers and bodies.
 */
export function createPinoLogger(options: { level: LevelWithSilent; secret: string }): Logger {
  const { level, secret } = options;
  const streamWrite = (line: string) => (line.includes(secret) ? line.replaceAll(secret, '[token]') : line);
  const destination = pino.destination({ dest: 2, sync: true, maxLength: maxWaitingBytes });
  // A disk that is full, or a terminal that is gone, is no reason to end: lines wait until they can be written (S-71).
  destination.on('error', () => {});
  return pino({ level, base: { pid: process.pid }, hooks: { streamWrite } }, destination);
}
