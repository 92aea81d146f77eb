/** A text of at most `max` UTF-16 code units. If it is cut, it ends with `…`. */
export function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}

/** The first `max` names of a list, for a sentence: `a, b and 3 more`. `more`: other words for how many are left. */
export function shortenList(
  names: readonly string[],
  max: number,
  more = (left: number): string => ` and ${left} more`,
): string {
  const left = names.length - max;
  return `${names.slice(0, max).join(', ')}${left > 0 ? more(left) : ''}`;
}
