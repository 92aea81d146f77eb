/**
 * What a file in the syntax of `.gitignore` leaves out (gitignore(5)). Our own globs match, never a regular expression made
 * of what a repository wrote (S-52). Letter case does not matter for what leaves out, and does for what brings back: so a
 * file is left out wherever it is with or without regard to letter case.
 */
import { baseName } from '../access/paths.ts';
import { type ComparedPath, comparedPath, compileIgnorePattern } from '../globs/ignore-pattern.ts';
import type { Steps } from '../pace/turns.ts';

/** What is asked about: base name and path relative to the directory of the file; `names` are absolute. */
type IgnoreTarget = Readonly<{ name: ComparedPath; path: ComparedPath; names: readonly string[] }>;

/** One line. */
export type IgnoreRule = Readonly<{
  /** As written, and where. */
  pattern: string;
  line: number;
  ignores: boolean;
  directoriesOnly: boolean;
  matches(target: IgnoreTarget): boolean;
}>;

/** The rules of one file, below those of the directories above. `directory` has the form of the paths that are asked about. */
export type IgnoreRules = Readonly<{ directory: string; rules: readonly IgnoreRule[]; above?: IgnoreRules }>;

/** Lines that nothing matches, and why. */
export type UnusableLine = Readonly<{ line: number; message: string }>;
type ParsedIgnoreFile = { rules: IgnoreRule[]; unusable: UnusableLine[]; isTooLong: boolean };

/** A longer line says nothing that people write. */
const longestLine = 1_100;

/** So many hostile lines are read, or compared with a path, in few milliseconds. */
const linesOfStep = 16;

/** Lines that cannot be understood leave nothing out, as in git. `isTooLong`: some lines were not read at all. */
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
 * Whether an entry is left out: the last line that fits decides, in the nearest file in which any fits. A directory that
 * is left out must not be entered, since nothing below it can be brought back.
 */
export function* decideIgnored(path: string, isDirectory: boolean, nearest: IgnoreRules): Steps<boolean> {
  for (let file: IgnoreRules | undefined = nearest; file !== undefined; file = file.above) {
    const rule = yield* findRule(path, { isDirectory }, file);
    if (rule !== undefined) return rule.ignores;
  }
  return false;
}

/** The last line of one file that fits. */
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

/** A line without its end; nothing for an empty one and a comment. */
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
    ...{ pattern: shown, line, ignores, directoriesOnly },
    matches: isAnchored ? ({ path }) => fits(path) : ({ name }) => fits(name),
  };
}

/** Spaces at the end count only behind a backslash. */
function withoutEndingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  if (end === line.length) return line;
  let backslashes = 0;
  while (line[end - 1 - backslashes] === '\\') backslashes += 1;
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end);
}
