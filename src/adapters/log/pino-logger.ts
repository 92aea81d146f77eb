import { type LevelWithSilent, type Logger, pino } from 'pino';
import { boundLogLine } from './pino-log-line.ts';
import type { LogOutput } from './pino-log-output.ts';

/**
 * Writes JSON lines to `output`. A line is written before the call returns. No line contains one of the `secrets`,
 * wherever it came from (S-09). Headers and bodies are not logged anyway; this is a second protection.
 */
export function createPinoLogger(options: {
  level: LevelWithSilent;
  secrets: readonly string[];
  output: LogOutput;
}): Logger {
  const { level, secrets, output } = options;
  return pino(
    { level, base: { pid: process.pid } },
    {
      write(line: string) {
        output.write(boundLogLine(line, secrets));
      },
    },
  );
}
