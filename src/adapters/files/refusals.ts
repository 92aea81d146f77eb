/**
 * What an error of the operating system means for `Files`, and which errors are worth another try. Without disk access.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { createTurns } from '../../pace/turns.ts';
import type { FileRefusal } from '../../ports/ports.ts';

/**
 * How often a refusal that may be temporary is tried again: the file vanished or moved between two system calls;
 * another file replaced it after it was opened (S-48); no descriptor is free (S-49; half a second in all).
 */
const retriesOf = { vanished: 1, replaced: 5, crowded: 9 };
const hopelessMs = 1000;
type Passing = keyof typeof retriesOf;
type Meaning = readonly [code: FileRefusal['code'], passing?: Passing];

/** Carries a refusal out of nested calls. */
export class Refused extends Error {
  readonly meaning: Meaning;

  constructor(...meaning: Meaning) {
    super(meaning[0]);
    this.meaning = meaning;
  }
}

const meanings: Record<string, Meaning> = {
  ENOENT: ['not_found', 'vanished'],
  ENOTDIR: ['not_found', 'vanished'],
  ESTALE: ['not_found', 'vanished'],
  EISDIR: ['not_regular_file', 'vanished'],
  ENAMETOOLONG: ['not_found'],
  ERR_INVALID_ARG_VALUE: ['not_found'],
  ELOOP: ['symlink'],
  EACCES: ['unreadable'],
  EPERM: ['unreadable'],
  ENXIO: ['not_regular_file'],
  ENODEV: ['not_regular_file'],
  EAGAIN: ['not_regular_file'],
  EMFILE: ['io_error', 'crowded'],
  ENFILE: ['io_error', 'crowded'],
};

function meaningOf(error: unknown): Meaning {
  if (error instanceof Refused) return error.meaning;
  return meanings[(error as NodeJS.ErrnoException).code ?? ''] ?? ['io_error'];
}

/** The refusal for an error of the operating system, or for a `Refused`. */
export function toRefusal(error: unknown): FileRefusal {
  return { ok: false, code: meaningOf(error)[0] };
}

/** Runs steps, at most `parallelOpens` at once. Runs a step again if its refusal may be temporary. */
export function createPersistence(parallelOpens: number) {
  const inTurn = createTurns(parallelOpens);
  let hopelessUntil = 0;
  return <T>(step: () => Promise<T>): Promise<T> =>
    inTurn(async (turn) => {
      const retries = { vanished: 0, replaced: 0, crowded: 0 };
      for (;;) {
        try {
          return await step();
        } catch (error) {
          const [, passing] = meaningOf(error);
          if (passing === undefined) throw error;
          if (passing === 'crowded' && (await turn.giveWay())) continue;
          // Other processes hold the descriptors. After one step has waited for one without success, the next steps do
          // not wait.
          const hopeless = passing === 'crowded' && performance.now() < hopelessUntil;
          if (hopeless || retries[passing] === retriesOf[passing]) {
            if (passing === 'crowded') hopelessUntil = performance.now() + hopelessMs;
            throw error;
          }
          retries[passing] += 1;
          if (passing === 'crowded') await delay(Math.min(2 ** retries.crowded, 200));
        }
      }
    });
}
