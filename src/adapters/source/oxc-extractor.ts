/** Extracts imports and definitions of TypeScript and JavaScript with oxc. */
import { type ParseResult, parseSync } from 'oxc-parser';
import type { ImportStatement, ParsedSource, SourceLanguage } from '../../ports/parsed-source.ts';
import { fixedLimits } from '../../settings.ts';
import { withoutMark } from '../../texts/decode-text.ts';
import { findDefinitions } from './oxc-definitions.ts';
import { findImports } from './oxc-imports.ts';
import { lineStarts } from './source-rows.ts';

const limits = fixedLimits.sources;

/** How often a text with syntax errors is parsed again, each time with one more blanked line. */
const maxRepairs = 12;

type Parse = (text: string) => ParseResult;
type LineOf = (offset: number) => number;

/** `markup`: the text around the scripts of a component, which uses what they import. */
type OxcExtractor = (source: string, markup?: string) => ParsedSource;

/** Accepts JSX in JavaScript, whatever the extension is. */
export function createOxcExtractor(language: SourceLanguage): OxcExtractor {
  const lang = language === 'typescript' ? 'ts' : language === 'tsx' ? 'tsx' : 'jsx';
  const parse: Parse = (text) => parseSync(`source.${lang}`, text, { lang });
  return (source, markup = '') => {
    const text = withoutMark(source);
    const lineOf = createLineFinder(text);
    const first = parse(text);
    if (text.length > limits.treeCharacters) return { imports: staticImports(first, lineOf), definitions: [] };
    const result = isUsable(first) ? first : repair(text, first, parse);
    if (!isUsable(result)) return { imports: staticImports(result, lineOf), definitions: [] };
    const { program, comments } = result;
    try {
      // Blanked lines do not move the offsets of the text.
      const { imports, exports } = findImports(program, { lineOf, markup });
      const definitions = findDefinitions(program, { text, comments, lineOf, max: limits.ofEach });
      return {
        imports: imports.slice(0, limits.ofEach),
        definitions,
        exports: exports.length === 0 ? undefined : exports.slice(0, limits.ofEach),
      };
    } catch (error) {
      // The tree is too deep to walk.
      if (error instanceof RangeError) return { imports: staticImports(result, lineOf), definitions: [] };
      throw error;
    }
  };
}

/** For a text with errors, the parser often returns no tree at all. */
function isUsable(result: ParseResult): boolean {
  return result.errors.length === 0 || result.program.body.length > 0;
}

/**
 * Blanks lines until the parser reaches the end of the text. Candidates are the lines that the parser names as the
 * cause, or the line above (for an unfinished statement). Each time, the one that lets the parser get furthest is
 * blanked. Returns the attempt that got furthest.
 */
function repair(text: string, broken: ParseResult, parse: Parse): ParseResult {
  let best = { text, result: broken, reached: errorOffset(broken) };
  for (let repairs = 0; repairs < maxRepairs && best.reached !== undefined; repairs += 1) {
    const { text: current, result: failed, reached } = best;
    const lineStart = lineStartOf(current, reached);
    const labelled = (failed.errors[0]?.labels ?? []).map(({ start }) => lineStartOf(current, start));
    const attempts = [...new Set([...labelled, previousLine(current, lineStart)])].map((start) => {
      const blanked = blankLine(current, start);
      const result = parse(blanked);
      return { text: blanked, result, reached: isUsable(result) ? Number.POSITIVE_INFINITY : errorOffset(result) };
    });
    const next = attempts.reduce((a, b) => ((b.reached ?? 0) > (a.reached ?? 0) ? b : a));
    if (isUsable(next.result)) return next.result;
    if (next.text === current) break;
    best = next;
  }
  return best.result;
}

function errorOffset({ errors }: ParseResult): number | undefined {
  return errors[0]?.labels[0]?.start;
}

function lineStartOf(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** The beginning of the last line before `lineStart` that contains code. */
function previousLine(text: string, lineStart: number): number {
  let start = lineStart;
  while (start > 0) {
    start = lineStartOf(text, start - 1);
    if (!/^\s*(?:\/[/*]|\*|$)/u.test(text.slice(start, lineEndOf(text, start)))) break;
  }
  return start;
}

function lineEndOf(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end === -1 ? text.length : end;
}

function blankLine(text: string, start: number): string {
  const end = lineEndOf(text, start);
  return `${text.slice(0, start)}${' '.repeat(end - start)}${text.slice(end)}`;
}

/** The imports that the parser recorded before it gave up. */
function staticImports({ module }: ParseResult, lineOf: LineOf): ImportStatement[] {
  return module.staticImports
    .filter(({ moduleRequest }) => moduleRequest.value !== '')
    .slice(0, limits.ofEach)
    .map(({ moduleRequest, entries, start }) => ({
      specifier: moduleRequest.value,
      names: entries.flatMap(({ importName: { kind, name } }) =>
        kind === 'NamespaceObject' ? [] : [kind === 'Default' ? 'default' : (name ?? 'default')],
      ),
      line: lineOf(start),
      form: 'import',
    }));
}

function createLineFinder(text: string): LineOf {
  const starts = lineStarts(text);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
