/** Questions about a workspace that the rules of several languages share. */

import { directoriesBetween, isInside, joinPath, parentPath, pathBelow } from '../../access/paths.ts';
import { onceForEach } from '../../pace/once-for-each.ts';
import type { Steps } from '../../pace/turns.ts';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { fixedLimits } from '../../settings.ts';
import type { ImportTarget, Lookup, NoTarget, ResolvedImport } from './import.ts';

/** The directories from the file's own up to the mounted directory. Empty if the file is elsewhere. */
export function directoriesAbove(file: string, lookup: Lookup): string[] {
  return directoriesFrom(parentPath(file), lookup);
}

/** The directory and those above it, up to the mounted directory. Empty if it is elsewhere. */
export function directoriesFrom(directory: string, { mountedDirectory }: Lookup): string[] {
  return isInside(mountedDirectory, directory) ? directoriesBetween(mountedDirectory, directory).reverse() : [];
}

/** The first of the paths that is a file. */
export async function firstFile(paths: Iterable<string>, lookup: Lookup): Promise<string | undefined> {
  for (const path of paths) if ((await lookup.kindOf(path)) === 'file') return path;
  return undefined;
}

/** The paths that are directories. */
export async function directoriesOf(paths: Iterable<string>, lookup: Lookup): Promise<string[]> {
  const found: string[] = [];
  for (const path of new Set(paths)) if ((await lookup.kindOf(path)) === 'directory') found.push(path);
  return found;
}

/** The directories in a directory, without `node_modules` and names that begin with a dot, up to a limit. */
export async function directoriesIn(directory: string, lookup: Lookup): Promise<string[]> {
  const names = (await lookup.namesIn(directory)).filter((name) => !name.startsWith('.') && name !== 'node_modules');
  return directoriesOf(
    names.slice(0, fixedLimits.projects.neighbours).map((name) => pathBelow(directory, name)),
    lookup,
  );
}

/** The directories in the mounted directory, then those in the ones of them that hold projects, as their paths say. */
export async function directoriesNearTop(holders: RegExp, lookup: Lookup): Promise<string[]> {
  const near = await directoriesIn(lookup.mountedDirectory, lookup);
  const found = [...near];
  for (const each of near) if (holders.test(each)) found.push(...(await directoriesIn(each, lookup)));
  return found;
}

/** The directories that paths name: literally, or all in a directory by `*` at the end. */
export async function namedDirectories(paths: readonly string[], from: string, lookup: Lookup): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths)
    if (path === '*' || path.endsWith('/*'))
      found.push(...(await directoriesIn(joinPath(from, path.slice(0, -1) || '.'), lookup)));
    else found.push(joinPath(from, path));
  return found;
}

/** A name without the marks between its words: the same for `HTMLParser`, `html_parser` and `html-parser`. */
export function joinWords(name: string): string {
  return name.replaceAll(/[-_]/gu, '').toLowerCase();
}

/** `Cart` for `cart`. */
export function capitalized(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
}

/** The files of an import, each once. `otherwise`: why there is none. Without it, an import need not have a file. */
export function resolved(
  statement: ImportStatement,
  targets: readonly (ImportTarget | undefined)[],
  otherwise?: NoTarget,
): ResolvedImport {
  const byPath = new Map<string, ImportTarget>();
  for (const target of targets) {
    if (target === undefined) continue;
    const before = byPath.get(target.path);
    // A whole file includes all other wanted names.
    const isWhole = target.names.length === 0 || before?.names.length === 0;
    const names = isWhole ? [] : [...new Set([...(before?.names ?? []), ...target.names])];
    byPath.set(target.path, { ...target, names });
  }
  return byPath.size === 0 && otherwise ? { statement, none: otherwise } : { statement, targets: [...byPath.values()] };
}

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
/** Includes of C, and Ruby comments that are alone in their line. */
const otherLines = /^[ \t]*#(?: |include\b).*/gmu;

/**
 * The names that a file mentions outside comments and includes. If a language does not say which names come from which
 * file, only these are possible. The file's parser reads what it defines.
 */
export async function mentionedNames(path: string, names: readonly string[], lookup: Lookup): Promise<string[]> {
  const mentioned = await lookup.deriveSource(path, readNames);
  return mentioned === undefined ? [] : names.filter((name) => mentioned.has(name));
}

function* readNames(text: string): Steps<ReadonlySet<string>> {
  const code = withoutComments(text).replaceAll(otherLines, '');
  yield;
  return yield* namesIn(code, /[\p{L}_][\p{L}\p{N}_]*/gu);
}

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

/** Calls `see` with each line, without its line feed, until `see` returns false. */
export function* eachLine(text: string, see: (line: string) => boolean | undefined): Steps<void> {
  let lines = 0;
  for (let start = 0; start <= text.length; lines += 1) {
    const end = text.indexOf('\n', start);
    if (see(text.slice(start, end < 0 ? undefined : end)) === false || end < 0) return;
    start = end + 1;
    if (lines % matchesPerStep === 0) yield;
  }
}

/** The name at the end of a text, before its type parameters. */
export function nameBefore(text: string): string | undefined {
  const head = text.trimEnd();
  const name = (head.endsWith('>') ? head.slice(0, head.lastIndexOf('<')) : head).split(/[^\p{L}\p{N}_$]/u).at(-1);
  return name === '' ? undefined : name;
}

type Find<Value> = (directory: string, lookup: Lookup) => Promise<Value>;

/** A workspace does not change during a request, so results for a directory are cached for each lookup. */
export function oncePerDirectory<Value>(find: Find<Value>): Find<Value> {
  const inLookup = onceForEach((lookup: Lookup) => onceForEach((path: string) => find(path, lookup)), new WeakMap());
  return (directory, lookup) => inLookup(lookup)(directory);
}
