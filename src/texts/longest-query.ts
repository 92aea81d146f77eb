/** The max length of a question, for the daemon and its clients. */

/** In UTF-16 code units, for all requests. */
export const longestQuery = 32_768;

/** Cuts a text to the max length of a question. */
export function cutQuery(text: string): string {
  return text.slice(0, longestQuery).toWellFormed();
}
