/** Finds the place of a cursor in block YAML, even if the YAML is not valid yet. */
import { withoutQuotes } from '../../texts/without-quotes.ts';
import type { PlaceInText } from './schema.ts';

type Line = {
  /** Columns of the first dash, if any, and of the text after all dashes. */
  dash: number;
  start: number;
  isElement: boolean;
  key?: string;
  /** Column after the colon. */
  valueAt: number;
};

/** Longer lines are texts, where nothing is completed. */
const longestLine = 1_024;

/** `lines` is the whole text, or the lines of front matter. */
export function yamlPlace(lines: readonly string[], at: { line: number; character: number }): PlaceInText | undefined {
  const text = lines[at.line] ?? '';
  if (text.length > longestLine) return undefined;
  const before = text.slice(0, at.character);
  if (before.trimStart().startsWith('#')) return undefined;
  const current = readLine(text);
  const isBlank = text.trim() === '';
  const dash = isBlank ? at.character : current.dash;
  const start = isBlank ? at.character : current.start;
  const above = keysAbove(lines, at.line, { dash, start, isElement: current.isElement && !isBlank });
  const isValue = current.key !== undefined && at.character >= current.valueAt;
  const atStart = current.isElement ? 'either' : 'key';
  const from = isValue ? lastBreak(before, current.valueAt) : Math.min(start, at.character);
  return {
    path: isValue ? [...above.path, current.key as string] : above.path,
    wants: isValue ? 'value' : atStart,
    ...(current.key !== undefined && !isValue && { key: current.key }),
    siblings: new Set([...above.siblings, ...keysBelow(lines, at.line, start)]),
    from: { line: at.line, character: from },
    isFollowed: current.key !== undefined && !isValue,
  };
}

/** The index after the last character that begins another element of a list on this line. */
function lastBreak(before: string, valueAt: number): number {
  const at = Math.max(valueAt - 1, ...['[', ',', '"', "'", '{'].map((character) => before.lastIndexOf(character)));
  const rest = before.slice(at + 1);
  return at + 1 + (rest.length - rest.trimStart().length);
}

function readLine(text: string): Line {
  const dash = indentOf(text, 0);
  let start = dash;
  while (text[start] === '-' && (start + 1 >= text.length || text[start + 1] === ' '))
    start = indentOf(text, start + 1);
  const line = { dash, start, isElement: start > dash, valueAt: text.length };
  const colon = colonOf(text, start);
  if (colon === undefined) return line;
  return { ...line, key: withoutQuotes(text.slice(start, colon).trim()), valueAt: colon + 1 };
}

function indentOf(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at += 1;
  return at;
}

function colonOf(text: string, from: number): number | undefined {
  for (let at = text.indexOf(':', from); at >= 0; at = text.indexOf(':', at + 1))
    if (at + 1 === text.length || text[at + 1] === ' ') return at;
  return undefined;
}

type Column = Pick<Line, 'dash' | 'start' | 'isElement'>;

/** The keys around a line, outermost first, with a 0 for each list; and the keys before it on its level. */
function keysAbove(lines: readonly string[], line: number, { dash, start, isElement }: Column) {
  const path: (string | number)[] = isElement ? [0] : [];
  const siblings: string[] = [];
  let [need, isDash] = isElement ? [dash, true] : [start, false];
  let isBeside = !isElement;
  for (let at = line - 1; at >= 0; at -= 1) {
    const text = lines[at] as string;
    if (text.length > longestLine || text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const above = readLine(text);
    const { key } = above;
    if (above.isElement) {
      if (isDash ? above.dash >= need : above.start > need) continue;
      if (!isDash && above.start === need) {
        if (isBeside && key !== undefined) siblings.push(key);
        path.unshift(0);
      } else path.unshift(...(key === undefined ? [0] : [0, key]));
      [need, isDash, isBeside] = [above.dash, true, false];
    } else if (above.start < need || (isDash && above.start === need)) {
      if (key === undefined) continue;
      path.unshift(key);
      [need, isDash, isBeside] = [above.start, false, false];
    } else if (isBeside && above.start === need && key !== undefined) siblings.push(key);
  }
  return { path, siblings };
}

function keysBelow(lines: readonly string[], line: number, start: number): string[] {
  const keys: string[] = [];
  for (const text of lines.slice(line + 1)) {
    if (text.length > longestLine || text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const below = readLine(text);
    if (below.start < start || (below.isElement && below.dash < start)) break;
    if (below.start === start && !below.isElement && below.key !== undefined) keys.push(below.key);
  }
  return keys;
}
