import { ContextdError } from '../../errors.ts';

/** `inTime` gives up waiting when the time is over, and `signal` says that it is. `end`: nothing waits any more. */
export type Deadline = Readonly<{
  signal: AbortSignal;
  inTime<Result>(work: Promise<Result>): Promise<Result>;
  end(): void;
}>;

/** The time begins now. `gone`: nobody waits any more. */
export function createDeadline(ms: number, gone?: AbortSignal): Deadline {
  const controller = new AbortController();
  const { signal } = controller;
  const late = new ContextdError('unavailable', `it took longer than ${ms / 1_000} seconds`);
  const timer = setTimeout(() => controller.abort(late), ms).unref();
  gone?.addEventListener('abort', () => controller.abort(gone.reason), { once: true });
  const over = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  over.catch(() => {});
  if (gone?.aborted) controller.abort(gone.reason);
  return { signal, inTime: (work) => Promise.race([work, over]), end: () => clearTimeout(timer) };
}
