/** The texts of a list, or the text that a value is. Other values are left out. */
export function textsOf(value: unknown): string[] {
  return [value].flat().filter((each) => typeof each === 'string');
}
