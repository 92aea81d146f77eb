/**
 * Where a text can be cut so that what stays makes sense. Pieces of one level put together are the text; the last is all that
 * is left where there would be too many.
 */
import type { Definition } from '../ports/parsed-source.ts';
import { proseLines } from './formats/prose.ts';

/** Sections of Markdown: a heading begins one. */
export function sectionsOf(text: string): string[] {
  const prose = [...proseLines(text, { readsComments: false })];
  return splitBefore(text, (_line, at) => /^ {0,3}#{1,6}(?:\s|$)/u.test(prose[at] ?? ''));
}

/** Hunks of a difference: in these, each line begins with what became of it. */
export function hunksOf(text: string): string[] {
  return splitBefore(text, (line) => line.startsWith('@@ '));
}

/** Definitions at the top of a file, each with what stands between it and the next. */
export function definitionsOf(text: string, definitions: readonly Definition[]): string[] {
  const starts = new Set<number>();
  let end = 0;
  for (const { startLine, endLine } of definitions.toSorted((a, b) => a.startLine - b.startLine)) {
    if (startLine > end) starts.add(startLine - 1);
    end = Math.max(end, endLine);
  }
  return splitBefore(text, (_line, at) => starts.has(at));
}

/** Blocks of lines: after an empty line, one that is not indented begins the next. */
export function blocksOf(text: string): string[] {
  return splitBefore(text, (line, _at, before) => before?.trim() === '' && /^\S/u.test(line));
}

export function linesOf(text: string): string[] {
  return splitBefore(text, () => true);
}

export const mostPieces = 2_000;

function splitBefore(
  text: string,
  begins: (line: string, at: number, before: string | undefined) => boolean,
): string[] {
  const pieces: string[] = [];
  let piece = '';
  let before: string | undefined;
  let at = 0;
  for (let start = 0; start < text.length; at += 1) {
    const end = text.indexOf('\n', start);
    const next = end < 0 ? text.length : end + 1;
    const line = text.slice(start, end < 0 ? undefined : end);
    if (piece !== '' && begins(line, at, before)) {
      pieces.push(piece);
      if (pieces.length === mostPieces) return [...pieces, text.slice(start)];
      piece = '';
    }
    piece += text.slice(start, next);
    before = line;
    start = next;
  }
  return piece === '' ? pieces : [...pieces, piece];
}
