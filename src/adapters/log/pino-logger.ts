import { type LevelWithSilent, type Logger, pino } from 'pino';
import { boundLogLine } from './pino-log-line.ts';
import { type LogOutput, warningLevel } from './pino-log-output.ts';

/**
 * Writes JSON lines to `output`. A warning, and the lines before it, are written before the call returns, so that they
 * are not lost when the process ends. No line contains one of the `secrets`, wherever it came from (S-09). Headers and
 * bodies are not logged anyway; this is a second protection.
 */
export function createPinoLogger(options: {
  level: LevelWithSilent;
  secrets: readonly string[];
  output: LogOutput;
}): Logger {
  const { level, secrets, output } = options;
  // The logger tells the level of each line before it writes the line.
  const destination = {
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string) {
      output.write(boundLogLine(line, secrets));
      if (this.lastLevel >= warningLevel) output.flush?.();
    },
  };
  return pino({ level, base: { pid: process.pid } }, destination);
}
