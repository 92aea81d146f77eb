/** A text of `most` UTF-16 code units at most; `…` stands for what is left out at its end. */
export function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
