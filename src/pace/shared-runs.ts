/**
 * Lets identical requests share one run without outdated answers: a request joins only a run that has not begun yet, so
 * that the answer includes everything that was written before the request (CC-36). Per key, one run is active at a
 * time; requests that arrive meanwhile share the next one.
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
