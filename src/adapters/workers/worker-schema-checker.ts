/**
 * Checks values against untrusted schemas in a worker thread. Their patterns and references can take any time and
 * memory. That makes only this one check fail (S-52).
 */
import { Worker } from 'node:worker_threads';
import { createTurns } from '../../pace/turns.ts';
import type { SchemaChecker } from '../../ports/ports.ts';
import { fixedLimits } from '../../settings.ts';
import type { Answer } from './schema-check-worker.ts';

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
  const start = async (): Promise<Worker> => {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const started = new Worker(new URL(`./schema-check-worker.${extension}`, import.meta.url), {
      // The setting of the daemon limits young objects of all threads to less than this (`serve`).
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      env: {},
    });
    started.unref();
    started.once('exit', () => {
      if (worker === started) worker = undefined;
    });
    return new Promise((resolve, reject) => {
      // It sends the first message when it has loaded what it needs.
      started.once('message', () => resolve(started));
      started.once('error', reject).once('exit', (code) => reject(new Error(`It ended with ${code}.`)));
    });
  };

  return {
    check: (schema, value) =>
      inTurn(async () => {
        clearTimeout(idle);
        // The start does not count as time of the check.
        try {
          worker ??= await start();
        } catch (error) {
          return { outcome: 'unknown', detail: `The thread that checks does not start: ${(error as Error).message}` };
        }
        const current = worker;
        lastId += 1;
        const id = lastId;
        const answer = await new Promise<Answer>((resolve) => {
          const end = (ended: Answer): void => {
            clearTimeout(timer);
            current.off('message', onMessage).off('error', onError).off('exit', onError);
            resolve(ended);
          };
          const onMessage = (message: Answer): void => {
            if (message.id === id) end(message);
          };
          const onError = (): void => {
            if (worker === current) worker = undefined;
            end({ id, failure: 'It needs too much memory.' });
          };
          const timer = setTimeout(() => {
            if (worker === current) stop();
            end({ id, failure: 'It takes too long.' });
          }, timeoutMs);
          current.on('message', onMessage).on('error', onError).on('exit', onError);
          current.postMessage({ id, schema, value });
        });
        idle = setTimeout(stop, idleMs);
        idle.unref();
        if (answer.failure !== undefined) return { outcome: 'unknown', detail: answer.failure };
        return answer.errors === undefined ? { outcome: 'valid' } : { outcome: 'invalid', errors: answer.errors };
      }),
    dispose() {
      clearTimeout(idle);
      stop();
    },
  };
}
