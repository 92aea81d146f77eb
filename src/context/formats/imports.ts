/** How files of other tools import others (FM-07). */
import { fixedLimits } from '../../settings.ts';
import { proseLines } from './prose.ts';

/**
 * A path after the sign of an import, on a line counted from 1. `isCertain`: this form always names a file. Otherwise
 * it may be a person, a package or a decorator, and counts only if the file exists.
 */
export type WrittenImport = Readonly<{ path: string; line: number; isCertain: boolean }>;

/**
 * `find` returns the imports of a text, at most one more than the limit of one file. `from`: whether paths are relative
 * to the importing file or to the mounted directory. A path that begins with `~/` is in the home directory.
 */
export type ImportSyntax = Readonly<{ from: 'file' | 'mounted'; find(text: string): readonly WrittenImport[] }>;

const limits = fixedLimits.imports;
const documents = ['.md', '.mdc', '.markdown', '.txt'];
/** `@/lib` and `@/home` are often modules of the project. */
const beginnings = ['./', '../', '~/', '/etc/', '/proc/', '/root/', '/tmp/', '/usr/', '/var/'];
const closingSigns = '.,;:!?)]}"\'*_';

/** The allowed first characters of a path, besides letters. */
type PathSigns = { first: string; home: boolean; readsComments: boolean };

/**
 * `@path` after white space, up to the next white space. Punctuation at the end belongs to the path, as in the tools.
 */
function atPaths({ first, home, readsComments }: PathSigns): ImportSyntax['find'] {
  const begins = (path: string): boolean =>
    isLetter(path) || (path !== '' && first.includes(path[0] as string)) || (home && path.startsWith('~/'));
  const readLine = (line: string): { path: string; isCertain: boolean }[] =>
    findIn(line, '@', (at) => {
      if (at > 0 && !isSpace(line, at - 1)) return undefined;
      let end = at + 1;
      while (end < line.length && !isSpace(line, end)) end += 1;
      const path = line.slice(at + 1, end);
      return begins(path) ? { path, end } : undefined;
    }).map((path) => ({ path, isCertain: namesFile(path) }));
  return (text) => findInProse(text, { sign: '@', readsComments, readLine });
}

function readReferences(line: string): { path: string; isCertain: boolean }[] {
  return findIn(line, referenceSign, (at) => {
    const end = line.indexOf(']]', at);
    // Where one is not closed, none behind it is.
    if (end < 0) return { path: '', end: line.length };
    return { path: line.slice(at + referenceSign.length, end).trim(), end: end + 2 };
  }).map((path) => ({ path, isCertain: true }));
}

const referenceSign = '#[[file:';

/** Claude Code: text in comments is kept from the model. */
export const claudeImports: ImportSyntax = {
  from: 'file',
  find: atPaths({ first: './_0123456789', home: true, readsComments: false }),
};

/** Gemini CLI, and Qwen Code, which descends from it: nothing in the home directory. */
export const geminiImports: ImportSyntax = {
  from: 'file',
  find: atPaths({ first: './', home: false, readsComments: true }),
};

/** Kiro: files of the workspace. */
export const kiroImports: ImportSyntax = {
  from: 'mounted',
  find: (text) => findInProse(text, { sign: referenceSign, readsComments: true, readLine: readReferences }),
};

type Reading = {
  sign: string;
  readsComments: boolean;
  readLine(line: string): { path: string; isCertain: boolean }[];
};

/** Each path once, at its first place. */
function findInProse(text: string, { sign, readsComments, readLine }: Reading): WrittenImport[] {
  if (!text.includes(sign)) return [];
  const found = new Map<string, WrittenImport>();
  let line = 0;
  for (const prose of proseLines(text, { readsComments })) {
    line += 1;
    if (!prose.includes(sign)) continue;
    for (const { path, isCertain } of readLine(prose)) {
      const isUsable = path !== '' && path.length <= limits.pathCharacters && !path.includes('\0') && !isAddress(path);
      if (isUsable && !found.has(path)) found.set(path, { path, line, isCertain });
      if (found.size > limits.ofOneFile) return [...found.values()];
    }
  }
  return [...found.values()];
}

/** Calls `take` at each place of the sign, and continues after what it took. */
function findIn(line: string, sign: string, take: (at: number) => { path: string; end: number } | undefined): string[] {
  const paths: string[] = [];
  for (let at = line.indexOf(sign); at >= 0; ) {
    const taken = take(at);
    if (taken !== undefined) paths.push(taken.path);
    at = line.indexOf(sign, taken?.end ?? at + 1);
  }
  return paths;
}

/** Text that begins like a path, and names of documents, also with punctuation at the end. */
function namesFile(path: string): boolean {
  if (beginnings.some((beginning) => path.startsWith(beginning))) return true;
  const bare = withoutClosing(path).toLowerCase();
  return documents.some((extension) => bare.endsWith(extension));
}

/** A path without punctuation at its end. */
export function withoutClosing(path: string): string {
  let end = path.length;
  while (end > 0 && closingSigns.includes(path[end - 1] as string)) end -= 1;
  return path.slice(0, end);
}

function isAddress(path: string): boolean {
  return /^(?:file|https?):\/\//iu.test(path);
}

function isLetter(path: string): boolean {
  return /^[a-z]/iu.test(path);
}

function isSpace(line: string, at: number): boolean {
  return line[at] === ' ' || line[at] === '\t';
}
