/** What is recorded beside measurements, so that they can be told apart later. */
import { execFileSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';

/** The commit that is measured, with `-dirty` when files differ from it; `undefined` where there is no git. */
export function measuredCommit(): string | undefined {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

/** The machine, and how busy it is now. */
export function measuringMachine() {
  const processor = { processors: cpus().length, model: cpus()[0]?.model };
  return { node: process.version, ...processor, memoryBytes: totalmem(), loadAverage: loadavg() };
}
