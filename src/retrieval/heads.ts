/** What is taken of a file from which nothing is imported by name, if it is too long to be taken whole (RT-02). */

import type { FileSnapshot } from '../access/gate.ts';
import type { Definition } from '../ports/parsed-source.ts';
import { fixedLimits } from '../settings.ts';
import { type Part, type Passage, partOf } from './fetch.ts';
import type { Module, Modules } from './modules.ts';

const { wholeLines } = fixedLimits.retrieval;
/** A file with as many lines is taken whole. */
const shortLines = 60;
/** As many lines between definitions are shown. */
const fewLines = 8;
/** Style sheets and data say little about code that imports them. */
const sideFile = /\.(?:css|scss|sass|less|styl|json|svg)$/iu;

/**
 * The heads of all definitions, if most lines of the file are in them, with what is between and what the query found.
 * Undefined if they are hardly shorter than the lines that they stand for.
 */
export async function headsOf(
  { path, text = '' }: FileSnapshot,
  modules: Modules,
  ofQuery?: Part,
): Promise<Part | undefined> {
  const lines = text.split('\n');
  if (lines.length <= shortLines || (await modules.limit()) !== undefined) return undefined;
  const module = await modules.load(path);
  if (module === undefined || 'code' in module) return undefined;
  const outer = outermost(module);
  const covered = outer.reduce((sum, { startLine, endLine }) => sum + endLine - startLine + 1, 0);
  if (covered * 2 <= lines.length) return undefined;
  const chosen = inOrder(ofQuery ? withPart(outer, ofQuery) : outer);
  const passages = inOrder([...chosen, ...between(chosen, lines)]);
  const taken = firstOf(passages, wholeLines);
  const part = partOf(taken, text);
  if (part === undefined || part.content.split('\n').length * 4 > part.range.endLine * 3) return undefined;
  return { ...part, truncated: taken.length < passages.length };
}

/** The beginning of a file that is too long to be sent whole, if no part of it was found. */
export function beginningOf({ path, text = '' }: FileSnapshot): Part | undefined {
  const most = sideFile.test(path) ? shortLines : wholeLines;
  const lines = text.split('\n', most + 1);
  if (lines.length <= most) return undefined;
  return { content: lines.slice(0, most).join('\n'), range: { startLine: 1, endLine: most }, truncated: true };
}

/** Without the definitions inside other ones. */
function outermost({ definitions }: Module): Definition[] {
  const sorted = [...definitions.values()].flat().sort((a, b) => a.startLine - b.startLine || b.endLine - a.endLine);
  const outer: Definition[] = [];
  for (const each of sorted) if (each.endLine > (outer.at(-1)?.endLine ?? 0)) outer.push(each);
  return outer;
}

function inOrder(passages: readonly Passage[]): Passage[] {
  return passages.toSorted((a, b) => a.startLine - b.startLine);
}

/** Without the passages that the part holds. */
function withPart(passages: readonly Passage[], { content, range }: Part): Passage[] {
  const others = passages.filter((each) => each.startLine < range.startLine || each.endLine > range.endLine);
  return [...others, { ...range, text: content }];
}

/** The code around passages, without empty lines at its ends. `…` stands for more than a few lines. */
function between(passages: readonly Passage[], lines: readonly string[]): Passage[] {
  let next = 0;
  return [...passages, undefined].flatMap((passage) => {
    const end = next;
    next = Math.max(end, passage?.endLine ?? 0);
    const code = lines.slice(end, (passage?.startLine ?? lines.length + 1) - 1);
    const first = code.findIndex(isFilled);
    const last = code.findLastIndex(isFilled);
    if (first < 0) return [];
    const text = last - first < fewLines ? code.slice(first, last + 1).join('\n') : '…';
    return { startLine: end + first + 1, endLine: end + last + 1, text };
  });
}

/** As many whole passages as `partOf` joins to no more than `most` lines. */
function firstOf(passages: readonly Passage[], most: number): readonly Passage[] {
  let lines = 0;
  let end = 0;
  const tooMuch = passages.findIndex(({ startLine, endLine, text }) => {
    lines += text.split('\n').length + (lines > 0 && startLine !== end + 1 ? 1 : 0);
    end = endLine;
    return lines > most;
  });
  return tooMuch < 0 ? passages : passages.slice(0, tooMuch);
}

function isFilled(line: string): boolean {
  return line.trim() !== '';
}
