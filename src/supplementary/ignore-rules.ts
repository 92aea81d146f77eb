/**
 * What a `.gitignore` leaves out (gitignore(5)), for suggesting files only: a file it leaves out can still be named. Our
 * own globs match, never a regular expression made of what a repository wrote (S-52), so letter case does not matter.
 */
import { foldCase } from '../globs/fold-case.ts';
import { compileGlob } from '../globs/globs.ts';
import type { Steps } from '../pace/turns.ts';
import { fixedLimits } from '../settings.ts';

/** One line. `matches` is asked with the base name and the path relative to the directory of the file, both folded. */
type IgnoreRule = Readonly<{
  ignores: boolean;
  directoriesOnly: boolean;
  matches(name: string, relativePath: string): boolean;
}>;

/** The rules of one file, below those of the directories above. `directory` is relative to the mounted directory. */
export type IgnoreRules = Readonly<{ directory: string; rules: readonly IgnoreRule[]; above?: IgnoreRules }>;

/** No name is as long as what a longer line means, and globs are not either. */
const longestLine = 1_100;

/** So many hostile lines are read, or compared with a path, in few milliseconds. */
const linesOfStep = 16;

/** Lines that cannot be understood leave nothing out. */
export function* parseIgnoreFile(text: string): Steps<readonly IgnoreRule[]> {
  const rules: IgnoreRule[] = [];
  for (const [at, line] of text.split('\n', fixedLimits.supplementary.ignoreLines).entries()) {
    if (at % linesOfStep === linesOfStep - 1) yield;
    const rule = parseLine(line);
    if (rule !== undefined) rules.push(rule);
  }
  return rules;
}

/**
 * Whether an entry is left out: the last line that fits decides, in the nearest file in which any fits. A directory that
 * is left out must not be entered, since nothing below it can be brought back.
 */
export function* decideIgnored(relativePath: string, isDirectory: boolean, nearest: IgnoreRules): Steps<boolean> {
  const path = foldCase(relativePath);
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (let file: IgnoreRules | undefined = nearest; file !== undefined; file = file.above) {
    const { directory, rules } = file;
    const below = directory === '' ? path : path.slice(foldCase(directory).length + 1);
    for (let at = rules.length - 1; at >= 0; at -= 1) {
      if (at % linesOfStep === linesOfStep - 1) yield;
      const rule = rules[at] as IgnoreRule;
      if ((isDirectory || !rule.directoriesOnly) && rule.matches(name, below)) return rule.ignores;
    }
  }
  return false;
}

function parseLine(line: string): IgnoreRule | undefined {
  if (line.length > longestLine) return undefined;
  let pattern = withoutEndingSpaces(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const ignores = !pattern.startsWith('!');
  if (!ignores) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const isAnchored = pattern.includes('/');
  const matches = pattern === '' ? undefined : compileLine(pattern.replace(/^\//u, ''), isAnchored);
  return matches && { ignores, directoriesOnly, matches };
}

/** Spaces at the end count only behind a backslash. */
function withoutEndingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, end < line.length && line[end - 1] === '\\' ? end + 1 : end);
}

const special = /[\\*?[\]{}]/u;

function compileLine(pattern: string, isAnchored: boolean): IgnoreRule['matches'] | undefined {
  // Most lines are a name or an ending; comparing text is many times cheaper.
  const ending = pattern.startsWith('*') ? pattern.slice(1) : undefined;
  if (!special.test(ending ?? pattern) && !isAnchored) {
    const folded = foldCase(ending ?? pattern);
    return ending === undefined ? (name) => name === folded : (name) => name.endsWith(folded);
  }
  const glob = toGlob(pattern);
  if (glob === undefined) return undefined;
  const compiled = compileGlob(glob);
  if ('problem' in compiled) return undefined;
  return isAnchored ? (_, path) => compiled.glob.matches(path) : (name) => compiled.glob.matches(name);
}

/**
 * The same pattern as ours are written: a backslash makes the next character text, braces are text, and a plain last
 * segment must not stand for what lies below it. Undefined for what ours cannot say.
 */
function toGlob(pattern: string): string | undefined {
  const characters = [...pattern];
  const units: { glob: string; text?: string }[] = [];
  for (let at = 0; at < characters.length; at += 1) {
    const character = characters[at] as string;
    if (character === '\\') {
      at += 1;
      const text = characters[at];
      if (text === undefined || text === '/') return undefined;
      units.push({ glob: asText(text), text });
    } else if (character === '[') {
      const isNegated = '!^'.includes(characters[at + 1] ?? ' ');
      const end = characters.indexOf(']', at + (isNegated ? 3 : 2));
      const members = characters.slice(at, end + 1).join('');
      if (end < 0 || /[\\/]|\[:/u.test(members)) return undefined;
      units.push({ glob: members });
      at = end;
    } else if ('*?/'.includes(character)) units.push({ glob: character });
    else units.push({ glob: asText(character), text: character });
  }
  const last = units.findLastIndex(({ glob }) => glob === '/') + 1;
  const first = units[last];
  // A class of two characters is no plain text, and no name contains the second.
  if (first?.text !== undefined && units.slice(last).every(({ text }) => text !== undefined))
    first.glob = first.text === ']' ? '[]\0]' : `[\0${first.text}]`;
  return units.map(({ glob }) => glob).join('');
}

/** One character that means itself. */
function asText(character: string): string {
  return '*?[{}'.includes(character) ? `[${character}]` : character;
}
