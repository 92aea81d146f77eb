/**
 * Clears up bit by bit, so that nobody waits for it. `clearSome` says whether there was anything. What is asked for meanwhile
 * is looked for at the end again; what fails, because a disk is full or the process ends, is left for the next time.
 */
export function createClearing(clearSome: () => Promise<boolean>): () => void {
  let isRunning = false;
  /** There is something that the present run may not find any more. */
  let isWanted = false;
  const run = async (): Promise<void> => {
    try {
      while (isWanted) {
        isWanted = false;
        while (await clearSome());
      }
    } catch {
    } finally {
      isRunning = false;
    }
  };
  return () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    setImmediate(run);
  };
}
