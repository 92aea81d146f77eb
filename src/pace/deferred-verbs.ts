/** Verbs that most daemons, and most single commands, never call. */
import { ContextdError } from '../errors.ts';
import { missingPartOf } from './missing-part.ts';

/** `loaded`: the result, if somebody asked for it; undefined before that, and after a failure. Loads nothing. */
type Loaded<Value> = (() => Promise<Value>) & { loaded(): Promise<Value | undefined> };

/**
 * Calls `load` at the first use and keeps the result. If loading fails, for example because no descriptor is free, the
 * caller gets `unavailable`, and the next use loads again.
 */
export function loadOnce<Value>(load: () => Promise<Value>): Loaded<Value> {
  let loading: Promise<Value> | undefined;
  const ask = (): Promise<Value> => {
    loading ??= load().catch((error: Error & { syscall?: string }) => {
      loading = undefined;
      if (error.syscall === undefined) throw missingPartOf(error) ?? error;
      throw new ContextdError('unavailable', 'A part of contextd could not be read from the disk. Try again.');
    });
    return loading;
  };
  return Object.assign(ask, { loaded: async () => loading?.catch(() => undefined) });
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
