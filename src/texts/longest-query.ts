/** How long a question may be, for the daemon and for its clients. */

/** Characters of a question, in all requests. */
export const longestQuery = 32_768;

/** The beginning of a text that may be longer than a question. */
export function cutQuery(text: string): string {
  return text.slice(0, longestQuery).toWellFormed();
}
