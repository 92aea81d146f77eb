/** A text of `max` UTF-16 code units at most; `…` stands for what is left out at its end. */
export function shorten(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}
