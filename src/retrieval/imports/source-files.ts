/** The source files of projects whose files do not name each other, found by bounded listings (RT-02). */
import { pathBelow } from '../../access/paths.ts';
import type { Lookup } from './import.ts';

/** `project`: the place of its project or module among those that the importing file sees; 0 is its own. */
export type SourceFile = Readonly<{ path: string; project: number }>;

type Rules = {
  ending: string;
  limits: Readonly<{ directories: number; entries: number; files: number }>;
  /** The directories of projects. They are walked as such, and not as a part of another. */
  roots: ReadonlySet<string>;
  /** Whether a directory, with these names in it, belongs to something else. Not asked for those to start from. */
  isForeign(directory: string, names: readonly string[]): boolean;
  /** Whether a directory is left out, by its name and the names beside it. */
  isLeftOut(name: string, beside: readonly string[]): boolean;
};

/** The files in and below the directories to start from, in this order. A file to start from counts itself. */
export async function filesBelow(
  starts: readonly Readonly<{ directory: string; project: number }>[],
  { ending, limits, roots, isForeign, isLeftOut }: Rules,
  lookup: Lookup,
): Promise<SourceFile[]> {
  const seen = new Set<string>();
  const files: SourceFile[] = [];
  for (const { directory: start, project } of starts) {
    if (start.endsWith(ending) && (await lookup.kindOf(start)) === 'file') files.push({ path: start, project });
    const queue = [start];
    for (const directory of queue) {
      if (seen.size >= limits.directories || files.length >= limits.files) return files;
      if (seen.has(directory)) continue;
      const names = (await lookup.namesIn(directory)).slice(0, limits.entries);
      if (directory !== start && isForeign(directory, names)) continue;
      seen.add(directory);
      for (const name of names) {
        const each = pathBelow(directory, name);
        if (name.endsWith(ending)) files.push({ path: each, project });
        else if (name.startsWith('.') || isLeftOut(name, names)) continue;
        else if (queue.length >= limits.directories || roots.has(each) || seen.has(each)) continue;
        else if ((await lookup.kindOf(each)) === 'directory') queue.push(each);
      }
    }
  }
  return files;
}
