/**
 * The only glob matcher. No regular expression is ever built from a foreign pattern and nothing backtracks; the cost of
 * compiling and of matching is bounded for every pattern (CC-17, S-36, S-52 … S-54).
 *
 * What a pattern means:
 * - Letter case and Unicode composition never matter. Names that begin with a dot are names like any other.
 * - `*` any characters of one segment, also none; `?` one character; `[a-z_]`, `[!…]`, `[^…]` one character of a class.
 *   None of them matches `/` or a `..` segment. `[[]`, `[{]`, `[*]` are the special characters as text.
 * - `**` as a whole segment: any number of segments, also none, `..` among them; at the end at least one: `x/**` is what
 *   lies below `x`, not `x`. Inside a segment it is `*`.
 * - `{a,b}` and `{a|b}`: either one; parts may be empty, contain `/`, and nest. `{css}` is `css`; `{1..5}`, `{a..e}` each one.
 * - A pattern whose last segment is plain text names a file, or a directory with all that lies below it; with a trailing
 *   `/`, only what lies below.
 * - `\` is a separator; a leading `./`, an inner `/./` and repeated `/` do not count.
 * - Anything else is text: `{` and `[` that nothing closes, `{}`, a leading `!`, `@(a|b)`, `[[:alpha:]]`.
 */

import { createAutomaton } from './automaton.ts';
import { foldCase, foldCodePoint } from './fold-case.ts';
import { type Alternative, type GlobProblem, isLiteral, readGlob, token } from './syntax.ts';

export type { GlobProblem };

/**
 * A compiled pattern. Paths are `/`-separated without a leading `./` or a trailing `/`. They begin with `/` exactly
 * when the pattern is absolute (otherwise nothing matches); relative ones may begin with `..` segments.
 */
export type Glob = {
  /** The pattern as written. */
  readonly pattern: string;
  /** It has a `/` other than a trailing one; without, a rule also looks at base names (CC-28). */
  readonly hasSlash: boolean;
  /**
   * Every alternative begins with `/`, or the pattern with `~/` (which is for the caller to expand). When only some
   * alternatives begin with `/`, these are relative like the others.
   */
  readonly isAbsolute: boolean;
  /** Some alternative has a `..` segment, however it is spelled. */
  readonly hasParentSegment: boolean;
  /**
   * The literal directories with which all alternatives begin, in the letter case of the pattern: where a walk can
   * start.
   */
  readonly literalBase: string;
  /** About the bytes that it takes after many different matches. */
  readonly weight: number;
  matches(path: string): boolean;
  /**
   * False only when no path strictly below `directory` can match. `''` and `.` mean the directory that paths are
   * relative to.
   */
  mayMatchBelow(directory: string): boolean;
};

const defaultMaxLength = 512;

/** Compiles a pattern of at most `maxLength` characters (512). Never throws; the result can be kept and used again. */
export function compileGlob(
  pattern: string,
  options?: { maxLength?: number },
): { glob: Glob } | { problem: GlobProblem } {
  const maxLength = options?.maxLength ?? defaultMaxLength;
  if (pattern.length > maxLength)
    return { problem: { code: 'pattern_too_long', message: `it is longer than ${maxLength} characters` } };
  const text = pattern.normalize('NFC').replaceAll('\\', '/');
  const read = readGlob(text);
  if ('problem' in read) return read;
  const { alternatives, classes } = read;
  const isHome = text === '~' || text.startsWith('~/');
  const isAbsolute = isHome || (alternatives.length > 0 && alternatives.every((each) => each.isAbsolute));
  const { run, weight } = createAutomaton(alternatives, classes, { isAbsolute });
  // The cheap check first: `**/*.ts` is mostly compared with files of other types.
  const endings = [...new Set(alternatives.map(literalEnding))];
  const glob: Glob = {
    pattern,
    hasSlash: text.slice(0, -1).includes('/'),
    isAbsolute,
    hasParentSegment: alternatives.some(({ segments }) => segments.some((segment) => segment[0] === token.parent)),
    literalBase: (isAbsolute && !isHome ? '/' : '') + commonDirectories(alternatives),
    weight,
    matches: (path) => {
      if (path === '' || path === '.' || path.startsWith('/') !== isAbsolute) return false;
      const folded = foldCase(path);
      return (endings.includes('') || endings.some((ending) => folded.endsWith(ending))) && run(folded) === 'match';
    },
    mayMatchBelow: (directory) => {
      if (directory.startsWith('/') !== isAbsolute) return false;
      // Relative paths without `..` are also below an ancestor.
      if (directory === '..' || directory.endsWith('/..')) return true;
      const isBase = directory === '' || directory === '.' || directory === '/';
      return run(isBase ? directory.replace('.', '') : `${foldCase(directory)}/`) !== 'dead';
    },
  };
  return { glob };
}

function commonDirectories(alternatives: readonly Alternative[]): string {
  const [first = [], ...others] = alternatives.map(({ segments }) => {
    const names = segments.slice(0, -1).map(literalName);
    return names.includes(undefined) ? names.slice(0, names.indexOf(undefined)) : names;
  });
  return commonBeginning(first, others).join('/');
}

/** The names with which all lists begin. */
export function commonBeginning<Name>(first: readonly Name[], others: readonly (readonly Name[])[]): readonly Name[] {
  const differing = first.findIndex((name, at) => others.some((other) => other[at] !== name));
  return differing < 0 ? first : first.slice(0, differing);
}

function literalName(segment: readonly number[]): string | undefined {
  if (segment[0] === token.parent) return '..';
  return isLiteral(segment) ? String.fromCodePoint(...segment) : undefined;
}

/** The folded end of all paths that an alternative matches. Empty if it is unknown. */
function literalEnding({ segments }: Alternative): string {
  const last = segments.at(-1) ?? [];
  if (isLiteral(last)) return '';
  return String.fromCodePoint(...last.slice(last.findLastIndex((each) => each < 0) + 1).map(foldCodePoint));
}
