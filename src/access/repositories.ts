/** Where git repositories end, and with them the way up from a file to its policy (AP-03). */

import type { Files, Root } from '../ports/ports.ts';
import { directoriesBetween, joinPath, parentPath } from './paths.ts';

/**
 * The directories above a granted root, given by its real path, that are asked for policies too, from the top down. The top
 * is the outermost one that is itself granted or holds `.git`. A repository inside another, whoever made its `.git`, does
 * not shorten the way: only a policy of its own sets aside those around it.
 */
export async function wayAbove(
  realRoot: string,
  roots: readonly Root[],
  stat: Files['stat'],
): Promise<readonly string[]> {
  const above = realRoot === '/' ? [] : directoriesBetween('/', parentPath(realRoot));
  for (const [index, directory] of above.entries())
    if (roots.some((root) => root.realPath === directory) || (await holdsRepository(directory, stat)))
      return above.slice(index);
  return [];
}

/** The nearest directory on the way up that is the top of a repository; undefined where there is none. */
export async function repositoryOf(
  directory: string,
  holdsGit: (directory: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const each of directoriesBetween('/', directory).reverse()) if (await holdsGit(each)) return each;
  return undefined;
}

/** A directory, or the file of a worktree or a submodule. What cannot be looked at counts as there. */
export async function holdsRepository(directory: string, stat: Files['stat']): Promise<boolean> {
  const git = await stat(joinPath(directory, '.git'));
  return git.ok || git.code !== 'not_found';
}
