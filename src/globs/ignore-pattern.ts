/**
 * Patterns of gitignore(5), on the same automaton as globs: no regular expression, and a bounded time for any pattern
 * and path (S-52). Here, braces are text, a backslash makes the next character text, and a name matches nothing below
 * it.
 */
import { createAutomaton } from './automaton.ts';
import { foldCase } from './fold-case.ts';
import {
  type Alternative,
  asterisk,
  type CharacterClass,
  caret,
  closeBracket,
  codePoints,
  colon,
  exclamationMark,
  minus,
  openBracket,
  questionMark,
  type Range,
  token,
  withGlobstars,
} from './syntax.ts';

/** A path in the forms that patterns are compared with: as it is written, and with folded letter case. */
export type ComparedPath = Readonly<{ exact: string; folded: string }>;

export function comparedPath(path: string): ComparedPath {
  return { exact: path.normalize('NFC'), folded: foldCase(path) };
}

/**
 * `matches` ignores letter case, `matchesExactly` does not. A class such as `[!a]` matches less with folded letter
 * case. So with such a class, `matches` means that one of the two forms matches, and `matchesExactly` that both do.
 */
type IgnorePattern = Readonly<{
  matches(path: ComparedPath): boolean;
  matchesExactly(path: ComparedPath): boolean;
}>;

const special = /[\\*?[]/u;

/**
 * Undefined for a pattern that matches nothing, because of an unclosed class or a backslash at the end. The pattern
 * must not begin with a slash. Paths must not begin or end with one.
 */
export function compileIgnorePattern(pattern: string): IgnorePattern | undefined {
  // Most patterns are a name or an ending. Comparing text is many times cheaper.
  const ending = pattern.startsWith('*') ? pattern.slice(1) : undefined;
  const isPlain = !special.test(ending ?? pattern) && !(ending ?? '').includes('/');
  if (isPlain && ending !== undefined) {
    const text = comparedPath(ending);
    const isOneSegment = (path: string): boolean => !path.includes('/');
    return {
      matches: ({ folded }) => folded.endsWith(text.folded) && isOneSegment(folded),
      matchesExactly: ({ exact }) => exact.endsWith(text.exact) && isOneSegment(exact),
    };
  }
  if (isPlain) {
    const text = comparedPath(pattern);
    return {
      matches: ({ folded }) => folded === text.folded,
      matchesExactly: ({ exact }) => exact === text.exact,
    };
  }
  return compileGlobbing(pattern);
}

function compileGlobbing(pattern: string): IgnorePattern | undefined {
  const read = readPattern(pattern.normalize('NFC'));
  if (read === undefined) return undefined;
  const { alternative, classes } = read;
  // Made when they are first needed. Most patterns never need the second one.
  const once = (isCaseSensitive: boolean) => {
    let automaton: ReturnType<typeof createAutomaton> | undefined;
    return (text: string): boolean => {
      automaton ??= createAutomaton([alternative], classes, { isCaseSensitive, isOneName: true });
      return automaton.run(text) === 'match';
    };
  };
  const [folds, isSame] = [once(false), once(true)];
  if (!classes.some(({ negated }) => negated))
    return { matches: ({ folded }) => folds(folded), matchesExactly: ({ exact }) => isSame(exact) };
  return {
    matches: ({ exact, folded }) => folds(folded) || isSame(exact),
    matchesExactly: ({ exact, folded }) => isSame(exact) && folds(folded),
  };
}

/** Reads segments of tokens. Several stars count as one, unless they are a whole segment. */
function readPattern(pattern: string): { alternative: Alternative; classes: CharacterClass[] } | undefined {
  const text = codePoints(pattern);
  const classes: CharacterClass[] = [];
  const segments: number[][] = [[]];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as number;
    const segment = segments.at(-1) as number[];
    if (character === backslash) {
      at += 1;
      const escaped = text[at];
      if (escaped === undefined) return undefined;
      if (escaped === token.slash) segments.push([]);
      else segment.push(escaped);
    } else if (character === token.slash) segments.push([]);
    else if (character === asterisk) segment.push(token.star);
    else if (character === questionMark) segment.push(token.anyOne);
    else if (character === openBracket) {
      const read = readClass(text, at);
      if (read === undefined) return undefined;
      segment.push(token.firstClass - (classes.push(read.members) - 1));
      at = read.end;
    } else segment.push(character);
  }
  return { alternative: { segments: withGlobstars(segments), isAbsolute: false }, classes };
}

/** The class that begins at `start`, and the position of its `]`. Its first member can be `]`. No class matches `/`. */
function readClass(text: readonly number[], start: number): { members: CharacterClass; end: number } | undefined {
  const negated = text[start + 1] === exclamationMark || text[start + 1] === caret;
  const first = start + (negated ? 2 : 1);
  const ranges: Range[] = [];
  let before: number | undefined;
  for (let at = first; at < text.length; at += 1) {
    let member = text[at] as number;
    if (member === closeBracket && at > first) return { members: { negated, ranges }, end: at };
    const isRange = member === minus && before !== undefined && (text[at + 1] ?? closeBracket) !== closeBracket;
    if (isRange) at += 1;
    if (isRange || member === backslash) {
      if (text[at] === backslash) at += 1;
      if (text[at] === undefined) return undefined;
      member = text[at] as number;
    } else if (member === openBracket && text[at + 1] === colon) {
      const named = readNamedClass(text, at + 2);
      if (named === 'unknown') return undefined;
      if (named !== undefined) {
        ranges.push(...named.ranges);
        at = named.end;
        before = undefined;
        continue;
      }
    }
    ranges.push([isRange ? (before as number) : member, member]);
    before = isRange ? undefined : member;
  }
  return undefined;
}

/** Reads a name such as `[:alpha:]`. Undefined if there is none, so that the characters are members. */
function readNamedClass(
  text: readonly number[],
  start: number,
): { ranges: readonly Range[]; end: number } | 'unknown' | undefined {
  const end = text.indexOf(closeBracket, start);
  if (end < 0) return 'unknown';
  if (end === start || text[end - 1] !== colon) return undefined;
  const ranges = namedClasses.get(String.fromCodePoint(...text.slice(start, Math.min(end - 1, start + 16))));
  return ranges === undefined ? 'unknown' : { ranges, end };
}

const backslash = 0x5c;

const digits: Range = [0x30, 0x39];
const capitals: Range = [0x41, 0x5a];
const small: Range = [0x61, 0x7a];
const space: Range = [0x20, 0x20];
// biome-ignore format: a table of ranges.
const namedClasses: ReadonlyMap<string, readonly Range[]> = new Map([
  ['alnum', [digits, capitals, small]],
  ['alpha', [capitals, small]],
  ['blank', [[0x09, 0x09], space]],
  ['cntrl', [[0x00, 0x1f], [0x7f, 0x7f]]],
  ['digit', [digits]],
  ['graph', [[0x21, 0x7e]]],
  ['lower', [small]],
  ['print', [[0x20, 0x7e]]],
  ['punct', [[0x21, 0x2f], [0x3a, 0x40], [0x5b, 0x60], [0x7b, 0x7e]]],
  ['space', [[0x09, 0x0d], space]],
  ['upper', [capitals]],
  ['xdigit', [digits, [0x41, 0x46], [0x61, 0x66]]],
]);
