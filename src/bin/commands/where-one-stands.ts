/** What people mean by a path or a directory, from where they stand. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isInside, relativePath } from '../../access/paths.ts';
import { projectAround } from '../../access/repositories.ts';
import { shellWord } from '../../texts/shell-word.ts';
import { visibleText } from '../../texts/visible-text.ts';

/** As the shell completes it, from the current directory, where that is in `directory` and nothing is at `path` there. */
export function pathIn(directory: string, path: string): string {
  const here = resolve(path);
  if (existsSync(resolve(directory, path)) || !existsSync(here)) return path;
  return isInside(resolve(directory), here) ? here : path;
}

/** False also for what cannot be looked at. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The project that the directory is a part of; undefined also where the directory is all of it. */
export async function projectAbove(directory: string, home: string): Promise<string | undefined> {
  const here = resolve(directory);
  const top = await projectAround(here, home, holdsGit);
  return top === here ? undefined : top;
}

async function holdsGit(directory: string): Promise<boolean> {
  return existsSync(join(directory, '.git'));
}

/** Tells a person how to ask about a file of another repository than that of the directory. */
export async function sayOtherRepository(path: string, directory: string, home: string): Promise<void> {
  const own = (await projectAbove(directory, home)) ?? resolve(directory);
  if (isInside(own, path) || isInside(realPlace(own), realPlace(dirname(path)))) return;
  const top = await projectAround(dirname(path), home, holdsGit);
  if (top === undefined) return;
  const how = `contextd retrieve ${wordBelow(top, path)} ${shellWord(top)}`;
  console.error(
    `${visibleText(path)} is no file of ${visibleText(own)}, so its imports are not followed. In its repository: ${how}`,
  );
}

/** With links resolved, if something is there. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A word of a shell that no command takes for an option. */
function wordBelow(top: string, path: string): string {
  const word = relativePath(top, path);
  return shellWord(word.startsWith('-') ? `./${word}` : word);
}

/** Words of a shell. `wordOf`: an absolute path relative to `top`. */
type Place = { top: string; here: string; wordOf(path: string): string };

/** Tells a person that the directory is not all of the project, and `what` that means. */
export async function sayPartOfRepository(
  directory: string,
  home: string,
  what: (place: Place) => string = ({ top, here }) =>
    `Rules above it are not used here. To use them too: contextd resolve ${top} --working-directory ${here}`,
): Promise<void> {
  const top = await projectAbove(directory, home);
  if (top === undefined) return;
  const here = resolve(directory);
  const where = `${visibleText(here)} is a part of the repository ${visibleText(top)}.`;
  const wordOf = (path: string): string => wordBelow(top, path);
  console.error(`${where} ${what({ top: shellWord(top), here: wordOf(here), wordOf })}`);
}
