/** Ends a process with a thread that waits for a disk (S-71). `process.exit` would wait for all threads. */
import { existsSync } from 'node:fs';

const shell = '/bin/sh';
const ofCommand: (() => boolean)[] = [];

/** A command ends when it has its answer, even if `holdThreads` says that threads still wait. */
export function endDespite(holdThreads: () => boolean): void {
  ofCommand.push(holdThreads);
}

/** Whether threads of a command wait. */
export const isHeld = (): boolean => ofCommand.some((holdThreads) => holdThreads());

/** Runs the exit handlers of the process, then replaces it by a process that only returns the exit code. */
export function endHeldProcess(exitCode: number): void {
  process.emit('exit', exitCode);
  if (existsSync(shell)) process.execve?.(shell, ['sh', '-c', `exit ${exitCode}`], {});
  // The exit code is lost.
  process.kill(process.pid, 'SIGKILL');
}
