/** Whether two lists contain the same objects, so that results for one are valid for the other. */
export function sameItems(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before === after || (before.length === after.length && before.every((item, at) => item === after[at]));
}
