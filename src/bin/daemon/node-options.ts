import { realpathSync } from 'node:fs';
import { isSea } from 'node:sea';

/**
 * How the daemon's Node.js is started where we start it. By default V8 lets the space for young objects grow to 128 MiB under
 * load and keeps it; with 32 MiB the daemon stays about 50 MiB smaller (`npm run soak`), for less
 * than a tenth more processor time when it is saturated.
 */
export const daemonNodeOptions: readonly string[] = ['--max-semi-space-size=16'];

/**
 * Memory that is free goes back to the system in pieces of 128 KiB and more. By itself glibc holds on to as much as a thread
 * ever freed at once, which is about 30 MiB here. Read where glibc is, when a process begins; elsewhere it is just there.
 */
export const daemonEnvironment: Readonly<Record<string, string>> = { MALLOC_TRIM_THRESHOLD_: '131072' };

/** The program and its first arguments that start this contextd once more, from wherever; the single executable is both itself. */
export function ownCommand(): { program: string; args: string[] } {
  const program = process.execPath;
  if (isSea()) return { program, args: [] };
  const entry = realpathSync(process.argv[1] as string);
  return { program, args: [...daemonNodeOptions, ...process.execArgv, entry] };
}
