/** `called` is told of a verb of an engine before it runs, and may throw. */
export type Called = (verb: string, argument?: unknown) => void;

/** The same verbs, each of which tells `called` first. */
export function observedVerbs<Verbs extends object>(group: string, verbs: Verbs, called: Called): Verbs {
  return new Proxy(
    { ...verbs },
    {
      get:
        (target, name: string & keyof Verbs) =>
        async (...args: never[]) => {
          called(`${group}.${name}`, args[0]);
          return (target[name] as (...args: never[]) => unknown)(...args);
        },
    },
  );
}
