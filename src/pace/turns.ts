/** Turns: at most so many steps at once, and the event loop for others while something takes long. */

/**
 * `giveWay`: too many steps are under way for what they share. Waits until another of them has ended, and fewer run at
 * once for a while; false, at once, when there is no other to wait for.
 */
export type Turn = { giveWay(): Promise<boolean> };

/** Runs steps, at most `max` at once, and passes on what they return or throw. */
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
 * Lets the event loop serve others before work that is not interrupted goes on. Each that waits gets a turn of its own, so
 * that what many requests do at once does not add up to one long turn.
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

/** A text of so many characters is parsed in two milliseconds, whatever it holds. */
const quickLength = 1_024;

/**
 * Waits for a turn of its own before a text that somebody else wrote is parsed, which may take 20 ms: how many there are is
 * not ours to choose. Undefined for a short one.
 */
export function turnToParse(text = ''): Promise<void> | undefined {
  return text.length > quickLength ? nextTurn() : undefined;
}

/** How long one turn of the event loop may be held. */
const maxHeldMs = 4;

/** Waits for the next turn of the event loop when this one was held for long; else there is nothing to wait for. */
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

/** Work that can be interrupted after each of its steps, which take a few milliseconds at most. */
export type Steps<Value> = Generator<undefined, Value>;

/** Does the work in one go: for what is short. */
export function atOnce<Value>(steps: Steps<Value>): Value {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Does the work, and lets others have the event loop between its steps. */
export async function inTurns<Value>(steps: Steps<Value>, pause: Pause): Promise<Value> {
  let step = steps.next();
  for (; !step.done; step = steps.next()) {
    const turn = pause();
    if (turn) await turn;
  }
  return step.value;
}
