/** What is taken of a file from which nothing is imported by name, if it is too long to be taken whole (RT-02). */

import type { FileSnapshot } from '../access/gate.ts';
import type { Definition } from '../ports/parsed-source.ts';
import { fixedLimits } from '../settings.ts';
import { type Part, partOf } from './fetch.ts';
import type { Module, Modules } from './modules.ts';

const { wholeLines } = fixedLimits.retrieval;
/** A file with as many lines is taken whole. */
const shortLines = 60;
/** Style sheets and data say little about code that imports them. */
const sideFile = /\.(?:css|scss|sass|less|styl|json|svg)$/iu;

/** The heads of all definitions, if most lines of the file are in them. */
export async function headsOf({ path, text = '' }: FileSnapshot, modules: Modules): Promise<Part | undefined> {
  const lines = text.split('\n').length;
  if (lines <= shortLines || (await modules.limit()) !== undefined) return undefined;
  const module = await modules.load(path);
  if (module === undefined || 'code' in module) return undefined;
  const outer = outermost(module);
  const covered = outer.reduce((sum, { startLine, endLine }) => sum + endLine - startLine + 1, 0);
  const part = covered * 2 > lines ? partOf(outer, text) : undefined;
  return part && cut(part, wholeLines);
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

function cut(part: Part, most: number): Part {
  const lines = part.content.split('\n', most + 1);
  return lines.length <= most ? part : { ...part, content: lines.slice(0, most).join('\n'), truncated: true };
}
