/** Reads listed files through the gate, and takes the parts that are sent (RT-04). */

import type { FileSnapshot } from '../access/gate.ts';
import { relativePath } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import { refusalReason } from '../context/path-rules.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { Definition } from '../ports/parsed-source.ts';
import type { Reason } from '../warnings.ts';
import type { FetchedItem } from './assemble.ts';
import { languageOf } from './imports/languages.ts';
import type { Origin } from './retrieve-result.ts';

const notThere = 'there is no such file';

/**
 * Reads each path once per request. The gate decides about roots, sensitive files and policies before it opens a file.
 */
export function createReader(world: World): (path: string) => Promise<FileSnapshot | Reason> {
  const { gate, reach, limits } = world;
  return onceForEach(async (path: string): Promise<FileSnapshot | Reason> => {
    const content = await gate.read(path, { ...reach, maxBytes: limits.fileBytes });
    if (!content.ok) return refusalReason(content.code, content.code === 'not_found' ? notThere : content.detail);
    return content.snapshot.problem === undefined ? content.snapshot : refusalReason(content.snapshot.problem);
  });
}

/** The item of a file: its whole text, or a part. */
export function itemOf(
  snapshot: FileSnapshot,
  { origin, mountedDirectory, part }: { origin: Origin; mountedDirectory: string; part?: Part | undefined },
): FetchedItem {
  const { path, text = '', truncated } = snapshot;
  const language = languageOf(path, undefined, text);
  const common = {
    origin,
    path,
    relativePath: relativePath(mountedDirectory, path),
    language,
  };
  if (part === undefined) return { ...common, content: text, truncated };
  return { ...common, content: part.content, truncated: part.truncated ?? false, range: part.range };
}

/** Some lines of a file. */
export type Part = { content: string; range: { startLine: number; endLine: number }; truncated?: boolean };

export type Passage = Pick<Definition, 'startLine' | 'endLine' | 'text'>;

/**
 * Joins passages in the order of the file. A passage inside another one is not repeated. `…` marks where lines of
 * `text`, the text of the file, are left out; passages that adjoin there have no empty line between them. Undefined if
 * there are no passages.
 */
export function partOf(passages: readonly Passage[], text = ''): Part | undefined {
  const sorted = passages.toSorted((a, b) => a.startLine - b.startLine || b.endLine - a.endLine);
  const shown: Passage[] = [];
  for (const each of sorted) {
    const around = shown.findLast(({ endLine }) => endLine >= each.endLine);
    if (!around?.text.includes(each.text)) shown.push(each);
  }
  const [first] = shown;
  if (first === undefined) return undefined;
  // Splits only up to the last passage: in a long file, most imported definitions are at the beginning.
  const lines = text.split('\n', (shown.at(-1) as Passage).startLine - 1);
  let content = first.text;
  let endLine = first.endLine;
  for (const each of shown.slice(1)) {
    const isGap = lines.slice(endLine, each.startLine - 1).some((line) => line.trim() !== '');
    const space = each.startLine === endLine + 1 ? '\n' : '\n\n';
    content += `${isGap ? '\n\n…\n\n' : space}${each.text}`;
    endLine = Math.max(endLine, each.endLine);
  }
  return { content, range: { startLine: first.startLine, endLine } };
}

/** Joins two parts of one file. `text`: the text of the file. */
export function joinParts(parts: readonly [Part, Part], text?: string): Part {
  const passages = parts.map(({ content, range }) => ({ ...range, text: content }));
  const joined = partOf(passages, text) as Part;
  return { ...joined, ...(parts.some(({ truncated }) => truncated) && { truncated: true }) };
}
