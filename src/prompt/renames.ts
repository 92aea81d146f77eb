/** Finds removed files that are there under another name, by their lines. */
import type { Pause } from '../pace/turns.ts';

export type NamedText = Readonly<{ path: string; text: string }>;

/** Two files must share so many lines. A shorter file costs little as a removed and a new one. */
const minSharedLines = 10;
/** They must be this part of the lines of the file that has more. */
const minShare = 0.5;
/** A line of more removed files, such as a bracket or a licence, does not count. */
const maxFilesOfLine = 8;
/** Of a longer file, its beginning counts. */
const maxLines = 10_000;
/** Of all removed files, and as many of added ones. Files beyond are not looked at. */
const maxAllLines = 100_000;

/** The path of a removed file by that of the added one that has most of its lines. Each is used once. */
export async function findRenames(
  removed: readonly NamedText[],
  added: readonly NamedText[],
  pause: Pause,
): Promise<ReadonlyMap<string, string>> {
  const filesOf = new Map<string, number[]>();
  const linesOfRemoved: Set<string>[] = [];
  let removedLeft = maxAllLines;
  for (const [file, { text }] of removed.entries()) {
    const lines = linesOf(text);
    removedLeft -= lines.size;
    if (removedLeft < 0) break;
    for (const line of lines) filesOf.set(line, [...(filesOf.get(line) ?? []).slice(-maxFilesOfLine), file]);
    linesOfRemoved.push(lines);
    await pause();
  }
  const counts = (line: string): boolean => (filesOf.get(line)?.length ?? 0) <= maxFilesOfLine;
  const sizes: number[] = [];
  for (const lines of linesOfRemoved) {
    sizes.push([...lines].filter(counts).length);
    await pause();
  }
  const pairs: { from: string; to: string; share: number }[] = [];
  let addedLeft = maxAllLines;
  for (const { path, text } of added) {
    const all = linesOf(text);
    addedLeft -= all.size;
    if (addedLeft < 0) break;
    const lines = [...all].filter(counts);
    for (const [file, shared] of countShared(lines, filesOf)) {
      const share = shared / Math.max(lines.length, sizes[file] as number);
      if (shared >= minSharedLines && share >= minShare)
        pairs.push({ from: (removed[file] as NamedText).path, to: path, share });
    }
    await pause();
  }
  return bestOf(pairs);
}

/** Different ones, without the space around them. */
function linesOf(text: string): Set<string> {
  const lines = text.split('\n', maxLines).map((line) => line.trim());
  return new Set(lines.filter((line) => line !== ''));
}

/** By removed file, the number of these lines that it has. */
function countShared(lines: readonly string[], filesOf: ReadonlyMap<string, number[]>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const line of lines) for (const file of filesOf.get(line) ?? []) counts.set(file, (counts.get(file) ?? 0) + 1);
  return counts;
}

function bestOf(pairs: readonly { from: string; to: string; share: number }[]): Map<string, string> {
  const found = new Map<string, string>();
  const used = new Set<string>();
  for (const { from, to } of pairs.toSorted((a, b) => b.share - a.share)) {
    if (found.has(to) || used.has(from)) continue;
    found.set(to, from);
    used.add(from);
  }
  return found;
}
