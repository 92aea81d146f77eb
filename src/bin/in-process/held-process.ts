/** Ends a process of which a thread waits for a disk that does not answer (S-71). `process.exit` waits for all threads. */
import { existsSync } from 'node:fs';

const shell = '/bin/sh';
const ofCommand: (() => boolean)[] = [];

/** A command ends when it has its answer, although `holdThreads` then says that threads still wait. */
export function endDespite(holdThreads: () => boolean): void {
  ofCommand.push(holdThreads);
}

/** Whether threads of a command wait. */
export const isHeld = (): boolean => ofCommand.some((holdThreads) => holdThreads());

/** Does what is to be done at the end of a process, then replaces the process by one that has only the exit code. */
export function endHeldProcess(exitCode: number): void {
  process.emit('exit', exitCode);
  if (existsSync(shell)) process.execve?.(shell, ['sh', '-c', `exit ${exitCode}`], {});
  // The exit code is lost.
  process.kill(process.pid, 'SIGKILL');
}
