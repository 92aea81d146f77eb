/**
 * Where a text can be cut so that the rest still makes sense. The pieces of one level together are the text. If there
 * are too many pieces, the last one is the rest of the text. A text can have a million lines, so pieces are found step
 * by step.
 */
import type { Steps } from '../pace/turns.ts';
import type { Definition } from '../ports/parsed-source.ts';
import { proseLines } from './formats/prose.ts';

/** Sections of Markdown: a heading begins one. */
export function* sectionsOf(text: string): Steps<string[]> {
  const headings = new Set<number>();
  let at = 0;
  for (const line of proseLines(text, { readsComments: false })) {
    if (/^ {0,3}#{1,6}(?:\s|$)/u.test(line)) headings.add(at);
    if (headings.size > maxPieces) break;
    at += 1;
    if (at % linesOfStep === 0) yield;
  }
  return yield* splitBefore(text, (_line, at) => headings.has(at));
}

/** Hunks of a diff. Their lines begin with a sign. */
export function hunksOf(text: string): Steps<string[]> {
  return splitBefore(text, (line) => line.startsWith('@@ '));
}

/** Definitions at the top of a file, each with what stands between it and the next. */
export function definitionsOf(text: string, definitions: readonly Definition[]): Steps<string[]> {
  const starts = new Set<number>();
  let end = 0;
  for (const { startLine, endLine } of definitions.toSorted((a, b) => a.startLine - b.startLine)) {
    if (startLine > end) starts.add(startLine - 1);
    end = Math.max(end, endLine);
  }
  return splitBefore(text, (_line, at) => starts.has(at));
}

/** Blocks of lines. A line that is not indented begins a new block after an empty line. */
export function blocksOf(text: string): Steps<string[]> {
  return splitBefore(text, (line, _at, before) => before?.trim() === '' && /^\S/u.test(line));
}

export function linesOf(text: string): Steps<string[]> {
  return splitBefore(text, () => true);
}

export const maxPieces = 2_000;

/** They take about a millisecond. */
const linesOfStep = 512;

function* splitBefore(
  text: string,
  begins: (line: string, at: number, before: string | undefined) => boolean,
): Steps<string[]> {
  const pieces: string[] = [];
  let pieceStart = 0;
  let before: string | undefined;
  let at = 0;
  for (let start = 0; start < text.length; at += 1) {
    const end = text.indexOf('\n', start);
    const next = end < 0 ? text.length : end + 1;
    const line = text.slice(start, end < 0 ? undefined : end);
    if (start > pieceStart && begins(line, at, before)) {
      pieces.push(text.slice(pieceStart, start));
      if (pieces.length === maxPieces) return [...pieces, text.slice(start)];
      pieceStart = start;
    }
    before = line;
    start = next;
    if (at % linesOfStep === linesOfStep - 1) yield;
  }
  return text === '' ? [] : [...pieces, text.slice(pieceStart)];
}
