/** How the gate treats one of the thousands of files and directories that a search reads together. */

/** `isOneOfMany`: it must not push the others, or files that a request named, out of the cache. */
export type Many = { isOneOfMany?: boolean };

/** Whether it is opened without `stat` before: a directory has just listed it, so it is nearly always there. */
export function isFirstOfMany(kept: unknown, { isOneOfMany }: Many): boolean {
  return isOneOfMany === true && kept === undefined;
}

/** How to cache what was read or listed. */
export function keepBy({ isOneOfMany }: Many): 'offer' | 'set' {
  return isOneOfMany ? 'offer' : 'set';
}
