/**
 * Finds exclude patterns, globs and exceptions of policies that match nothing in a tree (CC-13, CC-28, AP-01; AP-08).
 */

import { baseName, directoriesBetween, isInside, parentPath, relativePath } from '../access/paths.ts';
import { globOf } from '../context/candidate.ts';
import { defaultExcludePattern } from '../context/merge.ts';
import { fileMatcher } from '../context/triggers.ts';
import { exceptionGlobOf } from '../policy/policy-file.ts';
import { expandHome } from '../settings.ts';
import type { Warning } from '../warnings.ts';
import type { PlacedPattern, PlaceInFile } from './check-config.ts';
import { areOnOneWay, type Tree, type TreeDirectory, type TreeFile, type TreePolicy } from './checked-tree.ts';
import { findFile, matchesBelow, matchesFrom } from './find-file.ts';
import { namesSkippedDirectory } from './survey.ts';

/** A finding if an exclude pattern leaves out no file of the context directories around `directory`. */
export async function checkExclude(
  { pattern, place }: PlacedPattern,
  directory: TreeDirectory,
  { tree, directories }: { tree: Tree; directories: readonly TreeDirectory[] },
): Promise<Warning | undefined> {
  const { owner } = directory.loaded.directory;
  const expanded = expandHome(pattern.replaceAll('\\', '/'), tree.homeDirectory);
  // Leading `..` lead to a directory beside or above the owner.
  const rest = expanded.replace(/^(?:\.\.?\/+)+/u, '');
  const compiled = globOf(rest);
  if (pattern === defaultExcludePattern || 'problem' in compiled || namesSkippedDirectory(pattern)) return undefined;
  const { glob } = compiled;
  if (glob.isAbsolute && !isInside(tree.mountedDirectory, glob.literalBase)) return undefined;
  const isClimbing = rest.length < expanded.replace(/^(?:\.\/+)+/u, '').length;
  const isAnywhere = isClimbing || glob.isAbsolute || rest.startsWith('**');
  /** `bottom`: the deepest working directory for which the file is context. */
  const leavesOut = (path: string, bottom: string, contextDirectory: string): boolean =>
    isAnywhere
      ? matchesBelow(glob, tree.mountedDirectory, path)
      : [contextDirectory, owner, ...workingDirectories(owner, bottom)].some((base) => matchesFrom(glob, base, path));
  for (const { loaded, included } of directories) {
    const { owner: bottom, path: contextDirectory } = loaded.directory;
    if (!areOnOneWay(owner, bottom)) continue;
    const own = (path: string) => leavesOut(path, bottom, contextDirectory);
    const candidates = loaded.candidates.map(({ path }) => path);
    if ((await findFile(candidates, own, tree.pause)) !== undefined) return undefined;
    const other = (path: string) => leavesOut(path, parentPath(path), contextDirectory);
    if ((await findFile(included.keys(), other, tree.pause)) !== undefined) return undefined;
  }
  const message = 'The pattern matches no context file of the tree, so it excludes nothing. Correct it, or remove it.';
  return { code: 'unused_pattern', message, ...place };
}

/** The working directories, on the way to `bottom`, for which a configuration of `owner` counts. */
function workingDirectories(owner: string, bottom: string): string[] {
  return isInside(owner, bottom) ? directoriesBetween(owner, bottom) : [];
}

/** A finding if no file of the tree makes an `auto` file active with this glob. */
export async function checkGlob(
  { pattern, place }: { pattern: string; place: PlaceInFile },
  { owner }: TreeFile,
  tree: Tree,
): Promise<Warning | undefined> {
  if (namesSkippedDirectory(pattern)) return undefined;
  const matches = fileMatcher(pattern, [tree.mountedDirectory, owner]);
  if ((await findFile(tree.files, matches, tree.pause)) !== undefined) return undefined;
  const message = 'The pattern matches no file of the tree. Correct it, or remove it.';
  return { code: 'unused_pattern', message, ...place };
}

/** A finding if an exception of a policy matches no file, or probably not all files that it is meant for. */
export async function checkException(
  { pattern, place }: { pattern: string; place: PlaceInFile },
  { directory, checked }: TreePolicy,
  tree: Tree,
): Promise<Warning | undefined> {
  const compiled = exceptionGlobOf(pattern);
  if (namesSkippedDirectory(pattern) || 'problem' in compiled) return undefined;
  const { glob } = compiled;
  const isMeant = (path: string) => matchesFrom(glob, directory, path);
  const isUsed = (await findFile(tree.files, isMeant, tree.pause)) !== undefined;
  const isName = !glob.hasSlash && !/^[\\/]|[\\/]$/u.test(pattern);
  const isDeeper = (path: string) => isInside(directory, path) && glob.matches(baseName(path)) && !isMeant(path);
  // Only a file that is allowed although it may be meant to be blocked. A file that is blocked by mistake is noticed
  // anyway.
  const isAsked = isName && (checked.aiContextPolicy === 'allow' || !isUsed);
  const deeper = isAsked ? await findFile(tree.files, isDeeper, tree.pause) : undefined;
  if (deeper !== undefined) {
    const example = relativePath(directory, deeper);
    const message = `The pattern is for this directory alone, and not for "${example}". To mean files of this name at any depth, write "**/${pattern}".`;
    return { code: 'exception_not_below', message, ...place };
  }
  if (isUsed) return undefined;
  const message = 'The pattern matches no file below the policy. Correct it, or remove it.';
  return { code: 'unused_pattern', message, ...place };
}
