/** The files below a folder that a user added (RT-06): as they are searched, so without what `.gitignore` leaves out. */
import { refusalReason } from '../context/path-rules.ts';
import type { World } from '../context/world.ts';
import { isInside, joinPath, relativePath } from '../paths.ts';
import { type FileIndex, filesBelow } from '../supplementary/file-index.ts';
import type { Reason } from '../warnings.ts';

/** Files that one folder stands for. */
const maxFolderFiles = 500;

export type ExpandedFolder = { paths: readonly string[]; truncated: boolean };

/** Paths in order, or why there are none. A folder that is itself left out by `.gitignore` was named by the user, and is looked at. */
export async function expandFolder(
  path: string,
  { mountedDirectory, world, fileIndex }: { mountedDirectory: string; world: World; fileIndex: FileIndex },
): Promise<ExpandedFolder | Reason> {
  const listed = await world.gate.list(path, world.reach);
  if (!listed.ok) return refusalReason(listed.code, listed.detail);
  const below = path === mountedDirectory ? '' : relativePath(mountedDirectory, path);
  const listing = isInside(mountedDirectory, path) ? await fileIndex.look(mountedDirectory, world) : undefined;
  const isListed = listing?.folders.some(({ directory }) => directory === below) === true;
  const found = isListed
    ? firstOf(filesBelow(listing, below), mountedDirectory)
    : firstOf(filesBelow(await fileIndex.look(path, world), ''), path);
  return { paths: found.slice(0, maxFolderFiles), truncated: found.length > maxFolderFiles };
}

/** One more than are taken, so that it shows whether there are more. */
function firstOf(files: Iterable<string>, base: string): string[] {
  const paths: string[] = [];
  for (const file of files) {
    if (paths.length > maxFolderFiles) break;
    paths.push(joinPath(base, file));
  }
  return paths;
}
