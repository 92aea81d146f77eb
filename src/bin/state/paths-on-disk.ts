/** What a path of the user is on the disk. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The path with links resolved, or the path itself if it does not exist. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Also false if it cannot be looked at. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

export async function holdsGit(directory: string): Promise<boolean> {
  return existsSync(join(directory, '.git'));
}
