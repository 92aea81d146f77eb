/** What programs write says so in its first lines, and that nobody should edit it. */

/** Often below a license. */
const maxHead = 1_500;
/** How far apart a text says the two. */
const maxApart = 250;
const notToEdit =
  /\b(?:do not|don['’]?t|(?:must|should) not|never)\b[^.\n]{0,40}\b(?:alter|chang|edit|modif)|\bchanges\b[^.\n]{0,60}\b(?:lost|overwritten)\b/iu;
/** At the beginning of a comment, these say both. `@generated` alone is a macro of Julia. */
const marks = /^[ \t]{0,20}[^\p{L}\s]{1,5}[ \t]{0,5}(?:@|<auto-?)$/iu;
/** A program that writes such a comment has it in quotes. */
const quotes = /['"`=]/u;

export function saysGenerated(text: string): boolean {
  const head = text.slice(0, maxHead);
  for (const { index } of head.matchAll(/generated\b/giu)) {
    const before = head.slice(head.lastIndexOf('\n', index) + 1, index);
    if (quotes.test(before)) continue;
    if (marks.test(before) || notToEdit.test(head.slice(Math.max(0, index - maxApart), index + maxApart))) return true;
  }
  return false;
}
