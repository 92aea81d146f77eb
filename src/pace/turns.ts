/** Limits how many steps run at once, and lets the event loop serve others during long work. */

/**
 * `giveWay`: call it if too many steps run for what they share. Waits until another step has ended, and reduces the
 * number of steps for a while. Returns false at once if no other step runs.
 */
export type Turn = { giveWay(): Promise<boolean> };

/** Runs steps, at most `max` at once, and returns their results or throws their errors. */
export function createTurns(max: number): <T>(step: (turn: Turn) => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let active = 0;
  let allowed = max;

  const startNext = () => {
    for (; active + 1 <= allowed && waiting.length > 0; active += 1) waiting.shift()?.();
  };
  const end = () => {
    active -= 1;
    startNext();
  };
  const turn: Turn = {
    async giveWay() {
      if (active === 1) return false;
      allowed = active - 1;
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.unshift(resolve);
      end();
      await promise;
      return true;
    },
  };

  return async (step) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    startNext();
    await promise;
    try {
      return await step(turn);
    } finally {
      // One more again after each `max` steps.
      allowed = Math.min(max, allowed + 1 / max);
      end();
    }
  };
}

const others: (() => void)[] = [];

/**
 * Lets the event loop serve others before work that cannot be interrupted. Each caller gets its own turn, so that the
 * work of many requests does not add up to one long turn.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (others.push(resolve) === 1) setImmediate(giveTurn);
  });
}

function giveTurn(): void {
  others.shift()?.();
  if (others.length > 0) setImmediate(giveTurn);
}

/** Texts up to this length are parsed within two milliseconds, whatever they contain. */
const quickLength = 1_024;

/**
 * Waits for its own turn before an untrusted text is parsed, which may take 20 ms: the number of such texts is not
 * limited. `undefined` for a short text.
 */
export function turnToParse(text = ''): Promise<void> | undefined {
  return text.length > quickLength ? nextTurn() : undefined;
}

/** How long one turn of the event loop may be blocked. */
const maxHeldMs = 4;

/** Waits for the next turn of the event loop if this one was blocked for long, else returns `undefined`. */
export type Pause = () => Promise<void> | undefined;

/** `elapsed` is a clock in milliseconds. */
export function createPause(elapsed: () => number = () => performance.now()): Pause {
  let sinceMs = elapsed();
  return () => {
    if (elapsed() - sinceMs < maxHeldMs) return undefined;
    return nextTurn().then(() => {
      sinceMs = elapsed();
    });
  };
}

/** Work that can be interrupted after each step. A step takes at most a few milliseconds. */
export type Steps<Value> = Generator<undefined, Value>;

/** Does the work without interruptions. For short work. */
export function atOnce<Value>(steps: Steps<Value>): Value {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Does the work, and lets the event loop serve others between its steps. */
export async function inTurns<Value>(steps: Steps<Value>, pause: Pause): Promise<Value> {
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    const turn = pause();
    if (turn) await turn;
  }
  return step.value;
}
