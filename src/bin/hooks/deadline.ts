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
  const timer = setTimeout(() => controller.abort(new Error(`it took longer than ${ms / 1_000} seconds`)), ms);
  timer.unref();
  gone?.addEventListener('abort', () => controller.abort(gone.reason), { once: true });
  const late = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  late.catch(() => {});
  return { signal, inTime: (work) => Promise.race([work, late]), end: () => clearTimeout(timer) };
}
