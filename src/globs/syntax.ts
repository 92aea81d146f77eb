/** Reads the text of a glob pattern. `globs.ts` says what it means. */
import { fixedLimits } from '../settings.ts';

const limits = fixedLimits.globs;
/** A token is a code point, one of these, or `firstClass - n` for the nth character class of the pattern. */
export const token = {
  anyOne: -1,
  star: -2,
  globstar: -3,
  parent: -4,
  contents: -5,
  end: -6,
  firstClass: -7,
  slash: 0x2f,
} as const;

export type Range = readonly [first: number, last: number];
export type CharacterClass = { negated: boolean; ranges: Range[] };

/** A pattern without braces. Each segment is a list of tokens. `globstar` and `parent` are always whole segments. */
export type Alternative = { segments: number[][]; isAbsolute: boolean };

/** Why a pattern cannot be used. `code` is stable. `message` continues a sentence about the pattern, for people. */
export type GlobProblem = {
  code:
    | 'pattern_too_long'
    | 'pattern_nested_too_deep'
    | 'pattern_range_too_large'
    | 'pattern_too_many_alternatives'
    | 'pattern_expands_too_far';
  message: string;
};

/** A token, or the alternatives of a brace group. */
type Node = number | Node[][];

const [dot, comma, bar, openBrace, closeBrace] = [0x2e, 0x2c, 0x7c, 0x7b, 0x7d];
export const [asterisk, questionMark, openBracket, closeBracket] = [0x2a, 0x3f, 0x5b, 0x5d];
/** Signs in a class. */
export const [exclamationMark, caret, minus, colon] = [0x21, 0x5e, 0x2d, 0x3a];

/**
 * The alternatives of a composed text with `/` separators, in time and memory bounded by the limits of globs (S-53).
 */
export function readGlob(
  text: string,
): { alternatives: Alternative[]; classes: CharacterClass[] } | { problem: GlobProblem } {
  const classes: CharacterClass[] = [];
  const nodes = parse(codePoints(text), classes);
  if ('problem' in nodes) return nodes;
  const size = measure(nodes);
  if (size.alternatives > limits.alternatives)
    return refuse(
      'pattern_too_many_alternatives',
      `its braces stand for more than ${limits.alternatives} alternatives`,
    );
  // The automaton adds at most two tokens to an alternative.
  if (size.tokens + 2 * size.alternatives > limits.tokens)
    return refuse('pattern_expands_too_far', `its braces expand it to more than ${limits.tokens} characters`);
  return { alternatives: expand(nodes).flatMap(readAlternative), classes };
}

/** A segment that only one name matches, letter case aside. */
export function isLiteral(segment: readonly number[]): boolean {
  return segment.every((each) => each >= 0 || each === token.parent);
}

function parse(text: readonly number[], classes: CharacterClass[]): Node[] | { problem: GlobProblem } {
  const root: Node[] = [];
  const open: { parts: Node[][]; separators: number[] }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as number;
    const group = open.at(-1);
    const target = group?.parts.at(-1) ?? root;
    if (character === asterisk) target.push(token.star);
    else if (character === questionMark) target.push(token.anyOne);
    else if (character === openBracket) {
      const found = readClass(text, at);
      target.push(...(found ? classTokens(found, classes) : [character]));
      at += (found?.source.length ?? 1) - 1;
    } else if (character === openBrace) {
      if (open.push({ parts: [[]], separators: [] }) > limits.nesting)
        return refuse('pattern_nested_too_deep', `it nests braces more than ${limits.nesting} deep`);
    } else if (group && (character === comma || character === bar)) {
      group.separators.push(character);
      group.parts.push([]);
    } else if (group && character === closeBrace) {
      open.pop();
      const closed = closeGroup(group.parts);
      if ('problem' in closed) return closed;
      (open.at(-1)?.parts.at(-1) ?? root).push(...closed);
    } else target.push(character);
  }
  // Unclosed groups are text, from the innermost outwards.
  for (let group = open.pop(); group; group = open.pop()) {
    const marks = [openBrace, ...group.separators];
    (open.at(-1)?.parts.at(-1) ?? root).push(...group.parts.flatMap((part, n) => [marks[n] as number, ...part]));
  }
  return root;
}

function closeGroup(parts: Node[][]): Node[] | { problem: GlobProblem } {
  const [only = []] = parts;
  if (parts.length > 1) return [parts];
  if (only.length === 0) return [openBrace, closeBrace];
  return readRange(only) ?? only;
}

/** The elements of a range such as `1..5`, `a..e` or `05..10`, in its order. Undefined for anything else. */
function readRange(nodes: readonly Node[]): Node[] | { problem: GlobProblem } | undefined {
  if (!nodes.every((node) => typeof node === 'number' && node >= 0)) return undefined;
  const [from = '', to = '', ...rest] = String.fromCodePoint(...(nodes as number[])).split('..');
  if (from === '' || to === '' || rest.length > 0) return undefined;
  const isNumeric = Number.isInteger(Number(from));
  if (isNumeric !== Number.isInteger(Number(to))) return undefined;
  if (!isNumeric && codePoints(from + to).length !== 2) return undefined;
  const [first, last] = isNumeric ? [Number(from), Number(to)] : [codePoints(from)[0] ?? 0, codePoints(to)[0] ?? 0];
  const length = Math.abs(last - first) + 1;
  if (length > limits.rangeElements)
    return refuse('pattern_range_too_large', `it has a range of more than ${limits.rangeElements} elements`);
  const width = from.startsWith('0') || to.startsWith('0') ? Math.max(from.length, to.length) : 0;
  const values = Array.from({ length }, (_, n) => first + n * Math.sign(last - first));
  return [values.map((value) => (isNumeric ? codePoints(String(value).padStart(width, '0')) : [value]))];
}

type ClassText = CharacterClass & { isPosix: boolean; source: readonly number[] };

/** The class that begins at `start`. Its first character can be `]`. Undefined if no `]` ends it in its segment. */
function readClass(text: readonly number[], start: number): ClassText | undefined {
  const negated = text[start + 1] === exclamationMark || text[start + 1] === caret;
  const first = start + (negated ? 2 : 1);
  const last = text.indexOf(closeBracket, first + 1);
  const source = text.slice(start, last + 1);
  if (last < 0 || source.includes(token.slash)) return undefined;
  const ranges: Range[] = [];
  let isPosix = false;
  for (let at = first; at < last; at += 1) {
    const member = text[at] as number;
    if (member === openBracket && text[at + 1] === colon) isPosix = true;
    const isRange = text[at + 1] === minus && at + 2 < last;
    ranges.push([member, isRange ? (text[at + 2] as number) : member]);
    if (isRange) at += 2;
  }
  return { negated, ranges, isPosix, source };
}

/** POSIX classes are text (S-54); a class of one character is that character, so that `[.][.]` is `..` (S-36). */
function classTokens({ negated, ranges, isPosix, source }: ClassText, classes: CharacterClass[]): readonly number[] {
  if (isPosix) return source;
  const only = ranges[0]?.[0] as number;
  if (!negated && ranges.every(([first, last]) => first === only && last === only)) return [only];
  return [token.firstClass - (classes.push({ negated, ranges }) - 1)];
}

/** How many alternatives the nodes expand to, and how many tokens these have together. */
function measure(nodes: readonly Node[]): { alternatives: number; tokens: number } {
  let [alternatives, tokens] = [1, 0];
  for (const node of nodes) {
    const parts = typeof node === 'number' ? [{ alternatives: 1, tokens: 1 }] : node.map(measure);
    const width = parts.reduce((sum, part) => sum + part.alternatives, 0);
    tokens = tokens * width + alternatives * parts.reduce((sum, part) => sum + part.tokens, 0);
    alternatives *= width;
  }
  return { alternatives, tokens };
}

function expand(nodes: readonly Node[]): number[][] {
  let results: number[][] = [[]];
  for (const node of nodes) {
    if (typeof node === 'number') for (const result of results) result.push(node);
    else {
      const tails = node.flatMap(expand);
      results = results.flatMap((head) => tails.map((tail) => [...head, ...tail]));
    }
  }
  return results;
}

/**
 * Drops empty and `.` segments, recognises `..` and `**`, and adds `**` after `/` or `/.` at the end. None for an empty
 * text.
 */
function readAlternative(tokens: readonly number[]): Alternative[] {
  if (tokens.length === 0) return [];
  const written: number[][] = [[]];
  for (const each of tokens) {
    if (each === token.slash) written.push([]);
    else written.at(-1)?.push(each);
  }
  const isDots = (segment: readonly number[], count: number) =>
    segment.length === count && segment.every((each) => each === dot);
  const isNothing = (segment: readonly number[]) => segment.length === 0 || isDots(segment, 1);
  const segments = written
    .map((segment, at) => (at === written.length - 1 && isNothing(segment) ? [token.globstar] : segment))
    .filter((segment) => !isNothing(segment))
    .map((segment) => (isDots(segment, 2) ? [token.parent] : segment));
  return [{ segments: withGlobstars(segments), isAbsolute: tokens[0] === token.slash }];
}

/** Recognises `**`. Drops repeated stars and repeated `**`. */
export function withGlobstars(segments: readonly number[][]): number[][] {
  return segments
    .map((segment) => {
      if (segment.length > 1 && segment.every((each) => each === token.star)) return [token.globstar];
      return segment.filter((each, at) => each !== token.star || segment[at - 1] !== token.star);
    })
    .filter((segment, at, all) => segment[0] !== token.globstar || all[at - 1]?.[0] !== token.globstar);
}

export function codePoints(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

function refuse(code: GlobProblem['code'], message: string): { problem: GlobProblem } {
  return { problem: { code, message } };
}
