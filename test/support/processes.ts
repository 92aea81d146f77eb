/** What runs on this machine. On Linux that is read where `ps` reads it, which takes a tenth of what a `ps` takes. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const hasProc = existsSync('/proc/self/stat');

/** Process ids of the embedders that a process has started. */
export function embedderProcesses(parentPid: number | undefined): number[] {
  return childProcesses(parentPid, 'embedder-process');
}

/** Process ids of what a process has started, whose command line holds a text. */
export function childProcesses(parentPid: number | undefined, text: string): number[] {
  if (!hasProc) return childProcessesByPs(parentPid, text);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((pid) => {
      if (statusOf(pid)?.parent !== parentPid) return [];
      return readOrNothing(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').includes(text) ? [Number(pid)] : [];
    });
}

/** Whether a process runs; one that has ended but was not yet waited for does not. */
export function isRunning(pid: number): boolean {
  const state = hasProc ? statusOf(pid)?.state : stateByPs(pid);
  return state !== undefined && state !== 'Z';
}

function statusOf(pid: number | string): { state: string; parent: number } | undefined {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // Whatever stands in the name of the program before.
  const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 2);
  return { state, parent: Number(parent) };
}

/** Nothing of a process that ends meanwhile. */
function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function childProcessesByPs(parentPid: number | undefined, text: string): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return all.split('\n').flatMap((line) => {
    const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(line) ?? [];
    return Number(parent) === parentPid && args.includes(text) ? [Number(pid)] : [];
  });
}

function stateByPs(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).slice(0, 1);
  } catch {
    return undefined;
  }
}
