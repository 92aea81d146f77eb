/** Surveys a tree: all files, and the context directories, at any level (CC-01, CC-19 … CC-21). */
import { baseName, directoriesBetween, parentPath } from '../access/paths.ts';
import { isPolicyFile } from '../access/policy-file-names.ts';
import { type FoundEntry, skippedDirectories, walkTree } from '../access/walk.ts';
import type { World } from '../access/world.ts';
import { type ContextDirectory, contextDirectoryOf } from '../context/directories.ts';
import { createPause, type Pause } from '../pace/turns.ts';

export type Survey = {
  /** Paths of regular files. */
  files: string[];
  /** Entries that cannot be read or followed. */
  refused: FoundEntry[];
  contextDirectories: ContextDirectory[];
  /** False if a limit stopped the survey. */
  isWhole: boolean;
};

/** Whether a pattern is for a directory that a survey skips. */
export function namesSkippedDirectory(pattern: string): boolean {
  return pattern
    .toLowerCase()
    .split(/[\\/]/u)
    .some((segment) => skippedDirectories.includes(segment));
}

/** `clientContextPath`: the name of context directories. */
export async function surveyTree(world: World, clientContextPath: string): Promise<Survey> {
  const { mountedDirectory } = world;
  const directories = new Set([mountedDirectory]);
  const misplaced: FoundEntry[] = [];
  const walk = await walkTree(mountedDirectory, world, {
    enter(path) {
      if (skippedDirectories.includes(baseName(path))) return false;
      // A directory in the place of a policy blocks, like a policy that cannot be read.
      if (isPolicyFile(path)) {
        misplaced.push({ path, refusal: 'not_regular_file', isDirectory: true });
        return false;
      }
      directories.add(path);
      return true;
    },
    accept: () => true,
  });
  const { entries, depth, walkMs } = world.leftOut;
  const pause = createPause();
  const files: string[] = [];
  const refused: FoundEntry[] = [];
  for (const found of walk.found) {
    const turn = pause();
    if (turn) await turn;
    if (found.refusal === undefined) files.push(found.path);
    else refused.push(found);
  }
  for (const each of misplaced) refused.push(each);
  const met = new Set([...directories, ...refused.map(({ path }) => path)]);
  return {
    files,
    refused,
    contextDirectories: await findContextDirectories(mountedDirectory, clientContextPath, { directories, met, pause }),
    isWhole: entries + depth + walkMs === 0,
  };
}

/** One for each directory that has one, from the top down. A context directory inside another one is only content. */
async function findContextDirectories(
  mountedDirectory: string,
  clientContextPath: string,
  tree: { directories: ReadonlySet<string>; met: ReadonlySet<string>; pause: Pause },
): Promise<ContextDirectory[]> {
  const found = new Map<string, ContextDirectory>();
  for (const owner of tree.directories) {
    const turn = tree.pause();
    if (turn) await turn;
    const directory = contextDirectoryOf(owner, { mountedDirectory, clientContextPath });
    const { path } = directory;
    if (tree.met.has(path) && !found.has(path) && path !== mountedDirectory) found.set(path, directory);
  }
  const isNested = ({ path }: ContextDirectory): boolean =>
    directoriesBetween(mountedDirectory, parentPath(path)).some((directory) => found.has(directory));
  return [...found.values()].filter((each) => !isNested(each)).sort((a, b) => a.depth - b.depth);
}
