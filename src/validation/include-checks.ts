/** Checks what include patterns find in a tree, and reports those that find nothing (CC-12, CC-14; AP-08). */

import { isInside, joinPath } from '../access/paths.ts';
import { decideSensitive } from '../access/sensitive.ts';
import { isIncludable, namesOneFile } from '../context/candidate.ts';
import { decideExclusion } from '../context/exclusion.ts';
import { defaultIncludePattern } from '../context/merge.ts';
import { readIncludePattern } from '../context/sources/include-pattern.ts';
import { expandHome } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import type { PlacedPattern } from './check-config.ts';
import type { Tree, TreeDirectory } from './checked-tree.ts';
import { findFile, matchesBelow, matchesFrom, visitFiles } from './find-file.ts';
import { namesSkippedDirectory } from './survey.ts';

/**
 * Adds the files that a pattern finds from the owner of `directory` to its `included`. Returns what is wrong with the
 * pattern.
 */
export async function checkInclude(
  { pattern, place }: PlacedPattern,
  directory: TreeDirectory,
  tree: Tree,
): Promise<Warning | undefined> {
  const read = readIncludePattern(expandHome(pattern.replaceAll('\\', '/'), tree.homeDirectory));
  if (pattern === defaultIncludePattern || 'problem' in read) return undefined;
  const { climbing, glob } = read;
  const base = glob.isAbsolute ? '/' : joinPath(directory.loaded.directory.owner, climbing);
  if (!isInside(tree.mountedDirectory, joinPath(base, glob.literalBase))) {
    const message =
      'The pattern reaches outside the mounted directory. It works only for users who granted that directory.';
    return { code: 'pattern_outside_mounted_directory', message, ...place };
  }
  const found: string[] = [];
  let isFoundBelow = false;
  const look = (path: string): void => {
    if (matchesFrom(glob, base, path)) found.push(path);
    else isFoundBelow ||= matchesBelow(glob, base, path);
  };
  // A file that is named itself may have no extension.
  const lookedAt = namesOneFile(pattern)
    ? tree.files.filter((path) => isIncludable(path, pattern) && decideSensitive(path) === undefined)
    : tree.readableFiles;
  await visitFiles(lookedAt, look, tree.pause);
  const note = (path: string): void => {
    directory.included.set(path, excluderOf(path, directory, tree.homeDirectory));
  };
  await visitFiles(found, note, tree.pause);
  if (found.length > 0) {
    const excluders = new Set(found.map((path) => directory.included.get(path)));
    if (excluders.has(undefined)) return undefined;
    const files = found.length === 1 ? 'The file that this finds is' : `The ${found.length} files that this finds are`;
    const message = `${files} left out again by ${[...excluders].slice(0, 3).join(' and ')}. Remove one of the two.`;
    return { code: 'shadowed_pattern', message, ...place };
  }
  if (isFoundBelow || namesSkippedDirectory(pattern)) return undefined;
  const other = await findFile(tree.files, (path) => matchesBelow(glob, base, path), tree.pause);
  const why = isIncludable(other ?? '*.', pattern) ? 'never delivered because of their names' : 'not .md, .mdc or .txt';
  const finds = other === undefined ? 'no file of the tree' : `only files that are ${why}`;
  return { code: 'unused_pattern', message: `The pattern matches ${finds}. Correct it, or remove it.`, ...place };
}

/** CC-14: the exclude pattern, with its place, that leaves out an included file. */
function excluderOf(path: string, { loaded, merged }: TreeDirectory, homeDirectory: string): string | undefined {
  const { directory } = loaded;
  const place = { workingDirectory: directory.owner, homeDirectory, roots: [] };
  const reason = decideExclusion({ path, directory }, merged, place);
  return reason && (reason.detail ?? reason.code);
}
