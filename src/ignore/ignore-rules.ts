/**
 * Rules of a file in the syntax of `.gitignore` (gitignore(5)). Our own globs match them. No pattern of a repository
 * becomes a regular expression (S-52). Patterns that leave out ignore letter case; patterns that include again do not.
 * So a file is left out if git leaves it out on any file system.
 */
import { baseName } from '../access/paths.ts';
import { type ComparedPath, comparedPath, compileIgnorePattern } from '../globs/ignore-pattern.ts';
import type { Steps } from '../pace/turns.ts';

/** The entry to decide about: its base name, its path relative to the ignore file, and its absolute names. */
type IgnoreTarget = Readonly<{ name: ComparedPath; path: ComparedPath; names: readonly string[] }>;

/** The rule of one line. */
export type IgnoreRule = Readonly<{
  /** The pattern as it is written. */
  pattern: string;
  line: number;
  ignores: boolean;
  directoriesOnly: boolean;
  matches(target: IgnoreTarget): boolean;
}>;

/** The rules of one file. `directory`: in the same form as the paths to decide about. `above`: the next file above. */
export type IgnoreRules = Readonly<{ directory: string; rules: readonly IgnoreRule[]; above?: IgnoreRules }>;

/** A line that matches nothing, and why. */
export type UnusableLine = Readonly<{ line: number; message: string }>;
type ParsedIgnoreFile = { rules: IgnoreRule[]; unusable: UnusableLine[]; isTooLong: boolean };

/** People do not write longer lines. */
const longestLine = 1_100;

/** Reading so many hostile lines, or comparing them with a path, takes a few milliseconds. */
const linesOfStep = 16;

/** Invalid lines leave nothing out, as in git. `isTooLong`: some lines were not read at all. */
export function* parseIgnoreFile(text: string, maxLines: number): Steps<ParsedIgnoreFile> {
  const parsed: ParsedIgnoreFile = { rules: [], unusable: [], isTooLong: false };
  const lines = text.split('\n', maxLines + 1);
  parsed.isTooLong =
    lines.length > maxLines &&
    text
      .split('\n', maxLines + 2)
      .slice(maxLines)
      .join('') !== '';
  for (const [at, line] of lines.slice(0, maxLines).entries()) {
    if (at % linesOfStep === linesOfStep - 1) yield;
    if (line.length > longestLine) {
      parsed.isTooLong = true;
      continue;
    }
    const rule = parseIgnoreLine(line, at + 1);
    if (rule === 'unusable') parsed.unusable.push({ line: at + 1, message: 'no file can have such a name' });
    else if (rule !== undefined) parsed.rules.push(rule);
  }
  return parsed;
}

/**
 * Whether an entry is left out. The nearest file with a matching line decides, by its last matching line. Do not enter
 * a directory that is left out: nothing below it can be included again.
 */
export function* decideIgnored(path: string, isDirectory: boolean, nearest: IgnoreRules): Steps<boolean> {
  for (let file: IgnoreRules | undefined = nearest; file !== undefined; file = file.above) {
    const rule = yield* findRule(path, { isDirectory }, file);
    if (rule !== undefined) return rule.ignores;
  }
  return false;
}

/** The last matching rule of one file. */
export function* findRule(
  path: string,
  { isDirectory, names = [] }: { isDirectory: boolean; names?: readonly string[] },
  { directory, rules }: Pick<IgnoreRules, 'directory' | 'rules'>,
): Steps<IgnoreRule | undefined> {
  const below = path.slice(directory === '' || directory === '/' ? directory.length : directory.length + 1);
  const compared = comparedPath(below);
  const name = comparedPath(baseName(below));
  const target = { name, path: compared, names };
  for (let at = rules.length - 1; at >= 0; at -= 1) {
    if (at % linesOfStep === linesOfStep - 1) yield;
    const rule = rules[at] as IgnoreRule;
    if ((isDirectory || !rule.directoriesOnly) && rule.matches(target)) return rule;
  }
  return undefined;
}

/** The rule of a line. Undefined for an empty line and a comment. */
export function parseIgnoreLine(written: string, line: number): IgnoreRule | 'unusable' | undefined {
  let pattern = withoutEndingSpaces(written.endsWith('\r') ? written.slice(0, -1) : written);
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const shown = pattern;
  const ignores = !pattern.startsWith('!');
  if (!ignores) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const isAnchored = pattern.includes('/');
  const bare = pattern.startsWith('/') ? pattern.slice(1) : pattern;
  const compiled = bare === '' ? undefined : compileIgnorePattern(bare);
  if (compiled === undefined) return 'unusable';
  const { matches, matchesExactly } = compiled;
  const fits = ignores ? matches : matchesExactly;
  return {
    pattern: shown,
    line,
    ignores,
    directoriesOnly,
    matches: isAnchored ? ({ path }) => fits(path) : ({ name }) => fits(name),
  };
}

/** A space at the end counts only after a backslash. */
function withoutEndingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes += 1;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}
