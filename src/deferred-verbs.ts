/** Verbs that most daemons, and most single commands, never call. */

/** What `make` gives, made when it is first asked for, and then the same again. */
export function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Verbs that are imported and built when the first of them is called. */
export function deferVerbs<Verbs extends { [Name in keyof Verbs]: (...args: never[]) => Promise<unknown> }>(
  load: () => Promise<Verbs>,
): Verbs {
  return new Proxy({} as Verbs, {
    // An object with a `then` would be taken for a promise.
    get: (_target, name) => {
      if (name === 'then') return undefined;
      return async (...args: never[]) => (await load())[name as keyof Verbs](...args);
    },
  });
}
