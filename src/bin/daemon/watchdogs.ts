/**
 * Reasons for a daemon to end by itself. No timer keeps the process alive. Each function returns a function that stops
 * it.
 */
import { readFileSync, stat } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Stop = () => void;

/** Calls `onGone` when the file at `path` is deleted. Checks twice a second, because a watcher can miss it. */
export function watchForRemoval(path: string, onGone: () => void): Stop {
  let isLooking = false;
  return every(500, () => {
    // If the disk does not answer, only one look waits. Each takes a thread.
    if (isLooking) return;
    isLooking = true;
    stat(path, (error) => {
      isLooking = false;
      if (error?.code === 'ENOENT') onGone();
    });
  });
}

/** Calls `onGone` when the process is gone. Checks every second. */
export function watchProcess(pid: number, onGone: () => void): Stop {
  return every(1_000, () => {
    if (!processRuns(pid)) onGone();
  });
}

/** Calls `onIdle` when no request has been open for `idleMs`. */
export function watchIdleness(server: Server, idleMs: number, onIdle: () => void): Stop {
  let open = 0;
  let idleSince = performance.now();
  server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    open += 1;
    response.once('close', () => {
      open -= 1;
      idleSince = performance.now();
    });
  });
  return every(Math.min(1_000, idleMs / 4), () => {
    if (open === 0 && performance.now() - idleSince >= idleMs) onIdle();
  });
}

/** Whether a process with this id runs, of any user. */
export function processRuns(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return !isZombie(pid);
}

/** The index of the number of threads, counted from the state. */
const threadsField = 17;

/** Whether a process has ended but its parent has not read the exit code. In many containers, nobody ever reads it. */
function isZombie(pid: number): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, before the last `)`, may contain anything.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    // The state is the same if only the first thread has ended and others run.
    return fields[0] === 'Z' && Number(fields[threadsField]) <= 1;
  } catch {
    return false;
  }
}

function every(ms: number, look: () => void): Stop {
  const timer = setInterval(look, ms);
  timer.unref();
  return () => clearInterval(timer);
}
