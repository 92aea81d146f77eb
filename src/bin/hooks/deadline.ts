import { ContextdError } from '../../errors.ts';

/** When the time is over, `inTime` rejects and `signal` is aborted. Call `end` when the work is done. */
export type Deadline = Readonly<{
  signal: AbortSignal;
  inTime<Result>(work: Promise<Result>): Promise<Result>;
  end(): void;
}>;

/** The time starts now. `gone` ends it early, when nobody waits for the answer any more. */
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
