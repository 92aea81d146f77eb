/** Reads source texts and settings without a parser: comments, lists, matches, lines and names. */
import type { Steps } from '../../pace/turns.ts';

/** An unclosed comment continues to the end, so that no text is searched twice. */
const cComments = /\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|\/\/.*/gu;

/** The text of C, C++ or Java without comments. Does not distinguish strings from code. */
export function withoutComments(text: string): string {
  return text.replaceAll(cComments, '');
}

/** As in `cComments`. */
const xmlComments = /<!--[\s\S]*?(?:-->|(?![\s\S]))/gu;

/** The text of an XML file without comments. */
export function withoutXmlComments(text: string): string {
  return text.replaceAll(xmlComments, '');
}

/**
 * The texts between the bracket at the end of each match of `opening`, a fresh global pattern, and the next `closing`.
 * The time grows only with the length of the text. A pattern with `[^\]]*\]` would take longer if brackets are never
 * closed.
 */
export function bracketed(text: string, opening: RegExp, closing: string): string[] {
  const found: string[] = [];
  for (let match = opening.exec(text); match && found.length < maxLists; match = opening.exec(text)) {
    const start = match.index + match[0].length;
    const end = text.indexOf(closing, start);
    if (end < 0) break;
    found.push(text.slice(start, Math.min(end, start + longestList)));
    opening.lastIndex = end;
  }
  return found;
}

/** The quoted texts. */
export function quotedIn(lists: readonly string[]): string[] {
  return lists.flatMap((list) => [...list.matchAll(/["']([^"'\n]*)["']/gu)].map((match) => match[1] ?? ''));
}

const longestList = 20_000;
const maxLists = 500;

/** The last groups of the first matches of a pattern. */
export function firstMatches(text: string, pattern: RegExp, max: number): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length === max) break;
    found.push(match.at(-1) ?? '');
  }
  return found;
}

const matchesPerStep = 1_000;

/** All matches of a pattern with their groups. Groups without a match are empty. */
export function* allMatches(text: string, pattern: RegExp): Steps<string[][]> {
  const found: string[][] = [];
  for (const match of text.matchAll(pattern))
    if (found.push(match.map((group) => group ?? '')) % matchesPerStep === 0) yield;
  yield;
  return found;
}

/**
 * The last group of all matches of a pattern, or the match itself if there is no group. `isName` filters the matches.
 */
export function* namesIn(
  text: string,
  pattern: RegExp,
  isName: (match: RegExpExecArray) => boolean = () => true,
): Steps<Set<string>> {
  const names = new Set<string>();
  let matches = 0;
  for (const match of text.matchAll(pattern)) {
    if (isName(match)) names.add(match.at(-1) ?? '');
    matches += 1;
    if (matches % matchesPerStep === 0) yield;
  }
  yield;
  return names;
}

/** Of a longer line, the readers of most languages see only the beginning. */
export const longestLine = 500;
/** Declarations with a longer name are left out. */
export const longestName = 200;

/** Calls `see` with each line, without its line feed, until `see` returns false. */
export function eachLine(text: string, see: (line: string) => boolean | undefined): Steps<void> {
  return eachLineBeginning(text, Number.POSITIVE_INFINITY, see);
}

/** The same with at most the first `longest` characters of each line. */
export function* eachLineBeginning(
  text: string,
  longest: number,
  see: (beginning: string) => boolean | undefined,
): Steps<void> {
  let lines = 0;
  for (let start = 0; start <= text.length; lines += 1) {
    const end = text.indexOf('\n', start);
    if (see(text.slice(start, Math.min(end < 0 ? text.length : end, start + longest))) === false || end < 0) return;
    start = end + 1;
    if (lines % matchesPerStep === 0) yield;
  }
}

/** Removes what ends before a line with this indentation. Formatters write code so that it says what is inside what. */
export function closeScopes(around: { indentation: number }[], indentation: number): void {
  while ((around.at(-1)?.indentation ?? -1) >= indentation) around.pop();
}

/** The name at the end of a text, before its type parameters. */
export function nameBefore(text: string): string | undefined {
  const head = text.trimEnd();
  const name = (head.endsWith('>') ? head.slice(0, head.lastIndexOf('<')) : head).split(/[^\p{L}\p{N}_$]/u).at(-1);
  return name === '' ? undefined : name;
}

/** A name without the marks between its words: the same for `HTMLParser`, `html_parser` and `html-parser`. */
export function joinWords(name: string): string {
  return name.replaceAll(/[-_]/gu, '').toLowerCase();
}

/** `Cart` for `cart`. */
export function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** The full name of something inside something else: `Shop.Cart`. `around` is empty at the top. */
export function qualified(around: string, name: string): string {
  return around === '' ? name : `${around}.${name}`;
}

/** The list of a key. It is added if there is none. */
export function listOf<Key, Value>(lists: Map<Key, Value[]>, key: Key): Value[] {
  let list = lists.get(key);
  if (list === undefined) {
    list = [];
    lists.set(key, list);
  }
  return list;
}
