/**
 * The names that a source text defines, as the beginnings of its lines suggest (RT-02). Cheaper than parsing it. What a
 * document defines is in its headings.
 */

const afterKeyword =
  /^(?:[a-z]{2,10}(?:\([a-z]{1,9}\))? ){0,5}(?:class|def|defp|defmodule|enum|extension|fn|fun|func|function|impl|interface|mixin|module|namespace|object|protocol|record|struct|trait|type)[ \t]{1,4}(?:\([^)]{0,60}\) ?)?([\p{L}\p{N}_.$]{1,80})/u;
/** Only without indentation. Within functions, these are local. */
const constant = /^(?:export )?(?:const|let|var|val) ([\p{L}\p{N}_]{1,80})/u;
/** One `#` also begins a comment. */
const heading = /^#{2,6} (.{1,80})/u;
/** They also stand before parentheses. */
const statements = new Set('catch constructor else for foreach if return switch while with'.split(' '));
/** Longer lines are data. */
const longestLine = 300;
const longestName = 60;

/** Each once, in the order of the lines, separated by spaces. */
export function definedNames(text: string): string {
  const names = new Set<string>();
  for (const line of text.split('\n')) {
    if (line.length > longestLine) continue;
    const trimmed = line.trim();
    const name =
      (heading.exec(trimmed) ?? afterKeyword.exec(trimmed))?.[1] ??
      constant.exec(line)?.[1] ??
      beforeParentheses(trimmed);
    if (name !== '' && !statements.has(name)) names.add(name);
  }
  return [...names].join(' ');
}

/** `roundPrice` in `int roundPrice(int cents) {`, or an empty text. */
function beforeParentheses(line: string): string {
  const end = line.endsWith('{') ? line.indexOf('(') : 0;
  const before = line.slice(Math.max(0, end - longestName), Math.max(0, end));
  return before.split(/[^\p{L}\p{N}_]/u).at(-1) ?? '';
}
