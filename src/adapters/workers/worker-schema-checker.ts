/**
 * Checks values against untrusted schemas in a worker thread. Their patterns and references can take any time and
 * memory. That makes only this one check fail (S-52).
 */
import { Worker } from 'node:worker_threads';
import { createTurns } from '../../pace/turns.ts';
import type { SchemaChecker } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';
import type { Answer, Question } from './schema-check-worker.ts';

/** `timeoutMs`: the limit of one check. `idleMs`: how long an idle worker is kept. */
export function createWorkerSchemaChecker(options: { timeoutMs?: number; idleMs?: number } = {}): SchemaChecker {
  const { timeoutMs = fixedLimits.mcpTools.checkMs, idleMs = 60_000 } = options;
  const inTurn = createTurns(1);
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;
  let lastId = 0;

  const stop = (): void => {
    void worker?.terminate();
    worker = undefined;
  };
  const started = async (): Promise<Worker> => {
    if (worker !== undefined) return worker;
    const fresh = await startWorker();
    fresh.once('exit', () => {
      if (worker === fresh) worker = undefined;
    });
    worker = fresh;
    return fresh;
  };
  const checkInTurn: SchemaChecker['check'] = async (schema, value) => {
    clearTimeout(idle);
    let current: Worker;
    try {
      // The start does not count as time of the check.
      current = await started();
    } catch (error) {
      return { outcome: 'unknown', detail: `The thread that checks does not start: ${(error as Error).message}` };
    }
    const giveUp = (): void => {
      if (worker === current) stop();
    };
    lastId += 1;
    const { errors, failure } = await ask(current, { id: lastId, schema, value }, { timeoutMs, giveUp });
    idle = setTimeout(stop, idleMs);
    idle.unref();
    if (failure !== undefined) return { outcome: 'unknown', detail: failure };
    return errors === undefined ? { outcome: 'valid' } : { outcome: 'invalid', errors };
  };

  return {
    check: (schema, value) => inTurn(() => checkInTurn(schema, value)),
    dispose() {
      clearTimeout(idle);
      stop();
    },
  };
}

/** Resolves when the thread has loaded what it needs. */
function startWorker(): Promise<Worker> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./schema-check-worker.${extension}`, import.meta.url), {
    // The setting of the daemon limits young objects of all threads to less than this (`serve`).
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    env: {},
  });
  worker.unref();
  return new Promise((resolve, reject) => {
    worker.once('message', () => resolve(worker));
    worker.once('error', reject).once('exit', (code) => reject(new Error(`It ended with ${code}.`)));
  });
}

/** The answer to one question. `giveUp`: called if the thread has ended, or has not answered in time. */
function ask(
  worker: Worker,
  question: Question,
  { timeoutMs, giveUp }: { timeoutMs: number; giveUp(): void },
): Promise<Answer> {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const end = (answer: Answer): void => {
    clearTimeout(timer);
    worker.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
    resolve(answer);
  };
  const fail = (failure: string): void => {
    giveUp();
    end({ id: question.id, failure });
  };
  const onMessage = (answer: Answer): void => {
    if (answer.id === question.id) end(answer);
  };
  const onEnd = (): void => fail('It needs too much memory.');
  const timer = setTimeout(() => fail('It takes too long.'), timeoutMs);
  worker.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
  worker.postMessage(question);
  return promise;
}
