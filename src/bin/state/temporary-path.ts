/** What a command makes beside its result, and must not leave behind: it can hold all the state there is. */
import { rmSync } from 'node:fs';

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs `work`, which makes something at `path`; that is gone afterwards, also when a signal ends the process before. */
export async function withTemporaryPath<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const remove = (): void => rmSync(path, { recursive: true, force: true });
  const end = (signal: NodeJS.Signals): void => {
    try {
      remove();
    } finally {
      process.kill(process.pid, signal);
    }
  };
  // As long as there can be something: a signal that nobody waits for ends the process at once.
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
