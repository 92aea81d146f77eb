/**
 * Clears up in small parts, so that nobody waits for it. `clearSome` returns whether there was anything to clear. If
 * the returned function is called during a run, the run looks again at its end. After a failure, such as a full disk,
 * the rest waits for the next call.
 */
export function createClearing(clearSome: () => Promise<boolean>): () => void {
  let isRunning = false;
  /** Something was added that the current run may have missed. */
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
