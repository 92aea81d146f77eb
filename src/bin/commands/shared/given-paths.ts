/** What people mean by a path. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { isInside } from '../../../access/paths.ts';
import { projectAround } from '../../../access/repositories.ts';
import { holdsGit } from '../../state/paths-on-disk.ts';

/** If `path` does not exist in `directory`, it is relative to the current directory, as a shell completes it. */
export function pathIn(directory: string, path: string): string {
  const here = resolve(path);
  if (existsSync(resolve(directory, path)) || !existsSync(here)) return path;
  return isInside(resolve(directory), here) ? here : path;
}

/** The project that contains the directory. `undefined` if the directory is the whole project. */
export async function projectAbove(directory: string, home: string): Promise<string | undefined> {
  const here = resolve(directory);
  const top = await projectAround(here, home, holdsGit);
  return top === here ? undefined : top;
}
