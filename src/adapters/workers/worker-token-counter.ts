/** Counts tokens in a worker thread, which starts when it is first needed. */
import { Worker } from 'node:worker_threads';
import type { TokenCounter } from '../../ports/ports.ts';

type Answer = { id: number; counts?: number[]; problem?: string };
type Waiting = { resolve(counts: number[]): void; reject(error: Error): void };

export function createWorkerTokenCounter(): TokenCounter {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | undefined;
  let lastId = 0;

  const fail = (stopped: Worker, reason: string): void => {
    if (worker !== stopped) return;
    worker = undefined;
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
  };
  const stop = (): void => {
    const stopping = worker;
    if (stopping === undefined) return;
    fail(stopping, 'The token counter was stopped.');
    void stopping.terminate();
  };
  const start = (): Worker => {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
    const started = new Worker(new URL(`./token-worker.${extension}`, import.meta.url));
    started.unref();
    started.on('message', (answer: Answer) => {
      const waiter = waiting.get(answer.id);
      waiting.delete(answer.id);
      if (answer.counts) waiter?.resolve(answer.counts);
      else waiter?.reject(new Error(answer.problem));
      if (waiting.size === 0) started.unref();
    });
    started.on('error', (error) => fail(started, error instanceof Error ? error.message : String(error)));
    started.on('exit', () => fail(started, 'The token counter ended.'));
    return started;
  };

  return {
    count(texts, encoding) {
      if (texts.length === 0) return Promise.resolve([]);
      worker ??= start();
      // The worker keeps the process alive only during a request.
      worker.ref();
      lastId += 1;
      const id = lastId;
      const counted = new Promise<number[]>((resolve, reject) => waiting.set(id, { resolve, reject }));
      worker.postMessage({ id, texts, encoding });
      return counted;
    },
    dispose: stop,
  };
}
