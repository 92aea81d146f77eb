/** Threads that end when nobody expects it (S-52). */
import type * as Threads from 'node:worker_threads';
import { afterEach, expect, it, vi } from 'vitest';
import { createWorkerSchemaChecker } from '../../../src/adapters/workers/worker-schema-checker.ts';

const threads = vi.hoisted(() => ({ endAtOnce: false, started: [] as Threads.Worker[] }));
vi.mock('node:worker_threads', async (importOriginal) => {
  const original = await importOriginal<typeof Threads>();
  return {
    ...original,
    Worker: class extends original.Worker {
      constructor(file: URL, options: Threads.WorkerOptions) {
        if (threads.endAtOnce) super('process.exit(3)', { eval: true });
        else super(file, options);
        threads.started.push(this);
      }
    },
  };
});
const checker = createWorkerSchemaChecker({ timeoutMs: 5_000 });
afterEach(() => checker.dispose());

it('S-52 says that a thread ended before its first message, and starts another one', async () => {
  threads.endAtOnce = true;
  const detail = 'The thread that checks does not start: It ended with 3.';
  expect(await checker.check({ type: 'object' }, {})).toEqual({ outcome: 'unknown', detail });
  threads.endAtOnce = false;
  expect(await checker.check({ type: 'object' }, {})).toEqual({ outcome: 'valid' });
});

it('S-52 starts another thread when the one before ended while it was idle', async () => {
  await checker.check({ type: 'object' }, {});
  await threads.started.at(-1)?.terminate();
  expect(await checker.check({ type: 'object' }, {})).toEqual({ outcome: 'valid' });
});
