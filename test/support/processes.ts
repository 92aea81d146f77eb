import { execFileSync } from 'node:child_process';

/** Process ids of the embedders that a process has started. */
export function embedderProcesses(parentPid: number | undefined): number[] {
  return childProcesses(parentPid, 'embedder-process');
}

/** Process ids of what a process has started, whose command line holds a text. */
export function childProcesses(parentPid: number | undefined, text: string): number[] {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return all.split('\n').flatMap((line) => {
    const [, pid, parent, args = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/u.exec(line) ?? [];
    return Number(parent) === parentPid && args.includes(text) ? [Number(pid)] : [];
  });
}

/** Whether a process runs; one that has ended but was not yet waited for does not. */
export function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
