/**
 * What a `.gitignore` leaves out (gitignore(5)), for suggesting files only: a file it leaves out can still be named. Our
 * own globs match, never a regular expression made of what a repository wrote (S-52), so letter case does not matter.
 */
import { foldCase } from '../fold-case.ts';
import { compileGlob } from '../globs.ts';

/** One line. `matches` is asked with the base name and the path relative to the directory of the file, both folded. */
type IgnoreRule = Readonly<{
  ignores: boolean;
  directoriesOnly: boolean;
  matches(name: string, relativePath: string): boolean;
}>;

/** The rules of one file, below those of the directories above. `directory` is relative to the mounted directory. */
export type IgnoreRules = Readonly<{ directory: string; rules: readonly IgnoreRule[]; above?: IgnoreRules }>;

/** More lines of one file are not looked at. */
export const maxIgnoreLines = 1_000;

/** Lines that cannot be understood leave nothing out. */
export function parseIgnoreFile(text: string): readonly IgnoreRule[] {
  return text.split('\n', maxIgnoreLines).flatMap((line) => parseLine(line) ?? []);
}

/**
 * Whether an entry is left out: the last line that fits decides, in the nearest file in which any fits. A directory that
 * is left out must not be entered, since nothing below it can be brought back.
 */
export function isIgnored(relativePath: string, isDirectory: boolean, nearest: IgnoreRules | undefined): boolean {
  if (nearest === undefined) return false;
  const path = foldCase(relativePath);
  const name = path.slice(path.lastIndexOf('/') + 1);
  for (let file: IgnoreRules | undefined = nearest; file !== undefined; file = file.above) {
    const below = file.directory === '' ? path : path.slice(foldCase(file.directory).length + 1);
    const rule = file.rules.findLast((each) => (isDirectory || !each.directoriesOnly) && each.matches(name, below));
    if (rule !== undefined) return rule.ignores;
  }
  return false;
}

function parseLine(line: string): IgnoreRule | undefined {
  // Spaces at the end count only behind a backslash.
  let pattern = line.replace(/\r$/u, '').replace(/(?<!\\) +$/u, '');
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const ignores = !pattern.startsWith('!');
  if (!ignores) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const isAnchored = pattern.includes('/');
  const matches = pattern === '' ? undefined : compileLine(pattern.replace(/^\//u, ''), isAnchored);
  return matches && { ignores, directoriesOnly, matches };
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
  const units: string[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at] as string;
    if (character === '\\') {
      at += 1;
      const next = pattern[at];
      if (next === undefined || next === '/') return undefined;
      units.push(asText(next));
    } else if (character === '[') {
      const end = pattern.indexOf(']', at + (/^\[[!^]?\]/u.test(pattern.slice(at)) ? 3 : 1));
      if (end < 0) return undefined;
      const characters = pattern.slice(at, end + 1);
      if (/[\\/]|\[:/u.test(characters)) return undefined;
      units.push(characters);
      at = end;
    } else units.push(character === '{' || character === '}' ? asText(character) : character);
  }
  const last = units.lastIndexOf('/') + 1;
  const isPlain = units.slice(last).every((unit) => unit.length === 1 && !'*?'.includes(unit));
  // A class of one character is not plain text any more.
  const at = isPlain ? units.findIndex((unit, index) => index >= last && !'!^]-'.includes(unit)) : -1;
  if (at >= 0) units[at] = `[${units[at]}]`;
  return units.join('');
}

/** One character that means itself. */
function asText(character: string): string {
  if ('*?[{'.includes(character)) return `[${character}]`;
  return character;
}
