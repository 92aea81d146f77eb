/** The place where a client works, and its project (MC-05). */
import { homedir } from 'node:os';
import { isInside, joinPath, normalizePath, relativePath } from '../access/paths.ts';
import { isInRoots, liesInRoots } from '../access/reach.ts';
import { projectAround } from '../access/repositories.ts';
import { ContextdError, refuseField } from '../errors.ts';
import { within } from '../pace/within.ts';
import { expandHome, fixedLimits } from '../settings.ts';
import { shellWord } from '../texts/shell-word.ts';
import type { ContextVerbs } from './verbs.ts';

/** `workingDirectory` is the mounted directory or lies below it. */
export type Workplace = Readonly<{ mountedDirectory: string; workingDirectory: string }>;

/** A directory as its own project. */
export const workplaceAt = (directory: string): Workplace => ({
  mountedDirectory: directory,
  workingDirectory: directory,
});

/** The project around a directory, or `undefined`. `realPath` decides what may be looked at. */
export async function placeInProject(
  directory: string,
  realPath: ContextVerbs['realPath'],
): Promise<Workplace | undefined> {
  const real = await realPath(directory);
  if (real === undefined) return undefined;
  const holdsGit = async (each: string): Promise<boolean> => (await realPath(joinPath(each, '.git'))) !== undefined;
  const top = await projectAround(directory, homedir(), holdsGit);
  const realTop = real === directory ? top : await projectAround(real, homedir(), holdsGit);
  // A directory behind a link to another repository belongs to that repository.
  if (top === undefined || realTop === undefined || (await realPath(top)) !== realTop) return undefined;
  // Below `top`, the path has no links, because no rules are read behind a link.
  return { mountedDirectory: top, workingDirectory: joinPath(top, relativePath(realTop, real)) };
}

/**
 * The project is the repository around the directory, as it is for hooks, if the user granted all of it; else the
 * directory.
 */
export async function workplaceOf(
  written: string,
  { realPath, grantedDirectories }: Pick<ContextVerbs, 'realPath' | 'grantedDirectories'>,
): Promise<Workplace> {
  const expanded = expandHome(written, homedir());
  if (!expanded.startsWith('/')) return workplaceAt(written);
  const directory = normalizePath(expanded);
  const granted = await grantedDirectories();
  const around = granted.filter((path) => isInside(path, directory));
  // Other roots are looked at only if no root contains the directory by its name, and only for a short time, because a
  // disk may not answer.
  const roots = await Promise.all(
    (around.length > 0 ? around : granted).map(async (path) => {
      const real = await within(fixedLimits.roots.placeMs, realPath(path));
      return { path, realPath: real ?? path };
    }),
  );
  /**
   * The real path of a place in a granted root. `undefined` for other places, so that nothing about them is revealed.
   */
  const placeOf = async (path: string): Promise<string | undefined> => {
    const real = isInRoots(path, roots) ? await realPath(path) : undefined;
    return real !== undefined && liesInRoots(real, roots) ? real : undefined;
  };
  return (await placeInProject(directory, placeOf)) ?? workplaceAt(written);
}

/** The field of a request. It is absent if work happens in the mounted directory. */
export type Working = { workingDirectory?: string };

export function workingIn({ mountedDirectory, workingDirectory }: Workplace): Working {
  return workingDirectory === mountedDirectory ? {} : { workingDirectory };
}

/** A relative path starts at the working directory, or at the mounted directory if it exists only there. */
async function pathFrom(
  { mountedDirectory, workingDirectory }: Workplace,
  path: string,
  { realPath }: Pick<ContextVerbs, 'realPath'>,
): Promise<string> {
  if (workingDirectory === mountedDirectory || path.startsWith('~')) return path;
  const relative = path.replaceAll('\\', '/');
  const here = joinPath(workingDirectory, relative);
  const above = joinPath(mountedDirectory, relative);
  if (here === above || !isInside(mountedDirectory, above) || (await realPath(here)) !== undefined) return here;
  return (await realPath(above)) === undefined ? here : above;
}

/** The places that a caller of a tool may name. */
export type Named = { mountedDirectory?: string | undefined; path?: string | undefined } & {
  [List in 'files' | 'paths']?: string[] | undefined;
};
/** The request about a place, with the paths that the caller means. */
export async function inPlace<Input extends Named>(given: Input, place: Workplace, verbs: ContextVerbs) {
  const { files, paths, path } = given;
  const { mountedDirectory } = place;
  const meant = (each: string): Promise<string> => pathFrom(place, each, verbs);
  return {
    ...given,
    mountedDirectory,
    ...(files && { files: await Promise.all(files.map(meant)) }),
    ...(paths && { paths: await Promise.all(paths.map(meant)) }),
    ...(path !== undefined && { path: await meant(path) }),
  };
}

/** Where the caller works, if it named no directory. Throws `invalid_request` if that is not one place. */
export function onlyOne(workplaces: readonly Workplace[]): Workplace {
  const [first, ...others] = workplaces;
  if (first !== undefined && others.length === 0) return first;
  const detail =
    first === undefined
      ? 'Name a directory. The user can grant one with: contextd roots grant <dir>'
      : `Name one of these directories: ${workplaces
          .slice(0, 16)
          .map(({ workingDirectory }) => workingDirectory)
          .join(', ')}`;
  throw new ContextdError('invalid_request', detail, [{ pointer: '/mountedDirectory', message: 'Required.' }]);
}

/** No tool grants anything: a model that asks for a directory is not the user who grants it. */
export function notGranted(place: string): ContextdError {
  const message = `This directory is not granted. Only the user can grant it, with: contextd roots grant ${shellWord(place)}`;
  return refuseField('path_outside_roots', '/mountedDirectory', message);
}
