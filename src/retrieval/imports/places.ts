/** What the rules of several languages ask of a workspace. */

import { directoriesBetween, isInside, parentPath } from '../../access/paths.ts';
import { onceForEach } from '../../pace/once-for-each.ts';
import type { Steps } from '../../pace/turns.ts';
import type { ImportStatement } from '../../ports/parsed-source.ts';
import { fixedLimits } from '../../settings.ts';
import type { ImportTarget, Lookup, ResolvedImport } from './import.ts';

/** The directories from a path's own up to the mounted directory; none when it lies elsewhere. */
export function directoriesAbove(path: string, lookup: Lookup): string[] {
  const directory = parentPath(path);
  if (!isInside(lookup.mountedDirectory, directory)) return [];
  return directoriesBetween(lookup.mountedDirectory, directory).reverse();
}

/** The first of the paths where a file lies. */
export async function firstFile(paths: Iterable<string>, lookup: Lookup): Promise<string | undefined> {
  for (const path of paths) if ((await lookup.kindOf(path)) === 'file') return path;
  return undefined;
}

/** Those of the paths that are directories. */
export async function directoriesOf(paths: Iterable<string>, lookup: Lookup): Promise<string[]> {
  const found: string[] = [];
  for (const path of new Set(paths)) if ((await lookup.kindOf(path)) === 'directory') found.push(path);
  return found;
}

/** Directories in a directory, of any name that does not begin with a dot; the first 200. */
export async function directoriesIn(directory: string, lookup: Lookup): Promise<string[]> {
  const names = (await lookup.namesIn(directory)).filter((name) => !name.startsWith('.') && name !== 'node_modules');
  return directoriesOf(
    names.slice(0, fixedLimits.projects.neighbours).map((name) => `${directory}/${name}`),
    lookup,
  );
}

/** The files an import means, each once; `otherwise` when there is none. */
export function resolved(
  statement: ImportStatement,
  targets: readonly (ImportTarget | undefined)[],
  otherwise: 'outside_workspace' | 'not_found' | 'unsupported',
): ResolvedImport {
  const byPath = new Map<string, ImportTarget>();
  for (const target of targets) {
    if (target === undefined) continue;
    const before = byPath.get(target.path);
    // The whole of a file includes whatever else is wanted of it.
    const isWhole = target.names.length === 0 || before?.names.length === 0;
    const names = isWhole ? [] : [...new Set([...(before?.names ?? []), ...target.names])];
    byPath.set(target.path, { ...target, names });
  }
  if (byPath.size === 0) return { statement, none: otherwise };
  return { statement, targets: [...byPath.values()] };
}

/** A comment that is not closed goes on to the end, so that no text is looked through more than once. */
const cComments = /\/\*[\s\S]*?(?:\*\/|(?![\s\S]))|\/\/.*/gu;

/** Text of C, C++ or Java without its comments; strings are not told from code. */
export function withoutComments(text: string): string {
  return text.replaceAll(cComments, '');
}

/**
 * What stands between a bracket with which each match of `opening`, a fresh global pattern, ends and the next `closing`. Time grows with the
 * text alone, which `[^\]]*\]` in a pattern does not hold to where brackets are never closed.
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

const longestList = 20_000;
const maxLists = 500;
/** Includes of C, and comments of Ruby that stand alone. */
const otherLines = /^[ \t]*#(?: |include\b).*/gmu;

/**
 * Those of the names that a file mentions outside of comments and includes: where a language does not say which names come from where, only these can.
 * What the file defines is for its parser to say.
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

/** What the first matches of a pattern have in their last group. */
export function firstMatches(text: string, pattern: RegExp, max: number): string[] {
  const found: string[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length === max) break;
    found.push(match.at(-1) ?? '');
  }
  return found;
}

const matchesPerStep = 1_000;

/** All matches of a pattern with its groups; those that took no part are empty. */
export function* allMatches(text: string, pattern: RegExp): Steps<string[][]> {
  const found: string[][] = [];
  for (const match of text.matchAll(pattern))
    if (found.push(match.map((group) => group ?? '')) % matchesPerStep === 0) yield;
  yield;
  return found;
}

/** What all matches of a pattern have in their last group, or are where there is none; `isName` is asked of each match. */
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

/** Calls `see` with each line, without the line feed that ends it, until it says that the rest does not matter. */
export function* eachLine(text: string, see: (line: string) => boolean | undefined): Steps<void> {
  let lines = 0;
  for (let start = 0; start <= text.length; lines += 1) {
    const end = text.indexOf('\n', start);
    if (see(text.slice(start, end < 0 ? undefined : end)) === false || end < 0) return;
    start = end + 1;
    if (lines % matchesPerStep === 0) yield;
  }
}

type Find<Value> = (directory: string, lookup: Lookup) => Promise<Value>;

/** For one request a workspace stays as it is: what holds for a directory is found out once per lookup. */
export function oncePerDirectory<Value>(find: Find<Value>): Find<Value> {
  const inLookup = onceForEach((lookup: Lookup) => onceForEach((path: string) => find(path, lookup)), new WeakMap());
  return (directory, lookup) => inLookup(lookup)(directory);
}
