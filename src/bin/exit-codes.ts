import type { ErrorCode } from '../errors.ts';

/** The exit codes of the process (SY-04). */
export const exitCodes = {
  ok: 0,
  findings: 1,
  usage: 64,
  unavailable: 69,
  internal: 70,
  alreadyRunning: 75,
  refused: 78,
} as const;

/** Ends a command: `message` goes to standard error, `exitCode` is one of `exitCodes`. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.name = 'CommandFailure';
    this.exitCode = exitCode;
  }
}

export function wrongUsage(message: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, message);
}

/** A configuration, an environment or a machine that cannot be used as it is. */
export function wrongSetup(message: string): CommandFailure {
  return new CommandFailure(exitCodes.refused, message);
}

/** The exit code for an error of the engine or the daemon. Default: wrong usage. */
export function exitCodeOf(code: ErrorCode): number {
  if (code === 'internal') return exitCodes.internal;
  const unavailable: ErrorCode[] = [
    'unavailable',
    'limit_exceeded',
    'storage_full',
    'upstream_failed',
    'upstream_timeout',
  ];
  return unavailable.includes(code) ? exitCodes.unavailable : exitCodes.usage;
}
