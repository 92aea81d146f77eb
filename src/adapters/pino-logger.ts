import { type LevelWithSilent, type Logger, pino } from 'pino';
import { boundLogLine } from './pino-log-line.ts';
import { type LogOutput, writeLines } from './pino-log-output.ts';

/**
 * JSON lines, on standard error unless there is another `output`, written before the call returns, so that nothing is lost
 * in a crash. `secret` never reaches a line, wherever it came from (S-09): the last line of defence behind not logging
 * headers and bodies.
 */
export function createPinoLogger(options: { level: LevelWithSilent; secret: string; output?: LogOutput }): Logger {
  const { level, secret, output = writeLines(2) } = options;
  const streamWrite = (line: string) => boundLogLine(line, secret);
  return pino({ level, base: { pid: process.pid }, hooks: { streamWrite } }, output);
}
