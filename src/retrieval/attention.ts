/** What of a document somebody works on: the names under the cursor or in the selection, and those near it. */
import type { ImportStatement } from '../ports/parsed-source.ts';
import type { ImportTarget } from './imports/import.ts';

/** Line and column count from 0, columns in UTF-16 units, as editors count. */
export type Position = { line: number; column: number };
export type Focus = {
  cursor?: Position | undefined;
  selection?: { start: Position; end: Position } | undefined;
};

/** `under`: names that are meant; `near`: all in the lines around. */
export type Attention = Readonly<{ lines: readonly string[]; under: ReadonlySet<string>; near: ReadonlySet<string> }>;

const linesAround = 12;
const selectedLines = 200;
const lineCharacters = 2_000;
/** An import that is written over more lines tells its first ones. */
const statementLines = 40;

/** Undefined where nobody says what of the text is worked on. */
export function attentionTo(text: string, { cursor, selection }: Focus): Attention | undefined {
  if (cursor === undefined && selection === undefined) return undefined;
  const lines = text.split('\n');
  const from = selection?.start ?? (cursor as Position);
  const to = selection?.end ?? (cursor as Position);
  const near = namesIn(lines.slice(Math.max(0, from.line - linesAround), to.line + linesAround + 1));
  const under = new Set(cursor === undefined ? [] : nameAt(lines[cursor.line], cursor.column));
  if (selection !== undefined) for (const name of namesBetween(lines, selection)) under.add(name);
  return { lines, under, near };
}

/** Imports of what is under the cursor, then of what is near it, then the others; in their order besides. */
export function sortByAttention(targets: readonly ImportTarget[], attention: Attention): ImportTarget[] {
  const rank = (target: ImportTarget): number => {
    const names = namesOf(target, attention);
    const isAmong = (those: ReadonlySet<string>): boolean => names.some((name) => those.has(name));
    return isAmong(attention.under) ? 0 : isAmong(attention.near) ? 1 : 2;
  };
  return targets
    .map((target) => ({ target, rank: rank(target) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ target }) => target);
}

/** Of what is imported from a file, the names that are meant: all of them where another name is given to one here. */
export function namesMeant(target: ImportTarget, attention: Attention): ReadonlySet<string> {
  const meant = target.names.filter((name) => attention.under.has(name));
  if (meant.length > 0) return new Set(meant);
  const isMeant = namesOf(target, attention).some((name) => attention.under.has(name));
  return new Set(isMeant ? target.names : []);
}

/** Those it has there, and those that its statements give it here. */
function namesOf({ names, statements = [] }: ImportTarget, { lines }: Attention): string[] {
  return [...names, ...statements.flatMap((statement) => [...namesIn(linesOf(statement, lines))])];
}

/** From the first line of a statement to the one that names the module. */
function linesOf({ line, specifier }: ImportStatement, lines: readonly string[]): string[] {
  const own = lines.slice(line - 1, line - 1 + statementLines);
  const last = own.findIndex((each) => each.includes(specifier));
  return last < 0 ? own.slice(0, 1) : own.slice(0, last + 1);
}

function namesIn(lines: readonly string[]): Set<string> {
  return new Set(lines.flatMap((line) => [...matchNames(line)].map(([name]) => name)));
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

/** The name that a column stands in, or right behind. */
function nameAt(line = '', column: number): string[] {
  return [...matchNames(line)].flatMap(({ 0: name, index }) =>
    index <= column && column <= index + name.length ? [name] : [],
  );
}

function matchNames(line: string) {
  return line.slice(0, lineCharacters).matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu);
}
