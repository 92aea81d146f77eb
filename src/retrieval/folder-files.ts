/**
 * Lists the files below a folder that a user added (RT-06), without files that `.gitignore` leaves out, as in a search.
 */

import { isInside, joinPath, relativePath } from '../access/paths.ts';
import type { World } from '../access/world.ts';
import type { FileExclusion } from '../context/file-exclusion.ts';
import { refusalReason } from '../context/path-rules.ts';
import { fixedLimits } from '../settings.ts';
import { type FileIndex, filesBelow } from '../supplementary/file-index.ts';
import type { Reason } from '../warnings.ts';

const limits = fixedLimits.retrieval;

/** The files of one folder. `excluded`: how many files the configurations leave out, and the reason for the first. */
export type ExpandedFolder = {
  paths: readonly string[];
  truncated: boolean;
  excluded?: { files: number; reason: Reason } | undefined;
};

/**
 * The sorted paths, or why there are none. A folder that `.gitignore` leaves out is listed anyway, because the user
 * named it.
 */
export async function expandFolder(
  path: string,
  options: { mountedDirectory: string; world: World; fileIndex: FileIndex; exclude: FileExclusion },
): Promise<ExpandedFolder | Reason> {
  const { mountedDirectory, world, fileIndex, exclude } = options;
  const listed = await world.gate.list(path, world.reach);
  if (!listed.ok) return refusalReason(listed.code, listed.detail);
  const below = path === mountedDirectory ? '' : relativePath(mountedDirectory, path);
  const listing = isInside(mountedDirectory, path) ? await fileIndex.look(mountedDirectory, world) : undefined;
  const isListed = listing?.folders.some(({ directory }) => directory === below) === true;
  const [files, base] = isListed
    ? [filesBelow(listing, below), mountedDirectory]
    : [filesBelow(await fileIndex.look(path, world), ''), path];
  const paths: string[] = [];
  let excluded: ExpandedFolder['excluded'];
  for (const file of files) {
    const each = joinPath(base, file);
    const reason = exclude(each);
    if (reason) excluded = { files: (excluded?.files ?? 0) + 1, reason: excluded?.reason ?? reason };
    // One path more than the limit shows that there are more.
    else if (paths.push(each) > limits.folderFiles) break;
  }
  const truncated = paths.length > limits.folderFiles;
  return { paths: paths.slice(0, limits.folderFiles), truncated, excluded };
}
