/** Tells people on standard error what the place they named means for the answer, and how to ask about more. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isInside, relativePath } from '../../../access/paths.ts';
import { projectAround } from '../../../access/repositories.ts';
import type { ResolveRequest } from '../../../context/resolve-request.ts';
import { shellWord } from '../../../texts/shell-word.ts';
import { visibleText } from '../../../texts/visible-text.ts';
import type { Warning } from '../../../warnings.ts';
import { holdsGit, isDirectory, realPathOf } from '../../state/paths-on-disk.ts';
import { projectAbove } from './given-paths.ts';

/** Tells a person how to ask about a file of another repository than that of the directory. */
export async function sayOtherRepository(path: string, directory: string, home: string): Promise<void> {
  const own = (await projectAbove(directory, home)) ?? resolve(directory);
  if (isInside(own, path) || isInside(realPathOf(own), realPathOf(dirname(path)))) return;
  const top = await projectAround(dirname(path), home, holdsGit);
  if (top === undefined) return;
  const how = `contextd retrieve ${wordBelow(top, path)} ${shellWord(top)}`;
  console.error(
    `${visibleText(path)} is no file of ${visibleText(own)}, so its imports are not followed. In its repository: ${how}`,
  );
}

/** A word for the shell that no command reads as an option. */
function wordBelow(top: string, path: string): string {
  const word = relativePath(top, path);
  return shellWord(word.startsWith('-') ? `./${word}` : word);
}

/** Words for the shell. `wordOf`: an absolute path, relative to `top`. */
type Place = { top: string; here: string; wordOf(path: string): string };

/** Tells a person that the directory is only a part of the project, and `what` this means. */
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

/** Tells a person once for each repository below the directory that it has some of the files, and how to ask about it. */
export async function sayRepositoriesBelow(directory: string, files: readonly string[], home: string): Promise<void> {
  const told = new Set([await projectAround(directory, home, holdsGit), undefined]);
  for (const file of files) {
    const path = resolve(directory, file);
    const top = await projectAround(dirname(path), home, holdsGit);
    if (told.has(top) || top === undefined || !isInside(directory, top)) continue;
    told.add(top);
    const what = 'is a repository of its own. Rule files of other tools in it are not used here.';
    const how = `contextd resolve ${shellWord(top)} --file ${wordBelow(top, path)}`;
    console.error(`${visibleText(top)} ${what} To use them: ${how}`);
  }
}

/** Tells a person who named a directory as a file in play how to ask about work in it, unless the request does that. */
export function sayDirectories(
  directory: string,
  { files = [], workingDirectory }: Pick<ResolveRequest, 'files' | 'workingDirectory'>,
): void {
  const work = workingDirectory === undefined ? files.map(dirname) : [workingDirectory];
  for (const [path, file] of new Map(files.map((each) => [resolve(directory, each), each]))) {
    if (path === directory || !isInside(directory, path) || !isDirectory(path)) continue;
    if (work.some((place) => isInside(path, resolve(directory, place)))) continue;
    const how = `contextd resolve ${shellWord(directory)} --working-directory ${wordBelow(directory, path)}`;
    console.error(`${visibleText(file)} is a directory, so rules in it do not count. For work in it: ${how}`);
  }
}

/** Tells a person who mentioned a file that is there, but is no context, how to see why. */
export function sayMentions(
  directory: string,
  { mentions = [] }: Pick<ResolveRequest, 'mentions'>,
  warnings: readonly Warning[],
): void {
  const unknown = new Set(warnings.flatMap(({ code, pointer }) => (code === 'mention_not_found' ? [pointer] : [])));
  for (const [index, mention] of mentions.entries()) {
    const path = resolve(directory, mention);
    if (!unknown.has(`/mentions/${index}`) || path === directory) continue;
    if (!isInside(directory, path) || !existsSync(path)) continue;
    const how = `contextd explain ${wordBelow(directory, path)} ${shellWord(directory)}`;
    console.error(`${visibleText(mention)} is there, but it is not context for this request. To see why: ${how}`);
  }
}
