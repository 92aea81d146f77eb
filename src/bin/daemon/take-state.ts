/** Takes a state directory for one daemon, before anything else happens with it. */
import { rmSync } from 'node:fs';
import module from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { type Lock, tryLock } from '../../adapters/files/lock-file.ts';
import { CommandFailure, exitCodes, wrongSetup } from '../exit-codes.ts';
import { prepareStateDirectory, type stateNames } from '../state/state-directory.ts';

/** A path in the state directory. */
export type InState = (name: keyof typeof stateNames) => string;

const claimMs = 30_000;

/** Takes the state directory for this daemon. Only its user can read what it writes there. */
export async function takeState(stateDirectory: string, inState: InState): Promise<Lock> {
  process.umask(0o077);
  prepareStateDirectory(stateDirectory);
  // The code in this cache is run. So it is used only in a directory that was checked.
  module.enableCompileCache(inState('compileCache'));
  const lock = await claim(inState('lock'), stateDirectory);
  // Clients must not find the file that a killed daemon left.
  rmSync(inState('discovery'), { force: true });
  return lock;
}

/**
 * Takes the lock, or throws 75 with the address of the daemon that has it. Waits for a daemon that is starting or
 * ending. The lock is lost when the returned object is garbage-collected.
 */
async function claim(path: string, stateDirectory: string): Promise<Lock> {
  const end = performance.now() + claimMs;
  // Longer and longer pauses, so that waiting daemons do not slow down the one that starts. Random, so that they do not
  // all ask at once.
  for (let pauseMs = 50; ; pauseMs = Math.min(1_000, pauseMs * 1.5)) {
    const lock = attempt(() => tryLock(path), `${path} cannot be used; delete it.`);
    if (lock !== undefined) return lock;
    const { findDaemon } = await import('../client/client.ts');
    const found = await findDaemon(stateDirectory);
    if (found.ok) throw alreadyRunning(`at ${found.client.discovery.url} (process ${found.client.discovery.pid})`);
    if (performance.now() > end) throw alreadyRunning(`with ${stateDirectory}, but does not answer: ${found.reason}`);
    await delay(pauseMs * (0.5 + Math.random()));
  }
}

/** Failures here come from the machine, not from contextd: 78 with the reason. */
export function attempt<Result>(work: () => Result, otherwise: string): Result {
  try {
    return work();
  } catch (error) {
    throw wrongSetup(`${otherwise} (${(error as Error).message})`);
  }
}

function alreadyRunning(where: string): CommandFailure {
  return new CommandFailure(exitCodes.alreadyRunning, `another daemon runs already ${where}`);
}
