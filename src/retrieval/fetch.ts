/** Reads what was listed, as far as the gate lets it, and takes of it what goes with the prompt (RT-04). */

import type { FileSnapshot } from '../access/gate.ts';
import { relativePath } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import { refusalReason } from '../context/path-rules.ts';
import { onceForEach } from '../pace/once-for-each.ts';
import type { Definition } from '../ports/parsed-source.ts';
import { fixedLimits } from '../settings.ts';
import type { Reason } from '../warnings.ts';
import type { FetchedItem } from './assemble.ts';
import { languageOf } from './imports/languages.ts';
import type { Origin } from './retrieve-result.ts';

const retrievalLimits = fixedLimits.retrieval;

const notThere = 'there is no such file';

/** Reads each path once per request; the gate decides about roots, sensitive files and policies before it opens anything. */
export function createReader(world: World): (path: string) => Promise<FileSnapshot | Reason> {
  const { gate, reach, limits } = world;
  return onceForEach(async (path: string): Promise<FileSnapshot | Reason> => {
    const content = await gate.read(path, { ...reach, maxBytes: limits.fileBytes });
    if (!content.ok) return refusalReason(content.code, content.code === 'not_found' ? notThere : content.detail);
    return content.snapshot.problem === undefined ? content.snapshot : refusalReason(content.snapshot.problem);
  });
}

/** The item that a file makes: all of it, or what was taken of it. */
export function itemOf(
  snapshot: FileSnapshot,
  { origin, mountedDirectory, part }: { origin: Origin; mountedDirectory: string; part?: Part | undefined },
): FetchedItem {
  const { path, text = '', truncated } = snapshot;
  const language = languageOf(path);
  const common = {
    ...{ origin, path, relativePath: relativePath(mountedDirectory, path) },
    language,
  };
  if (part === undefined) return { ...common, content: text, truncated };
  return { ...common, content: part.content, truncated: part.truncated ?? false, range: part.range };
}

/** Some lines of a file. */
export type Part = { content: string; range: { startLine: number; endLine: number }; truncated?: boolean };

type Passage = Pick<Definition, 'startLine' | 'endLine' | 'text'>;

/**
 * Passages in the order of the file, none of them twice: what another holds is not told again. A mark stands where lines
 * of `text`, that of the file, are left out between two. Undefined when there are none.
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
  // No further than to the last one: most of what is imported stands at the beginning of a long file.
  const lines = text.split('\n', (shown.at(-1) as Passage).startLine - 1);
  let content = first.text;
  let endLine = first.endLine;
  for (const each of shown.slice(1)) {
    const isGap = lines.slice(endLine, each.startLine - 1).some((line) => line.trim() !== '');
    content += `${isGap ? '\n\n…\n\n' : '\n\n'}${each.text}`;
    endLine = Math.max(endLine, each.endLine);
  }
  return { content, range: { startLine: first.startLine, endLine } };
}

/** Two parts of one file, whose text it is, as one. */
export function joinParts(parts: readonly [Part, Part], text?: string): Part {
  const passages = parts.map(({ content, range }) => ({ ...range, text: content }));
  const joined = partOf(passages, text) as Part;
  return { ...joined, ...(parts.some(({ truncated }) => truncated) && { truncated: true }) };
}

/** The beginning of a file too long to be shown for something that was not found in it. */
export function beginningOf({ text = '' }: FileSnapshot): Part | undefined {
  const lines = text.split('\n', retrievalLimits.wholeLines + 1);
  if (lines.length <= retrievalLimits.wholeLines) return undefined;
  return {
    content: lines.slice(0, retrievalLimits.wholeLines).join('\n'),
    range: { startLine: 1, endLine: retrievalLimits.wholeLines },
    truncated: true,
  };
}
