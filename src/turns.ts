/** Bounded concurrency: at most so many steps at once, the others wait in order. */

/** `holdOthers`: until this step ends, no other begins; for a step that waits for something the others use up. */
export type Turn = { holdOthers(): void };

/** Runs steps, at most `most` at once, and passes on what they return or throw. */
export function createTurns(most: number): <T>(step: (turn: Turn) => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let active = 0;
  let holding = 0;

  const startNext = () => {
    for (; active < most && holding === 0 && waiting.length > 0; active += 1) waiting.shift()?.();
  };

  return async (step) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      startNext();
    });
    let held = 0;
    const holdOthers = () => {
      holding += 1 - held;
      held = 1;
    };
    try {
      return await step({ holdOthers });
    } finally {
      active -= 1;
      holding -= held;
      startNext();
    }
  };
}
