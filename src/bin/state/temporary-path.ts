/** Temporary files of a command. They may contain all state, so they must always be removed. */
import { rmSync } from 'node:fs';

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `work`, which may create `path`, then removes `path`, even if a signal ends the process before. */
export async function withTemporaryPath<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const end = (signal: NodeJS.Signals): void => {
    try {
      remove();
    } finally {
      process.kill(process.pid, signal);
    }
  };
  // Only while `path` may exist: without a listener, signals end the process at once.
  for (const signal of endingSignals) process.once(signal, end);
  try {
    return await work();
  } finally {
    try {
      remove();
    } finally {
      for (const signal of endingSignals) process.off(signal, end);
    }
  }
}
