/**
 * The events of inotify. All watches of a thread share one queue, which libuv empties at once in each turn of the event
 * loop. It does not tell when the queue was full, and events were lost. So all watches count their events here.
 */

const bursts = new Set<{ events: number; call(): void }>();
let inTurn = 0;

export function countKernelEvent(): void {
  if (inTurn === 0)
    setImmediate(() => {
      inTurn = 0;
    });
  inTurn += 1;
  for (const { events, call } of bursts) if (events === inTurn) call();
}

/** Calls `call` when so many events come in one turn. Returns a function that ends this. */
export function onKernelBurst(events: number, call: () => void): () => void {
  const burst = { events, call };
  bursts.add(burst);
  return () => void bursts.delete(burst);
}

let endings = 0;
let uncountedAtMs = Number.NEGATIVE_INFINITY;

/** Call when a watch ends. Its events that are still in the queue are not counted, so a full queue would not show. */
export function kernelWatchEnded(): void {
  endings += 1;
  void kernelEventsDelivered().then(() => {
    endings -= 1;
    uncountedAtMs = performance.now();
  });
}

/** When events last were not counted (`performance.now()`). Infinity while there may be some in the queue. */
export function kernelEventsUncountedAtMs(): number {
  return endings > 0 ? Number.POSITIVE_INFINITY : uncountedAtMs;
}

let delivering: Promise<void> | undefined;

/**
 * Resolves when all events are delivered that were in the queue at the call. The queue is emptied between two immediate
 * callbacks, one of which sets the other.
 */
export function kernelEventsDelivered(): Promise<void> {
  delivering ??= new Promise((resolve) => {
    setImmediate(() => {
      delivering = undefined;
      setImmediate(resolve);
    });
  });
  return delivering;
}
