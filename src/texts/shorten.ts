/** A text of at most `max` UTF-16 code units. If it is cut, it ends with `…`. */
export function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}

/** The first `max` names of a list, for a sentence: `a, b and 3 more`. */
export function shortenList(names: readonly string[], max: number): string {
  const more = names.length > max ? ` and ${names.length - max} more` : '';
  return `${names.slice(0, max).join(', ')}${more}`;
}
