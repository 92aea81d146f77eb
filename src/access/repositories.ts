/** Finds git repositories, which limit how far up policies are searched (AP-03). */

import type { Files, Root } from '../ports/ports.ts';
import { directoriesBetween, isInside, joinPath, parentPath } from './paths.ts';

/**
 * The directories above a granted root, from the top down, that can have policies for it too. `realRoot` is the real
 * path of the root. The top is the outermost directory that is itself granted or contains `.git`. A repository inside
 * another one does not shorten the way, because anybody can make a `.git`: only a policy inside it overrides those
 * above.
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

/** The nearest directory on the way up that is the top of a repository. Undefined if there is none. */
export async function repositoryOf(
  directory: string,
  holdsGit: (directory: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const each of directoriesBetween('/', directory).reverse()) if (await holdsGit(each)) return each;
  return undefined;
}

/**
 * The repository that is the project around a directory. One that contains the home directory keeps settings, and is no
 * project.
 */
export async function projectAround(
  directory: string,
  home: string,
  holdsGit: (directory: string) => Promise<boolean>,
): Promise<string | undefined> {
  const top = await repositoryOf(directory, holdsGit);
  return top === undefined || isInside(top, home) ? undefined : top;
}

/**
 * `.git` can be a directory, or the file of a worktree or a submodule. If it cannot be checked, it counts as existing.
 */
export async function holdsRepository(directory: string, stat: Files['stat']): Promise<boolean> {
  const git = await stat(joinPath(directory, '.git'));
  return git.ok || git.code !== 'not_found';
}
