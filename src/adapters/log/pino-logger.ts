import { type LevelWithSilent, type Logger, type LoggerOptions, pino } from 'pino';
import { boundLogLine } from './pino-log-line.ts';
import { type LogOutput, warningLevel } from './pino-log-output.ts';

/**
 * JSON lines to `output`; one that warns is written, with those before it, before the call returns, so that it is not lost
 * when the process ends. None of the `secrets` reaches a line, wherever it came from (S-09): the last line of defence behind not
 * logging headers and bodies.
 */
export function createPinoLogger(options: {
  level: LevelWithSilent;
  secrets: readonly string[];
  output: LogOutput;
}): Logger {
  const { level, secrets, output } = options;
  const hooks: LoggerOptions['hooks'] = {
    streamWrite: (line) => boundLogLine(line, secrets),
    logMethod(args, method, ofLine) {
      method.apply(this, args);
      if (ofLine >= warningLevel) output.flush?.();
    },
  };
  return pino({ level, base: { pid: process.pid }, hooks }, output);
}
