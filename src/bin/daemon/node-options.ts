import { realpathSync } from 'node:fs';
import { isSea } from 'node:sea';

/**
 * Options of Node.js for the daemon, if contextd starts it. By default V8 lets the space for young objects grow to 128
 * MiB under load and keeps it. With 32 MiB the daemon stays about 50 MiB smaller (`npm run soak`) and takes less than a
 * tenth more processor time when it is saturated. By default the space begins with 1 MiB, which is full again and again
 * while everything is loaded: with 8 MiB a start takes a fifth less processor time, and 7 MiB more.
 */
export const daemonNodeOptions: readonly string[] = ['--min-semi-space-size=8', '--max-semi-space-size=16'];

/**
 * Free memory goes back to the system in pieces of 128 KiB and more. By default glibc keeps as much as a thread ever
 * freed at once, which is about 30 MiB here. glibc reads this when a process begins; other systems ignore it.
 */
export const daemonEnvironment: Readonly<Record<string, string>> = { MALLOC_TRIM_THRESHOLD_: '131072' };

/** The program and first arguments that start this contextd again. The single executable is its own program. */
export function ownCommand(): { program: string; args: string[] } {
  const program = process.execPath;
  if (isSea()) return { program, args: [] };
  const entry = realpathSync(process.argv[1] as string);
  return { program, args: [...daemonNodeOptions, ...process.execArgv, entry] };
}
