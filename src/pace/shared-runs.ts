/**
 * Lets identical requests share one run without ever answering from the past: a request joins only a run that has not
 * begun yet, so whatever was written before the request arrived is seen by it (CC-36). At most one run per key is under
 * way; what arrives meanwhile shares the next one.
 */
export function createSharedRuns<Value>(): { join(key: string, run: () => Promise<Value>): Promise<Value> } {
  const waiting = new Map<string, Promise<Value>>();
  const current = new Map<string, Promise<unknown>>();

  return {
    join(key, run) {
      const joined = waiting.get(key);
      if (joined) return joined;
      const begin = async (): Promise<Value> => {
        await current.get(key)?.catch(() => undefined);
        // Requests that the event loop has already received still join.
        await new Promise((resolve) => setImmediate(resolve));
        waiting.delete(key);
        return run();
      };
      const promise = begin().finally(() => {
        if (current.get(key) === promise) current.delete(key);
      });
      waiting.set(key, promise);
      // The chain begins with this run: the next one waits for it.
      current.set(key, promise);
      return promise;
    },
  };
}
