/** One after another for each key: of two who have seen the same version of it, the second has not seen the first's. */
export function createTurnsByKey(): <Result>(key: string, step: () => Promise<Result>) => Promise<Result> {
  const writing = new Map<string, Promise<unknown>>();
  return async <Result>(key: string, step: () => Promise<Result>): Promise<Result> => {
    const before = writing.get(key);
    const own = (before ?? Promise.resolve()).catch(() => undefined).then(step);
    writing.set(key, own);
    try {
      return await own;
    } finally {
      if (writing.get(key) === own) writing.delete(key);
    }
  };
}
