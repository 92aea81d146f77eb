/** Whether two lists hold the same items, by identity: what was made of the one holds for the other. */
export function sameItems(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before === after || (before.length === after.length && before.every((item, at) => item === after[at]));
}
