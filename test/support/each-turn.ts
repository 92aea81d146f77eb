/** Calls `look` in every turn of the event loop, from the next one on, until the work is done, and passes on its result. */
export async function eachTurn<Result>(look: () => void, work: () => Promise<Result>): Promise<Result> {
  let isDone = false;
  const again = (): void => {
    look();
    if (!isDone) setImmediate(again);
  };
  setImmediate(again);
  try {
    return await work();
  } finally {
    isDone = true;
  }
}
