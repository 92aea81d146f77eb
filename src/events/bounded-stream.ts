/** What waits to be written to one client (S-77). */

import { fixedLimits } from '../settings.ts';

/** Where text goes. After `write` returned false, the next text waits for `drained`. */
type Sink = { write(text: string): boolean; end(): void };

type BoundedStream = {
  send(text: string): void;
  /** Call this when the sink can take more. */
  drained(): void;
  /** Ends the sink when everything is written. */
  end(): void;
};

/**
 * Writes as fast as the client reads. If more than 1 MiB waits, it is dropped, and the stream ends with `farewell`.
 * `onOverflow` gets the number of dropped texts.
 */
export function createBoundedStream(
  sink: Sink,
  options: { farewell(): string; onOverflow(dropped: number): void },
): BoundedStream {
  let queue: string[] = [];
  let queuedBytes = 0;
  let isBlocked = false;
  let isEnding = false;
  let hasEnded = false;

  const flush = (): void => {
    while (!isBlocked && queue.length > 0) {
      const text = queue.shift() as string;
      queuedBytes -= Buffer.byteLength(text);
      isBlocked = !sink.write(text);
    }
    if (!isEnding || hasEnded || queue.length > 0) return;
    hasEnded = true;
    sink.end();
  };

  return {
    send(text) {
      if (isEnding) return;
      queue.push(text);
      queuedBytes += Buffer.byteLength(text);
      if (isBlocked && queuedBytes > fixedLimits.events.queuedBytes) {
        const farewell = options.farewell();
        const dropped = queue.length;
        queue = [farewell];
        queuedBytes = Buffer.byteLength(farewell);
        isEnding = true;
        options.onOverflow(dropped);
      }
      flush();
    },
    drained() {
      isBlocked = false;
      flush();
    },
    end() {
      isEnding = true;
      flush();
    },
  };
}
