/** What programs write says so in its first lines, and that nobody should edit it. */
import { words } from './file-path.ts';

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

/** Where a clause begins inside a line: `DO NOT EDIT. `, `NOTE: `, ` - `, `Do not edit, `. */
const clauseStart = /[.:;!)]\s|\(|\s[-–—]{1,3}\s|(?<=edit|file|modify|manually|hand),\s/iu;
const files = words(
  `class classes code document documents documentation files form header implementation interface list module package
  report script source sources table`,
);
const pointers = words('all it these this');
const verbs = words('are been has have is was were');
const adverbs = words('auto automatically machine of');
const articles = words('a an the');

export function saysGenerated(text: string): boolean {
  const head = text.slice(0, maxHead);
  for (const { index } of head.matchAll(/generated\b/giu)) {
    const before = head.slice(head.lastIndexOf('\n', index) + 1, index);
    if (quotes.test(before)) continue;
    if (marks.test(before)) return true;
    const around = head.slice(Math.max(0, index - maxApart), index + maxApart);
    if (isOfFile(before.split(clauseStart).at(-1) ?? '') && notToEdit.test(around)) return true;
  }
  return false;
}

/** `This file was automatically`, `Code`, `it is a machine`: of the file, not of what its code works with. */
function isOfFile(clause: string): boolean {
  const said = clause.toLowerCase().match(/[\p{L}\d][\p{L}\d.]{0,99}/gu) ?? [];
  const isFile = (word: string) => files.has(word) || /file$|\.\w{1,9}$/u.test(word);
  const isPointed = said.some((word) => pointers.has(word));
  const rest = said.filter((word) => ![pointers, verbs, adverbs, articles].some((known) => known.has(word)));
  const others = rest.filter((word) => !isFile(word));
  if (others.length === 0) return rest.length > 0 || isPointed || !said.some((word) => articles.has(word));
  const isSubject = isFile(rest.at(-1) ?? '') && others.length <= 3;
  return isSubject && (pointers.has(said[0] ?? '') || !said.some((word) => verbs.has(word)));
}
