/** Shortens and masks a line of a file, to show it below a finding. */

import { visibleText } from '../../texts/visible-text.ts';
import { textWidth } from './terminal-text.ts';

/** The shown part of a line, and the column of the finding in it. */
type Excerpt = { text: string; caret: number };

const cut = '…';

/**
 * At most `room` columns of a line, around `column` (UTF-16 code units, counted from 1). Makes invisible characters
 * visible.
 */
export function excerptOf(line: string, column: number, room: number): Excerpt {
  const shown = (text: string): string => visibleText(text.replaceAll('\t', '  '));
  let before = shown(line.slice(0, column - 1));
  // The finding may be about a space at the end of the line.
  let after = withEndingSpacesShown(shown(line.slice(column - 1)));
  const maxBefore = Math.max(0, room - Math.min(textWidth(after), Math.floor(room / 2)) - 2);
  if (textWidth(before) > maxBefore) before = cut + last(before, maxBefore - 1);
  const maxAfter = room - textWidth(before);
  if (textWidth(after) > maxAfter) after = first(after, maxAfter - 1) + cut;
  return { text: before + after, caret: textWidth(before) };
}

function first(text: string, columns: number): string {
  let taken = '';
  for (const character of text) {
    if (textWidth(taken + character) > columns) break;
    taken += character;
  }
  return taken;
}

function withEndingSpacesShown(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ') end -= 1;
  return text.slice(0, end) + '·'.repeat(text.length - end);
}

function last(text: string, columns: number): string {
  let taken = '';
  for (const character of [...text].reverse()) {
    if (textWidth(character + taken) > columns) break;
    taken = character + taken;
  }
  return taken;
}

const jsonPart = /"(?:[^"\\]|\\.)*"?(\s*:)?|[[\]{}]|[^\s"{}[\]:,]+/gu;
const plainValue = /^(?:true|false|null|-?\d[\d.eE+-]*)$/u;
const yamlHead = /^\s*(?:-\s+)*(?:(?:"[^"]*"|'[^']*'|[\w$.@/ -]+):(?:\s+|$))?/u;

/**
 * A line of a configuration with dots instead of values, which may be secrets: output of terminals is often kept.
 * `shownColumn` (UTF-16 code units, counted from 1): a column in a value that stays, together with the others in its
 * list, or in the key of such a list.
 */
export function maskValues(line: string, format: 'json' | 'yaml', shownColumn?: number): string {
  // By code units, so that columns stay the same.
  const dots = (text: string): string => text.replaceAll(/[^"']/g, '•');
  if (format === 'yaml') {
    const head = yamlHead.exec(line)?.[0] ?? '';
    const value = line.slice(head.length);
    // There may be another object in the braces.
    return shownColumn === undefined || value.includes('{') ? head + dots(value) : line;
  }
  let list = 0;
  const parts = [...line.matchAll(jsonPart)].map(({ index, 0: text, 1: colon }) => {
    if (/^[[\]{}]$/u.test(text)) list += 1;
    const isShown = colon !== undefined || plainValue.test(text) || /^[[\]{}]$/u.test(text);
    return { index, text, list, isShown };
  });
  const at = parts.findLastIndex(({ index }) => shownColumn !== undefined && index < shownColumn);
  const [meant, next] = [parts[at], parts[at + 1]];
  const lists = [meant?.list, meant?.isShown && next?.text === '[' ? next.list : undefined];
  let masked = line;
  for (const { index, text, list, isShown } of parts)
    if (!isShown && !lists.includes(list))
      masked = masked.slice(0, index) + dots(text) + masked.slice(index + text.length);
  return masked;
}
