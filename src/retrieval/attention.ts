/**
 * Finds what the user works on in a document: the names under the cursor or in the selection, and the names near it.
 */
import { z } from 'zod';
import type { ImportStatement } from '../ports/parsed-source.ts';
import { afterLast } from '../texts/after-last.ts';
import type { ImportTarget } from './imports/import.ts';

export const Position = z
  .strictObject({
    line: z.int().min(0).max(10_000_000).describe('Line, counted from 0.'),
    column: z.int().min(0).max(10_000_000).describe('UTF-16 code unit in the line, counted from 0.'),
  })
  .meta({ id: 'Position', description: 'A position in a text, counted as in editors and language servers.' });
type Position = z.infer<typeof Position>;

export type Focus = {
  cursor?: Position | undefined;
  selection?: { start: Position; end: Position } | undefined;
};

/**
 * `under`: names under the cursor or in the selection. `meant`: those of them in code, not only in an import. `near`:
 * names in the lines around. `words`: the words of each import statement, by its line.
 */
export type Attention = Readonly<{
  words: ReadonlyMap<number, readonly string[]>;
  under: ReadonlySet<string>;
  meant: ReadonlySet<string>;
  near: ReadonlySet<string>;
}>;

const linesAround = 12;
const selectedLines = 200;
const lineCharacters = 2_000;
/** Only the beginning of a longer import statement counts. */
const statementLines = 40;
const statementCharacters = 2_000;
const opening = new Set('({');
const closing = new Set(')}');
/** Words of import statements that are not names, of all parsed languages. */
const keywords = new Set([
  ...['as', 'async', 'await', 'const', 'export', 'from', 'function', 'import', 'let', 'require', 'return', 'type'],
  ...['typeof', 'var', 'include', 'require_relative', 'package', 'static', 'crate', 'extern', 'mod', 'pub', 'self'],
  ...['super', 'use', 'using', 'global'],
]);
/** In C#, Elixir, PHP, Ruby, Nuxt and tests of pytest, code uses names without a statement that imports them. */
const unwritten = new Set<string | undefined>(
  'auto call constants extension file fixtures functions modules namespace own qualified qualified-function'.split(' '),
);

/** Undefined without a cursor and a selection. `targets`: what the text imports. */
export function attentionTo(
  text: string,
  { cursor, selection }: Focus,
  targets: readonly ImportTarget[],
): Attention | undefined {
  if (cursor === undefined && selection === undefined) return undefined;
  const lines = text.split('\n');
  const all = new Set(targets.flatMap(({ statements: own = [] }) => own));
  const statements = [...all].filter(({ form }) => !unwritten.has(form));
  const imports = placesOf(statements, lines);
  const code = lines.map((line, at) => (imports.has(at) ? '' : line));
  const from = selection?.start ?? (cursor as Position);
  const to = selection?.end ?? (cursor as Position);
  const namesUnder = (those: readonly string[]): Set<string> =>
    new Set([
      ...(cursor === undefined ? [] : nameAt(those[cursor.line], cursor.column)),
      ...(selection === undefined ? [] : namesBetween(those, selection)),
    ]);
  return {
    words: wordsOf(statements, lines),
    under: namesUnder(lines),
    meant: namesUnder(code),
    near: namesIn(code.slice(Math.max(0, from.line - linesAround), to.line + linesAround + 1)),
  };
}

/** Imports of names under the cursor first, then of names near it, then the others. Otherwise the order stays. */
export function sortByAttention(targets: readonly ImportTarget[], attention: Attention): ImportTarget[] {
  const rank = (target: ImportTarget): number => {
    const names = namesOf(target, attention);
    const isAmong = (those: ReadonlySet<string>): boolean => names.some((name) => those.has(name));
    return isAmong(attention.under) ? 0 : isAmong(attention.near) ? 1 : 2;
  };
  const ranked = Map.groupBy(targets, rank);
  return [0, 1, 2].flatMap((each) => ranked.get(each) ?? []);
}

/** The imported names that are meant. All names of the file, if it is imported under a name that is meant. */
export function namesMeant(target: ImportTarget, attention: Attention): ReadonlySet<string> {
  const meant = target.names.filter((name) => attention.meant.has(name) || attention.meant.has(afterLast(name, '.')));
  if (meant.length > 0) return new Set(meant);
  const isMeant = namesOf(target, attention).some((name) => attention.meant.has(name));
  return new Set(isMeant ? target.names : []);
}

/** The names in the imported file, and those in its import statements. */
function namesOf({ names, statements = [] }: ImportTarget, { words }: Attention): string[] {
  return [
    ...names,
    ...names.map((name) => afterLast(name, '.')),
    ...statements.flatMap(({ line }) => words.get(line) ?? []),
  ];
}

/**
 * The words of each statement, by its line, that no other statement has. Words of module specifiers are compared
 * separately, because several statements can name the same module or a similar one (`Button.tsx`, `Button.css`).
 */
function wordsOf(statements: readonly ImportStatement[], lines: readonly string[]): Map<number, string[]> {
  const own = [...Map.groupBy(statements, ({ line }) => line)].map(([line, those]) => {
    const [longest = []] = those.map((each) => linesOf(each, lines)).sort((a, b) => b.length - a.length);
    const words = wordsIn(longest).filter((word) => !keywords.has(word));
    const module = wordsIn(those.map(({ specifier }) => specifier));
    return { line, words: new Set(words), module: new Set(module), others: new Set(without(words, module)) };
  });
  const modules = new Set(statements.map(({ specifier }) => specifier));
  const inModules = countsOf([...modules].flatMap((specifier) => [...namesIn([specifier])]));
  const inOthers = countsOf(own.flatMap(({ others }) => [...others]));
  const isOwn = (word: string, { module, others }: (typeof own)[number]): boolean =>
    (module.has(word) && inModules.get(word) === 1) || (others.has(word) && inOthers.get(word) === 1);
  return new Map(own.map((each) => [each.line, [...each.words].filter((word) => isOwn(word, each))]));
}

/** Each word in `removed` removes one equal word. */
function without(words: readonly string[], removed: readonly string[]): string[] {
  const left = countsOf(removed);
  return words.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count <= 0;
  });
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/**
 * The lines of statements, counted from 0, until their brackets are closed. `import()` counts as code, also in a type.
 * A `require` has only its own line, because it is inside code, which can open brackets before.
 */
function placesOf(statements: readonly ImportStatement[], lines: readonly string[]): Set<number> {
  const places = new Set<number>();
  for (const { line, form } of statements) {
    const most = form?.startsWith('require') ? 1 : statementLines;
    // Lines of an earlier statement are already included.
    if (places.has(line - 1) || isInCode(form, lines[line - 1])) continue;
    let depth = 0;
    for (const [at, text] of lines.slice(line - 1, line - 1 + most).entries()) {
      places.add(line - 1 + at);
      for (const each of text.slice(0, lineCharacters)) depth += opening.has(each) ? 1 : closing.has(each) ? -1 : 0;
      if (depth <= 0) break;
    }
  }
  return places;
}

function isInCode(form: string | undefined, line = ''): boolean {
  return form === 'dynamic' || (form === 'type' && line.includes('import('));
}

/** From the first line of a statement to the line with its specifier. */
function linesOf({ line, specifier }: ImportStatement, lines: readonly string[]): string[] {
  let left = statementCharacters;
  const own = lines.slice(line - 1, line - 1 + statementLines).map((each) => {
    const beginning = each.slice(0, left);
    left -= beginning.length;
    return beginning;
  });
  const last = own.findIndex((each) => each.includes(specifier));
  return last < 0 ? own.slice(0, 1) : own.slice(0, last + 1);
}

function namesIn(lines: readonly string[]): Set<string> {
  return new Set(wordsIn(lines));
}

function wordsIn(lines: readonly string[]): string[] {
  return lines.flatMap((whole) => {
    const line = whole.slice(0, lineCharacters);
    return [...(line.match(plainName) ?? []), ...(line.match(kebabTag) ?? []).map(nameOfTag)];
  });
}

function namesBetween(lines: readonly string[], { start, end }: { start: Position; end: Position }): Set<string> {
  const selected = lines.slice(start.line, Math.min(end.line + 1, start.line + selectedLines));
  const last = selected.length - 1;
  return namesIn(
    selected.map((line, at) =>
      line.slice(at === 0 ? start.column : 0, at === last && start.line + at === end.line ? end.column : undefined),
    ),
  );
}

/** The name at a column, or directly before it. */
function nameAt(line = '', column: number): string[] {
  return matchNames(line).flatMap(({ name, start, end }) => (start <= column && column <= end ? [name] : []));
}

const plainName = /[\p{L}_$][\p{L}\p{N}_$]*/gu;

/** `<pretty-button>` is `PrettyButton`, as in Vue. */
const kebabTag = /(?<=<\/?)[a-z][a-z0-9]{0,99}(?:-[a-z0-9]{1,99}){1,9}/gu;

function nameOfTag(tag: string): string {
  return tag.replaceAll(/(?:^|-)[a-z0-9]/gu, (start) => start.slice(-1).toUpperCase());
}

function matchNames(whole: string): { name: string; start: number; end: number }[] {
  const line = whole.slice(0, lineCharacters);
  const found = (pattern: RegExp, nameOf: (text: string) => string) =>
    [...line.matchAll(pattern)].map(({ 0: text, index }) => ({
      name: nameOf(text),
      start: index,
      end: index + text.length,
    }));
  return [...found(plainName, (name) => name), ...found(kebabTag, nameOfTag)];
}
